"""rows_to_try, try_oracle: whether a model can be used as an oracle, whose predictions alone are used.

Nothing is known of its operators but that they are on a list. So it is run, in the confined process that reads uploads:
how much processor time 1,000 rows take, whether a row's prediction depends on the rows beside it, and whether its
scores are probabilities.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelRefused, RowRefused
from ..rows import Rows
from .description import InputType, ModelDescription, ModelLimits, column_types
from .row_independence import check_independence
from .session import MOST_ROWS_TRIED, ModelSession, Outcome

_SEED = 0
_FIRST_ROWS = (1, 10, 100)  # tried before all of them, so that a slow model is refused early
_PATIENCE = 4  # times the limit that fewer rows may promise to take: opening buffers counts there, too
_LEAST_SECONDS, _MOST_RUNS = 0.1, 50
_TOLERANCE = 1e-4  # of a score
_SUM_TOLERANCE = 1e-3  # of the sum of a row's probabilities


@dataclass(frozen=True, slots=True)
class TriedOracle:
    """What a trial showed."""

    seconds: float  # of processor time per 1,000 rows
    are_probabilities: bool  # no score spoke against it
    outcome: Outcome  # of the rows tried


def rows_to_try(session: ModelSession, example_texts: Sequence[str | None], limits: ModelLimits) -> Rows:
    """Return 1,000 rows that the model takes, to be tried with: the first of several kinds.

    Only the first hundred are predicted here: what that takes shows whether all of them may be.

    Parameters
    ----------
    session
        The open model.
    example_texts : (n_features,)
        A category that the model knows, of each feature of texts; ``None`` where it knows none.
    limits
        How long 1,000 rows may take.

    Raises
    ------
    ModelRefused
        ``model_too_slow``; ``model_invalid_graph`` where it refuses every row that it is tried with.
    """
    refusal: RowRefused | None = None
    for rows in _tried_rows(session.description, example_texts):
        try:
            _refuse_slow_start(session, rows, limits)
        except RowRefused as error:
            refusal = error
        else:
            return rows
    detail = (
        "the model refuses every row that it is tried with: numbers about 0, numbers from 0 to 1, zeros; categories "
        f"that its encoders know. {'' if refusal is None else refusal.detail}"
    )
    raise ModelRefused("model_invalid_graph", detail)


def try_oracle(session: ModelSession, rows: Rows, limits: ModelLimits) -> TriedOracle:
    """Return what running the model on the rows shows: its speed, and what its scores can be.

    Raises
    ------
    ModelRefused
        ``model_too_slow`` where 1,000 rows take more processor time than ``limits`` allow; ``model_invalid_graph``
        where a row's prediction depends on other rows.
    """
    # as many runs as it takes to measure by a clock that may tick every hundredth of a second
    taken: list[float] = []
    while sum(taken) < _LEAST_SECONDS and len(taken) < _MOST_RUNS:
        taken.append(_seconds(session, rows))
    seconds, limit = sum(taken) / len(taken), _limit(limits)
    if seconds > limit:
        raise _too_slow(seconds, limit)
    outcome = session.run(session.encode(rows))
    check_independence(session, rows, outcome)
    return TriedOracle(seconds, outcome.labels is not None and _are_probabilities(outcome.scores), outcome)


def _tried_rows(description: ModelDescription, example_texts: Sequence[str | None]) -> Iterator[Rows]:
    """Yield 1,000 rows each: numbers as scalers make them, numbers from 0 to 1, zeros."""
    rng = np.random.default_rng(_SEED)
    shape = (MOST_ROWS_TRIED, description.n_features)
    types = column_types(description.inputs)
    for numbers in (rng.standard_normal(shape), rng.random(shape), np.zeros(shape)):
        columns = [_column(*of_column) for of_column in zip(numbers.T, types, example_texts, strict=True)]
        for index, known in description.known_numbers.items():  # others are refused
            columns[index] = rng.choice(known, MOST_ROWS_TRIED)
        yield Rows(description.feature_names, tuple(columns))


def _column(values: NDArray[np.float64], kind: InputType, text: str | None) -> NDArray[Any]:
    if kind == "string":
        return np.full(len(values), text, np.object_)
    if kind == "bool":
        return (values > 0).astype(np.float64)
    return values.round() if kind in ("int64", "int32") else values


def _refuse_slow_start(session: ModelSession, rows: Rows, limits: ModelLimits) -> None:
    """Refuse a model of which few rows take longer than many may."""
    most = _PATIENCE * _limit(limits)
    for n_rows in _FIRST_ROWS:
        few = rows.take(slice(0, n_rows))
        # A single row's time is mostly fixed cost: only what all rows together could not take is held against it.
        n_runs = 1 if n_rows == 1 else MOST_ROWS_TRIED / n_rows
        expected = n_runs * _seconds(session, few)
        if expected > most:
            # Again: something else in this process, such as its garbage collector, may have run meanwhile.
            expected = min(expected, n_runs * _seconds(session, few))
        if expected > most:
            raise _too_slow(expected, _limit(limits))


def _limit(limits: ModelLimits) -> float:
    return limits.max_oracle_milliseconds / 1_000


def _seconds(session: ModelSession, rows: Rows) -> float:
    begun = time.process_time()
    session.run(session.encode(rows))
    return time.process_time() - begun


def _too_slow(seconds: float, limit: float) -> ModelRefused:
    detail = (
        f"predicting {MOST_ROWS_TRIED:,} rows takes about {seconds:.2g} s of processor time; an oracle may take "
        f"{limit:g} s, as it labels up to millions of rows for a tree: register a smaller model"
    )
    return ModelRefused("model_too_slow", detail)


def _are_probabilities(scores: NDArray[np.floating[Any]]) -> bool:
    """Return whether all scores are from 0 to 1 and sum to 1; of two classes, one score may represent both."""
    if scores.shape[1] == 2 and (scores[:, 0] == -scores[:, 1]).all():  # one for both, see the session
        return bool(((scores[:, 1] >= 0) & (scores[:, 1] <= 1)).all() and (scores[:, 1] > 0).any())
    in_range = (scores >= -_TOLERANCE) & (scores <= 1 + _TOLERANCE)
    return bool(in_range.all() and (np.abs(scores.sum(axis=1) - 1) <= _SUM_TOLERANCE).all())
