"""Writers of steps: what imputers, selections, bins and linear maps make of columns, as scikit-learn calculates it.

A writer returns the tensor of what its step makes, (n_rows, n_made).
"""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

import numpy as np
from sklearn.cluster import KMeans, MiniBatchKMeans
from sklearn.decomposition import FactorAnalysis, FastICA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.impute import MissingIndicator, SimpleImputer
from sklearn.preprocessing import KBinsDiscretizer, PolynomialFeatures
from sklearn.random_projection import SparseRandomProjection

from .step_columns import FLOAT, NoCounterpart, StepColumns


def imputed(columns: StepColumns, step: SimpleImputer) -> str:
    """Add an imputer: what it fills in, without columns that have nothing but holes, and its indicators."""
    if columns.are_texts:
        return _imputed_texts(columns, step)
    numbers, filling = columns.joined(), np.asarray(step.statistics_, np.float64)
    missing = _are_missing(columns, numbers, step.missing_values)
    filled = columns.nodes.add("Where", [missing, columns.row(np.nan_to_num(filling)), numbers])
    has_values = np.flatnonzero(~np.isnan(filling))
    if len(has_values) < len(filling):
        filled = columns.chosen(filled, has_values)
    if not step.add_indicator or not len(step.indicator_.features_):
        return filled
    flags = _flags(columns, missing, step.indicator_)
    return columns.side_by_side([filled, flags])


def _imputed_texts(columns: StepColumns, step: SimpleImputer) -> str:
    """Add an imputer of texts; a tensor of texts has no not-a-number, and an empty text is missing there."""
    if step.add_indicator and len(step.indicator_.features_):
        raise NoCounterpart(step, "puts indicators, which are numbers, beside texts (add_indicator=True)")
    if not isinstance(step.missing_values, str):  # ``read_missing_texts`` has put the empty text in its place
        return columns.joined()
    nodes, filled = columns.nodes, []
    for (tensor, _), text in zip(columns.each(), step.statistics_, strict=True):
        if not isinstance(text, str):
            raise NoCounterpart(step, f"fills {text!r} into texts")
        table: dict[str, Any] = {"keys_strings": [step.missing_values], "values_int64s": [1], "default_int64": 0}
        flag = nodes.add("LabelEncoder", [tensor], domain="ai.onnx.ml", **table)
        is_missing = nodes.add("Cast", [flag], to=9)  # to booleans
        filled.append(nodes.add("Where", [is_missing, nodes.constant(np.array([str(text)])), tensor]))
    return columns.side_by_side(filled)


def _are_missing(columns: StepColumns, numbers: str, missing: Any) -> str:  # a number, NaN or None
    is_number = isinstance(missing, int | float | np.number) and not np.isnan(missing)
    if not is_number:
        return columns.nodes.add("IsNaN", [numbers])
    return columns.nodes.add("Equal", [numbers, columns.row(missing)])


def _flags(columns: StepColumns, missing: str, indicator: MissingIndicator) -> str:
    chosen = columns.chosen(missing, indicator.features_)
    return columns.nodes.add("Cast", [chosen], to=FLOAT) if columns.are_single else columns.nodes.as_double(chosen)


def missing_flags(columns: StepColumns, step: MissingIndicator) -> str:
    """Add 1 where a value is missing, else 0, of the columns that had such values."""
    if columns.are_texts:
        raise NoCounterpart(step, "looks for missing texts")
    return _flags(columns, _are_missing(columns, columns.joined(), step.missing_values), step)


def selected(columns: StepColumns, step: Any) -> str:  # a selector
    """Add the choice of columns."""
    return columns.chosen(columns.joined(), step.get_support(indices=True))


