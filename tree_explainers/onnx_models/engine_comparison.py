"""Which engine finds the leaves of many rows: the walker, where it has been seen to agree with onnxruntime.

The rows are made to be hard: each feature's values are thresholds of the trees, and the numbers next to them.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..errors import RowRefused
from ..rows import Rows
from .description import Engine, ModelColumn, ModelDescription, column_types
from .session import ModelSession, Outcome
from .walked_session import WalkedSession

_MOST_ROWS, _ROWS_TOGETHER, _MOST_SECONDS = 4_096, 256, 2.0
_MISSING, _SPECIAL = 0.05, 0.05
_Draw = Callable[..., NDArray[Any]]  # returns some values of a feature


def compare_engines(session: WalkedSession, ensemble: TreeEnsemble, given: Rows | None = None) -> Engine:
    """Return the engine for a model: the walker, if it agrees with onnxruntime on all rows that were tried.

    Parameters
    ----------
    session
        Of the model, with its walker.
    ensemble
        Its trees, as they are kept.
    given
        Rows of the caller's own, which are tried as well.
    """
    rng, started, has_tail = np.random.default_rng(0), time.monotonic(), session.has_tail
    hard_rows, n_compared = HardRows.of(session.description, ensemble), 0
    for has_missing in (True, False):  # some models refuse what is missing
        try:
            for rows in [given] if given is not None and has_missing else []:
                if (difference := _difference(session, rows)) is not None:
                    return _refused(difference)
                has_tail, n_compared = has_tail and _tail_agrees(session, rows), n_compared + len(rows)
            for _ in range(_MOST_ROWS // _ROWS_TOGETHER):
                rows = hard_rows.draw(_ROWS_TOGETHER, rng, has_missing=has_missing)
                if (difference := _difference(session, rows)) is not None:
                    return _refused(difference)
                has_tail, n_compared = has_tail and _tail_agrees(session, rows), n_compared + len(rows)
                if time.monotonic() - started > _MOST_SECONDS:
                    break
        except RowRefused:
            continue
        break
    if n_compared:
        return Engine("walker", None, has_tail=has_tail)
    return _refused("the model refuses the rows that were made to compare them")


def _refused(reason: str) -> Engine:
    return Engine("onnxruntime", f"Leaves of many rows are left to onnxruntime: {reason}.")


def _difference(session: WalkedSession, rows: Rows) -> str | None:
    """Return where the walker and onnxruntime differ, if they do."""
    expected = ModelSession.run(session, session.encode(rows))
    codes = np.zeros(expected.leaves.T.shape, np.uint32)
    outcome = session.fill(codes, [rows])
    answered = session.predict(rows)
    if (expected.leaves != codes.T).any():
        return f"the walker found {int((expected.leaves != codes.T).sum()):,} other leaves in {len(rows):,} rows"
    if any(not _same(each, expected) for each in (outcome, answered)):
        return "the sums of leaf values are not the model's scores to the last digit, or not its labels"
    return None


def _tail_agrees(session: WalkedSession, rows: Rows) -> bool:
    """Whether the tail of the graph makes the same of the walker's sums as the graph makes of the rows."""
    expected = ModelSession.run(session, session.encode(rows))
    try:
        return _same(session.predict_by_tail(rows), expected)
    except RowRefused:
        return False


def _same(outcome: Any, expected: Outcome) -> bool:  # predictions
    same_scores = outcome.scores.dtype == expected.scores.dtype and np.array_equal(outcome.scores, expected.scores)
    same_labels = outcome.labels is expected.labels or bool((outcome.labels == expected.labels).all())
    return same_scores and same_labels


