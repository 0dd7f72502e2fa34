"""Approximation trees of all kinds of questions, grown on real rows by scikit-learn from the answers to conditions."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.support.models import FittedModel, fitted
from tests.support.native_models import NATIVE
from tests.support.pipelines import PIPELINES, FittedPipeline, fitted_pipeline
from tree_explainers.approximation_trees.controls import ControlSettings, grow_cart
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.oracle import SessionOracle, oracle_scores
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree, Confidence, NodeFacts, TreeNode
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import Condition, ConditionReader
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows

TREES = (
    "random_forest_binary",
    "random_forest_multiclass",
    "random_forest_regression",
    "missing_kept",
    "ordinal_categories",
    "scaled_and_one_hot",
)
REAL_TREES = (
    ("random_forest_multiclass", "sta"),
    ("random_forest_regression", "cart"),
    ("gradient_boosting_binary", "ism"),
    ("missing_kept", "sta"),
    ("missing_kept", "ism"),
    ("ordinal_categories", "cart"),
    ("ordinal_categories", "ism"),
    ("scaled_and_one_hot", "sta"),
    ("native_lightgbm", "ism"),
    ("native_catboost", "sta"),
)


@dataclass(frozen=True)
class GrownTree:
    """A tree beside the rows that it was grown on, and the model that it approximates."""

    tree: ApproximationTree
    rows: Rows
    description: ModelDescription


@functools.cache
def grown(name: str, max_depth: int = 7) -> GrownTree:
    """Return a tree that approximates a model, one of ``TREES`` or any other of ``models`` and ``pipelines``."""
    model = fitted_pipeline(name) if name in (*PIPELINES, *NATIVE) else fitted(name)
    predictions = model.session.predict(model.rows)
    targets = predictions.scores if predictions.labels is None else predictions.labels
    return GrownTree(
        tree_of_conditions(model.rows, targets.ravel(), model.read.description, max_depth),
        model.rows,
        model.read.description,
    )


@functools.cache
def really_grown(name: str, method: str) -> GrownTree:
    """Return a tree that one of the methods grew."""
    model = fitted_pipeline(name) if name in (*PIPELINES, *NATIVE) else fitted(name)
    return GrownTree(_METHODS[method](model), model.rows, model.read.description)


def _sta(model: FittedModel | FittedPipeline) -> ApproximationTree:
    settings = StaSettings(_LIMITS, max_pseudo_samples=2_000)
    return grow_sta(
        model.rows,
        SessionOracle(model.session),
        settings,
        np.random.default_rng(0),
        model.read.description.missing_texts,
    )


def _cart(model: FittedModel | FittedPipeline) -> ApproximationTree:
    settings = ControlSettings(_LIMITS, n_pseudo_samples=5_000)
    return grow_cart(
        model.rows,
        SessionOracle(model.session),
        settings,
        np.random.default_rng(0),
        model.read.description.missing_texts,
    )


def _ism(model: FittedModel | FittedPipeline) -> ApproximationTree:
    read, predicted = model.read, model.session.predict(model.rows)
    assert predicted.labels is not None
    binned = BinnedRows.of(statements_of(read.ensemble, read.description), model.rows)
    training = IsmTraining(
        model.rows, binned, oracle_scores(predicted, model.session.description), predicted.labels, None
    )
    return grow_ism(training, read.ensemble, read.description, IsmSettings(_LIMITS))


_LIMITS = TreeLimits(max_depth=6, min_samples_leaf=3)
_METHODS = {"sta": _sta, "cart": _cart, "ism": _ism}


def with_holes(rows: Rows, share: float = 0.2) -> Rows:
    """Return the rows with many values missing, in all columns."""
    rng = np.random.default_rng(3)
    columns = []
    for values in rows.columns:
        column = values.copy()
        column[rng.random(len(rows)) < share] = None if values.dtype == object else np.nan
        columns.append(column)
    return Rows(rows.names, tuple(columns))


def tree_of_conditions(
    rows: Rows, targets: NDArray[Any], description: ModelDescription, max_depth: int
) -> ApproximationTree:
    """Return a tree for targets: positions of classes, or values."""
    texts = description.missing_texts
    conditions = [*_conditions(rows)]
    reader = ConditionReader(np.float64, texts)
    answers = np.column_stack([reader.holds(each, rows) for each in conditions]).astype(np.float32)
    maker = DecisionTreeClassifier if description.classes else DecisionTreeRegressor
    # The best of a few at each node, so that there are splits of all kinds.
    fitted_tree = maker(max_depth=max_depth, min_samples_leaf=3, max_features=20, random_state=0).fit(answers, targets)
    nodes: list[TreeNode] = []
    shares = _shares(fitted_tree, len(description.classes))
    _append(0, fitted_tree.tree_, shares, conditions, nodes)
    return ApproximationTree(tuple(nodes), texts)


def _conditions(rows: Rows) -> Iterator[Condition]:
    for place, (name, values) in enumerate(zip(rows.names, rows.columns, strict=True)):
        yield Condition(name, name, "is missing", None, or_missing=False)
        # Of every second column a missing value is separated from others by that split alone.
        for or_missing in (False, True)[: 1 + place % 2]:
            if values.dtype != object:
                # Their midpoints, as they are: most are no float32.
                cuts = np.unique(np.nanquantile(values, np.linspace(0, 1, 24)))
                for cut in (cuts[1:] + cuts[:-1]) / 2:
                    yield Condition(name, name, "<=", float(cut), or_missing)
                continue
            categories = sorted({value for value in values.tolist() if value is not None})
            for each in categories:
                yield Condition(name, name, "is", each, or_missing)
            for start in range(len(categories) - 2):
                yield Condition(name, name, "is one of", tuple(categories[start::2]), or_missing)


def _shares(fitted_tree: Any, n_classes: int) -> NDArray[np.float64]:  # scikit-learn ships no types
    values = fitted_tree.tree_.value[:, 0, :]
    if not n_classes:
        return np.asarray(values, np.float64)
    shares = np.zeros((len(values), n_classes))
    shares[:, fitted_tree.classes_] = values / values.sum(axis=1, keepdims=True)
    return shares


def _append(
    at: int,
    grown_tree: Any,  # scikit-learn ships no types
    shares: NDArray[np.float64],
    conditions: list[Condition],
    nodes: list[TreeNode],
) -> int:
    """Append a node and all below it in preorder; yes is on scikit-learn's right, and on our left."""
    place = len(nodes)
    label = int(shares[at].argmax()) if shares.shape[1] > 1 else None
    facts = NodeFacts(shares[at], label, int(grown_tree.n_node_samples[at]), 1000 * (place % 3))
    nodes.append(TreeNode(facts))
    if grown_tree.children_left[at] >= 0:
        children = (grown_tree.children_right[at], grown_tree.children_left[at])
        left, right = (_append(child, grown_tree, shares, conditions, nodes) for child in children)
        confidence = Confidence(p_value=min(1.0, 0.003 * place), at_cap=place % 5 == 0)
        nodes[place] = TreeNode(facts, conditions[grown_tree.feature[at]], left, right, confidence)
    return place