def bins(columns: StepColumns, step: KBinsDiscretizer) -> str:
    """Add the index of the bin of each value, or a column for each bin."""
    nodes, tensors = columns.nodes, []
    for (tensor, _), edges, n_bins in zip(columns.each(), step.bin_edges_, step.n_bins_, strict=True):
        ends = nodes.constant(np.asarray(edges[1:-1], np.float64).reshape(1, -1))
        passed = nodes.as_double(nodes.add("GreaterOrEqual", [tensor, ends]))
        index = nodes.add("ReduceSum", [passed, nodes.constant(np.array([1]))], keepdims=1)
        if step.encode != "ordinal":
            codes = list(range(int(n_bins)))
            hot = nodes.add("OneHotEncoder", [nodes.as_whole(index)], domain="ai.onnx.ml", cats_int64s=codes, zeros=1)
            index = nodes.as_double(nodes.add("Reshape", [hot, nodes.constant(np.array([-1, len(codes)]))]))
        tensors.append(index)
    return columns.side_by_side(tensors)


def powers(columns: StepColumns, step: PolynomialFeatures) -> str:
    """Add products of columns, multiplied from the last to the first as scikit-learn does."""
    nodes, rows, blocks = columns.nodes, columns.doubles(), []
    factors = [np.repeat(np.arange(len(exponents)), exponents) for exponents in step.powers_]
    for _, terms in groupby(factors, len):  # which are in the order of their degrees
        block = np.array(list(terms), np.int64)
        if not block.shape[1]:
            zero = nodes.add("Mul", [columns.chosen(rows, [0]), nodes.constant(np.array([0.0]))])
            blocks.append(nodes.add("Add", [zero, nodes.constant(np.array([1.0]))]))
            continue
        product = columns.chosen(rows, block[:, -1])
        for place in reversed(range(block.shape[1] - 1)):
            product = nodes.add("Mul", [columns.chosen(rows, block[:, place]), product])
        blocks.append(product)
    return columns.side_by_side(blocks)


def distances(columns: StepColumns, step: KMeans) -> str:
    """Add the distance to each centre, as scikit-learn expands it."""
    nodes, rows, centres = columns.nodes, columns.doubles(), np.asarray(step.cluster_centers_, np.float64)
    squares = nodes.add("ReduceSum", [nodes.add("Mul", [rows, rows]), nodes.constant(np.array([1]))], keepdims=1)
    products = nodes.add("MatMul", [rows, nodes.constant(-2 * centres.T)])
    norms = nodes.constant((centres**2).sum(axis=1).reshape(1, -1))
    total = nodes.add("Add", [nodes.add("Add", [products, squares]), norms])
    return nodes.add("Sqrt", [nodes.add("Max", [total, nodes.constant(np.array([0.0]))])])


def projected(columns: StepColumns, step: Any) -> str:  # a step
    """Add a linear map: rows less a centre, multiplied with matrices."""
    centre, matrices = _linear_map(step)
    rows = columns.doubles()
    if centre is not None:
        rows = columns.nodes.add("Sub", [rows, columns.nodes.constant(np.asarray(centre, np.float64).reshape(1, -1))])
    for matrix in matrices:
        rows = columns.nodes.add("MatMul", [rows, columns.nodes.constant(np.asarray(matrix, np.float64))])
    return rows


def _linear_map(step: Any) -> tuple[Any, Sequence[Any]]:  # a step, an array and matrices
    if isinstance(step, LinearDiscriminantAnalysis):
        n_made = step._max_components  # noqa: SLF001  # has no other
        return step.xbar_ if step.solver == "svd" else None, [step.scalings_[:, :n_made]]
    if isinstance(step, FastICA):
        return step.mean_ if step.whiten else None, [step.components_.T]
    if isinstance(step, SparseRandomProjection):
        matrix = step.components_
        return None, [matrix.T.toarray() if hasattr(matrix, "toarray") else matrix.T]
    weights = step.components_ / step.noise_variance_
    covariance = np.linalg.inv(np.eye(len(step.components_)) + weights @ step.components_.T)
    return step.mean_, [weights.T, covariance]


PROJECTIONS = (LinearDiscriminantAnalysis, FastICA, FactorAnalysis, SparseRandomProjection)
CLUSTERS = (KMeans, MiniBatchKMeans)
