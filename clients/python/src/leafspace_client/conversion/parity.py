"""Parity: rows with the library's own predictions, so that the service can prove that the graph predicts the same.

The library sees the rows as the caller has them: what rounding to float32 spoils is a disagreement. A wrong conversion
shows first where two scores nearly tie, and on thresholds, where trees differ in what they do with equal numbers.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from logging import getLogger
from typing import TYPE_CHECKING, Any

import numpy as np
from onnx import TensorProto, load_from_string

from ..errors import CannotConvert
from ..row_kinds import is_frame
from ..rows import Cell, instances_of, sent
from .estimators import ModelInputs, predicts_classes, predicts_labels_alone, votes_hard
from .infinite_rows import infinite_rows, predicts
from .model_rows import library_answer
from .threshold_rows import rows_at_thresholds, taken
from .tree_operators import nearest_float32
from .unwrapping import final_step

if TYPE_CHECKING:
    from .declared import Declared

N_ROWS = 100
_LOG = getLogger("leafspace_client")
_BEYOND_PRECISION = (
    "%d of %d parity rows of this %s were left out: its graph takes numbers in single precision (about 7 digits), so "
    "that these rows get other scores than from the library, and perhaps other labels, as may other rows whose numbers "
    "lie on thresholds (model.parity: n_beyond_precision)"
)
_N_NEAR_TIES = 40  # rows whose two best scores are nearest to each other
_N_THRESHOLDS = 10  # each with a row at it, just above and just below
_N_CANDIDATES = 10_000  # rows that are looked through for near ties
_MOST_CELLS, _MOST_BYTES = 40_000, 1_500_000  # of all rows: their values or scores, and as JSON
_SCORE_BYTES = 25  # of a number with all its digits


@dataclass(frozen=True, slots=True)
class Parity:
    """Raw rows and what the library predicts for them."""

    rows: list[list[Cell]]  # values in the order of the features
    predictions: list[list[float]]  # scores of the classes, or one value
    labels: list[str] | None  # names of classes; None for regression
    n_beyond_precision: int  # rows left out, which the graph's precision cannot separate from those beyond a threshold
    n_drawn: int = 0  # rows that are not the caller's: at thresholds, with other categories, or all

    def document(self) -> dict[str, Any]:
        """Return what goes into the metadata."""
        document = {
            "rows": self.rows,
            "predictions": self.predictions,
            "n_beyond_precision": self.n_beyond_precision,
            "n_drawn": self.n_drawn,
        }
        return document if self.labels is None else {**document, "labels": self.labels}


def parity_rows(
    estimator: Any,  # an estimator
    inputs: ModelInputs,
    graph: bytes,
    declared: "Declared",
    *,
    outer: Any,  # an estimator
    is_caller: bool = True,
) -> Parity | None:
    """Return up to 110 rows, where a wrong conversion would show first; ``None`` where there are no rows.

    ``declared`` has the names of the classes; ``outer`` is the estimator as the caller has it, whose labels are the
    truth; ``is_caller`` says that the rows are the caller's, and not drawn.

    They are the rows whose two best scores are nearest to each other; rows that lie on thresholds and just beside them,
    where trees read the rows as they are; rows spread evenly; rows with a missing and an unknown category in each
    column of the type category, in place of the last, where the library predicts for such; and rows with an infinite
    number where it takes them. Predictions are the library's own, in double precision where it has it.

    Rows are left out, counted, with a warning, where single precision decides otherwise before they come to the trees:
    those whose scores the library itself changes once their numbers are rounded. Where that would be more than half of
    the rows, none is left out: then the model does not fit single precision, and is refused.
    """
    if inputs.rows is None or inputs.rows.shape[0] == 0:
        return None
    chosen, n_own = _chosen(estimator, inputs, graph)
    sample, n_changed = _with_other_categories(estimator, chosen)
    is_drawn = np.arange(sample.shape[0]) >= (min(n_own, sample.shape[0] - n_changed) if is_caller else 0)
    infinite = None if declared.finite_only else infinite_rows(sample)
    if infinite is not None and predicts(outer, infinite):
        sample, is_drawn = _joined(sample, infinite), np.append(is_drawn, np.ones(infinite.shape[0], bool))
    predictions = _predictions_of(estimator, sample)
    if not is_caller:  # where sums overflow, the library has no prediction to compare with
        are_finite = np.isfinite(predictions).all(axis=1).nonzero()[0]
        sample, predictions, is_drawn = taken(sample, are_finite), predictions[are_finite], is_drawn[are_finite]
    differs = _rows_with_other_predictions(estimator, graph, sample, predictions)
    n_differing = int(differs.sum())
    if n_differing and 2 * n_differing <= len(differs):
        _LOG.warning(_BEYOND_PRECISION, n_differing, len(differs), type(estimator).__name__)
        kept = (~differs).nonzero()[0]
        sample, predictions, is_drawn = taken(sample, kept), predictions[kept], is_drawn[kept]
    else:
        n_differing = 0
    instances = _fitting(sent(instances_of(inputs.features_of(sample))), predictions.shape[1])
    sample, predictions = taken(sample, np.arange(len(instances))), predictions[: len(instances)]
    rows = [list(row.values()) if isinstance(row, dict) else list(row) for row in instances]
    labels = _labels(outer, getattr(estimator, "classes_", None), sample, declared.classes)
    return Parity(rows, predictions.tolist(), labels, n_differing, int(is_drawn[: len(instances)].sum()))


def _fitting(rows: list[Any], n_scores: int) -> list[Any]:
    """Return as many of the rows as one request holds, one at least: wide ones are few."""
    if not rows:
        return rows
    n_rows = max(1, _MOST_CELLS // max(len(rows[0]), n_scores))
    sizes = np.cumsum([len(json.dumps(row)) + _SCORE_BYTES * n_scores for row in rows[:n_rows]])
    return rows[: max(1, int(np.searchsorted(sizes, _MOST_BYTES, side="right")))]


def _chosen(estimator: Any, inputs: ModelInputs, graph: bytes) -> tuple[Any, int]:  # an estimator, rows
    """Return rows of which the first are some of ``inputs``, and how many those are."""
    rows = inputs.rows
    n_threshold_rows = min(3 * _N_THRESHOLDS, max(0, N_ROWS - _N_NEAR_TIES))
    beside = rows_at_thresholds(graph, inputs, n_threshold_rows)
    n_own = min(len(rows), N_ROWS - (0 if beside is None else len(beside)))
    indices = dict.fromkeys(_near_ties(estimator, rows)[:n_own])
    for index in _spread(len(rows), min(len(rows), N_ROWS)):
        if len(indices) < n_own:
            indices[index] = None
    own = taken(rows, sorted(indices))
    return (own if beside is None else _joined(own, beside)), own.shape[0]


def _with_other_categories(estimator: Any, rows: Any) -> tuple[Any, int]:  # an estimator, rows
    """Return rows of which the last have a missing or an unknown category each, and how many; not where none may."""
    if not is_frame(rows):
        return rows, 0
    n_changed = 0
    columns = [at for at in range(rows.shape[1]) if hasattr(rows.iloc[:, at], "cat")][: len(rows) // 4]
    for with_unknown, end in ((False, len(rows)), (True, len(rows) - len(columns))):
        changed = rows.copy()
        for at, row in zip(columns, range(end - len(columns), end), strict=True):
            changed.isetitem(at, _with_category(rows.iloc[:, at], row, with_unknown=with_unknown))
        try:
            estimator.predict(changed)
        except Exception as error:  # noqa: BLE001  # libraries raise whatever they like
            _LOG.debug("no parity rows with other categories: %s", error)
            continue
        rows, n_changed = changed, len(rows) - end + len(columns)
    return rows, n_changed


def _with_category(column: Any, row: int, *, with_unknown: bool) -> Any:  # a Series
    categories = column.cat.categories
    changed = column.copy()
    if with_unknown:
        unknown = "unknown category" if categories.dtype.kind not in _NUMBER_KINDS else categories.max() + 1
        changed = column.cat.add_categories([unknown])
    changed.iloc[row] = unknown if with_unknown else None
    return changed


def _near_ties(estimator: Any, rows: Any) -> list[int]:  # an estimator, rows
    """Return the indices of rows whose two best scores are nearest to each other, the nearest first."""
    if not predicts_classes(estimator):
        return []
    candidates = _spread(len(rows), min(len(rows), _N_CANDIDATES))
    scores = _predictions_of(estimator, taken(rows, candidates))
    scores.sort(axis=1)
    if scores.shape[1] == 1:
        return []
    order = (scores[:, -1] - scores[:, -2]).argsort(kind="stable")[:_N_NEAR_TIES]
    return [candidates[index] for index in order]


def _labels(outer: Any, known: Any, rows: Any, classes: Sequence[str] | None) -> list[str] | None:
    """Return the names of the classes that the library predicts; ``known`` are these classes as it has them."""
    if classes is None or known is None or not predicts_classes(outer):
        return None
    position = {label: index for index, label in enumerate(list(getattr(known, "tolist", lambda: known)()))}
    position |= {str(label): index for label, index in position.items()}  # CatBoost has booleans as texts
    predicted = np.asarray(library_answer(outer.predict, rows)).ravel().tolist()
    unknown = next((label for label in predicted if label not in position), None)
    if unknown is not None:
        detail = (
            f"{type(outer).__name__}.predict returns {unknown!r}, which is none of its classes {list(known)[:10]}: "
            "with an objective or a method of its own it returns something else; fit it with one of the library's own"
        )
        raise CannotConvert("cannot_convert", detail)
    return [classes[position[label]] for label in predicted]


def _joined(rows: Any, others: Any) -> Any:  # two DataFrames or two matrices of numbers
    if is_frame(rows):
        import pandas as pd  # an extra

        return pd.concat([rows, others], ignore_index=True)
    dense = rows.toarray() if hasattr(rows, "toarray") else rows
    return np.concatenate([np.asarray(dense, others.dtype), others])


def _spread(n_rows: int, n_taken: int) -> list[int]:
    return [index * n_rows // n_taken for index in range(n_taken)]


_NUMBER_KINDS = "fiub"


def _before_trees(estimator: Any, rows: Any) -> Any:  # an estimator, rows
    """Return rows as the last step of a pipeline gets them."""
    while getattr(estimator, "steps", None):
        if len(estimator.steps) > 1:
            rows = estimator[:-1].transform(rows)
        estimator = estimator.steps[-1][1]
    return rows


def _predictions_of(estimator: Any, rows: Any) -> Any:  # an estimator, rows
    """Return scores or values in float64, shape (n_rows, n_outputs)."""
    if votes_hard(estimator):
        from .voting import vote_shares  # imports an extra

        return library_answer(lambda each: vote_shares(final_step(estimator), _before_trees(estimator, each)), rows)
    if predicts_labels_alone(estimator):
        return np.asarray(library_answer(estimator.predict, rows)[:, None] == estimator.classes_, np.float64)
    predict = estimator.predict_proba if hasattr(estimator, "predict_proba") else estimator.predict
    scores = library_answer(predict, rows)
    return np.asarray(scores, np.float64).reshape(rows.shape[0], -1)  # it may be sparse


def _rows_with_other_predictions(estimator: Any, graph: bytes, rows: Any, predictions: Any) -> Any:
    """Return which rows, shape (n_rows,), single precision sends to leaves that predict otherwise.

    A graph that takes its rows in double precision rounds none of them. The bounds are those that the service compares
    with.
    """
    if any(each.type.tensor_type.elem_type == TensorProto.DOUBLE for each in load_from_string(graph).graph.input):
        return np.zeros(len(predictions), bool)
    final = final_step(estimator)
    rounded = _predictions_of(final, _before_trees(estimator, _changed(rows, nearest_float32)))
    return ~np.isclose(rounded, predictions, rtol=1e-5, atol=1e-4).all(axis=1)


def _survives(numbers: Any) -> bool:  # numpy's array types
    return bool(np.array_equal(nearest_float32(numbers), np.asarray(numbers, np.float64), equal_nan=True))


def _changed(rows: Any, change: Any) -> Any:  # rows, a function of numbers
    if not is_frame(rows):
        dense = rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)
        # Scalers calculate in the precision of their rows.
        return change(dense.astype(np.float64)).astype(np.float32 if dense.dtype == np.float32 else np.float64)
    changed = rows.copy()
    for position in range(rows.shape[1]):
        numbers = _numbers(rows.iloc[:, position])
        kind = getattr(rows.dtypes.iloc[position], "kind", "O")
        # Integers and booleans keep their type where that is exact: encoders distinguish types.
        is_single = rows.dtypes.iloc[position] == np.float32
        if numbers is not None and not is_single and (kind == "f" or not _survives(numbers)):
            changed.isetitem(position, change(numbers))
    return changed


def _numbers(column: Any) -> Any:  # a Series; None where it has texts
    if getattr(column.dtype, "kind", "O") in _NUMBER_KINDS:
        return column.to_numpy(np.float64, na_value=np.nan)
    try:
        return column.to_numpy(np.float64)
    except (TypeError, ValueError):
        return None