@dataclass(frozen=True, slots=True)
class HardRows:
    """Draws rows at the thresholds of all features: on them, next to them, zero of both signs, huge or missing.

    Huge are infinities, too, where the model takes them.
    """

    names: tuple[str, ...]
    draws: tuple[_Draw, ...]  # of each feature

    @classmethod
    def of(cls, description: ModelDescription, ensemble: TreeEnsemble) -> "HardRows":
        """Look up what each feature's values can be."""
        by_feature: dict[int | None, list[ModelColumn]] = {}
        for column in description.columns:
            by_feature.setdefault(column.raw_index, []).append(column)
        thresholds = raw_thresholds(description, ensemble)
        infinities = () if description.finite_only else (np.inf, -np.inf)
        draws: list[_Draw] = []
        for index, kind in enumerate(column_types(description.inputs)):
            columns = by_feature.get(index, [])
            if kind == "string":
                draws.append(partial(_texts, columns))
            elif index in description.known_numbers:
                draws.append(partial(_known_numbers, description.known_numbers[index]))
            else:
                draws.append(partial(_numbers, thresholds.get(index, np.zeros(1)), kind, infinities))
        return cls(description.feature_names, tuple(draws))

    def draw(self, n: int, rng: np.random.Generator, *, has_missing: bool) -> Rows:
        """Return ``n`` rows."""
        return Rows(self.names, tuple(draw(n, rng, has_missing=has_missing) for draw in self.draws))


def raw_thresholds(description: ModelDescription, ensemble: TreeEnsemble) -> dict[int, NDArray[np.float64]]:
    """Return finite numbers at which trees or encoders distinguish values of a raw feature, by its index."""
    is_test = (ensemble.operator != Operator.LEAF) & (ensemble.operator != Operator.MEMBER)
    is_test &= np.isfinite(ensemble.threshold)
    nodes = np.flatnonzero(is_test)
    nodes = nodes[np.argsort(ensemble.column[nodes], kind="stable")]
    thresholds: dict[int, list[NDArray[np.float64]]] = {}
    starts = np.flatnonzero(np.diff(ensemble.column[nodes], prepend=-1))
    for of_column in np.split(nodes, starts[1:]) if len(nodes) else []:
        column = description.columns[int(ensemble.column[of_column[0]])]
        if column.raw_index is not None:
            thresholds.setdefault(column.raw_index, []).append(
                (ensemble.threshold[of_column] - column.offset) / (column.scale or 1.0)
            )
    for tensor in description.columns:
        numbers = [each for each in (tensor.category, *tensor.categories) if isinstance(each, (int, float))]
        if tensor.raw_index is not None and numbers:
            thresholds.setdefault(tensor.raw_index, []).append(np.array(numbers, np.float64))
    return {index: np.concatenate(parts) for index, parts in thresholds.items()}


def _numbers(
    thresholds: NDArray[np.float64],
    kind: str,
    infinities: Sequence[float],
    n: int,
    rng: np.random.Generator,
    *,
    has_missing: bool,
) -> NDArray[np.float64]:
    dtype: Any = np.float64 if kind == "double" else np.float32
    largest = float(np.finfo(dtype).max)
    chosen = rng.choice(thresholds, n)
    if kind == "bool":
        return rng.integers(0, 2, n).astype(np.float64)
    if kind in {"int64", "int32"}:
        return np.clip(np.round(chosen) + rng.integers(-1, 2, n), -(2**24), 2**24)
    with np.errstate(over="ignore"):
        values = chosen.astype(dtype)
    towards = rng.choice([-np.inf, np.inf], n).astype(dtype)
    values = np.where(rng.random(n) < 2 / 3, np.nextafter(values, towards), values)  # as often below
    values = np.where(np.abs(values) <= largest, values, dtype(largest))
    special = np.array([0.0, -0.0, largest, -largest, 0.5, -1.5, *infinities], dtype)
    values = np.where(rng.random(n) < _SPECIAL, rng.choice(special, n), values)
    if has_missing:
        values = np.where(rng.random(n) < _MISSING, dtype(np.nan), values)
    return values.astype(np.float64)


def _known_numbers(
    known: NDArray[np.float64],
    n: int,
    rng: np.random.Generator,
    *,
    has_missing: bool,  # a missing value may be refused, as any other is
) -> NDArray[np.float64]:
    return rng.choice(known, n)


def _texts(columns: Sequence[ModelColumn], n: int, rng: np.random.Generator, *, has_missing: bool) -> NDArray[Any]:
    known = {each for column in columns for each in (column.category, *column.categories) if isinstance(each, str)}
    values = [*sorted(known), *([None] if has_missing or not known else [])]
    texts = np.empty(n, np.object_)
    texts[:] = [values[at] for at in rng.integers(0, len(values), n)]
    return texts
