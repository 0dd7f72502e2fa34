"""Drawn rows: rows to compare predictions on where the caller gives none, drawn from what the model itself knows.

Each number is a threshold of the trees, a number beside or between thresholds, or missing where the model takes that;
behind steps it is in the range that the steps were fitted on. Categories are those that the model knows.
"""

from collections.abc import Iterator
from logging import getLogger
from typing import Any

import numpy as np
from onnx import load_from_string

from ..errors import LeafspaceError
from .estimators import ModelInputs
from .native_models import native_trees
from .native_trees import Coding
from .threshold_rows import tests_of_graph
from .unwrapping import final_step

_LOG = getLogger("leafspace_client")
_NOTHING_COMPARED = (
    "this %s was registered without rows, and none could be drawn to compare predictions with (%s): pass some rows, X=…"
)
_N_ROWS, _MISSING_EVERY = 80, 10  # rows, and of each so many cells one that is missing
_RANGES = (("data_min_", "data_max_"), ("mean_", "scale_"), ("center_", "scale_"))


def drawn_rows(outer: Any, estimator: Any, inputs: ModelInputs, graph: bytes) -> Any:  # estimators
    """Return rows that the library predicts: a DataFrame where it knows names, else a matrix; ``None`` where it cannot.

    With missing values where it takes them. A warning says why where there are none.
    """
    if inputs.column_types is not None:
        _LOG.warning(_NOTHING_COMPARED, type(outer).__name__, "it reads columns of several types")
        return None
    rng = np.random.default_rng(0)
    values = _numbers(estimator, inputs, graph, rng)
    holes = rng.integers(0, _MISSING_EVERY, values.shape) == 0
    codings = _codings(estimator, inputs)
    for numbers in (np.where(holes, np.nan, values), values):
        for rows in _as_fitted(outer, numbers, codings):
            if _predicts(outer, rows):
                return rows
    _LOG.warning(_NOTHING_COMPARED, type(outer).__name__, "its own predict refuses rows of numbers")
    return None


def _predicts(outer: Any, rows: Any) -> bool:  # an estimator, rows
    try:
        outer.predict(rows)
    except Exception as error:  # noqa: BLE001  # libraries raise whatever they like
        _LOG.debug("drawn rows are not predicted: %s", error)
        return False
    return True


def _numbers(estimator: Any, inputs: ModelInputs, graph: bytes, rng: np.random.Generator) -> Any:
    """Return numbers about the thresholds of each column, (n_rows, n_features) float64."""
    values = _in_range(estimator, inputs.n_features, rng)
    by_column: dict[int, list[float]] = {}
    for feature, threshold in tests_of_graph(load_from_string(graph).graph):
        by_column.setdefault(feature, []).append(threshold)
    for feature, thresholds in by_column.items():
        known = np.unique(np.array(thresholds, np.float32)).astype(np.float64)
        between = (known[1:] + known[:-1]) / 2
        outside = [known[0] - abs(known[0]) - 1, known[-1] + abs(known[-1]) + 1]
        values[:, feature] = rng.choice(np.concatenate([known, between, outside]), len(values))
    return values


def _in_range(estimator: Any, n_features: int, rng: np.random.Generator) -> Any:  # an array
    """Return numbers in the range that the first step was fitted on, where it tells; else about 0."""
    step = estimator.steps[0][1] if getattr(estimator, "steps", None) else None
    values = rng.normal(0, 2, (_N_ROWS, n_features))
    for low, width in _RANGES:
        first, second = getattr(step, low, None), getattr(step, width, None)
        if first is not None and second is not None and np.shape(first) == (n_features,) == np.shape(second):
            scale = np.asarray(second) - np.asarray(first) if low == "data_min_" else np.asarray(second)
            return np.asarray(first) + values * scale
    return values


def _codings(estimator: Any, inputs: ModelInputs) -> dict[int, Coding]:  # an estimator
    try:
        trees = native_trees(final_step(estimator), inputs)
    except LeafspaceError:
        return {}
    return {} if trees is None or getattr(estimator, "steps", None) else dict(trees.codings)


def _as_fitted(outer: Any, values: Any, codings: dict[int, Coding]) -> Iterator[Any]:  # rows
    """Yield numbers as rows of the kinds that the model may have been fitted on, with categories in their columns."""
    rng, raw = np.random.default_rng(1), values.copy()
    known = {index: [each for each in coding.codes if each == each] for index, coding in codings.items()}
    known = {index: _whole(np.array(categories)) for index, categories in known.items() if categories}
    drawn = {index: rng.choice(categories, len(raw)) for index, categories in known.items()}
    is_text = any(column.dtype.kind in "US" for column in drawn.values())
    for index, column in ({} if is_text else drawn).items():
        raw[:, index] = column
    names = getattr(outer, "feature_names_in_", None)
    if names is not None or is_text:
        import pandas as pd  # an extra

        frame = pd.DataFrame(raw, columns=list(range(raw.shape[1])) if names is None else list(names))
        whole = frame.fillna(0).astype("int64")
        for rows in (frame, whole, whole.clip(0, 1).astype(bool)):
            for index, column in drawn.items():
                rows.isetitem(index, pd.Categorical(column, categories=known[index]))
            yield rows
    elif not is_text:
        yield raw


def _whole(categories: Any) -> Any:  # an array
    """Return categories that are whole numbers as integers, which libraries distinguish from fractions."""
    is_whole = categories.dtype.kind == "f" and (categories == np.floor(categories)).all()
    return categories.astype(np.int64) if is_whole else categories
