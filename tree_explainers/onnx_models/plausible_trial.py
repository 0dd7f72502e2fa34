"""try_plausible_rows: what only running a model shows of it, at rows about its thresholds.

Whether scores are probabilities, whether labels are those of the highest scores, and whether a graph that was exported
for a fixed number of rows predicts any number of them the same.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ModelRefused, RowRefused
from ..rows import Rows
from .checking import quoted
from .description import ModelDescription
from .encoding import Feeds
from .ensemble_shares import check_shares, refuse_unmeasured
from .fixed_batch import FixedRows
from .label_index import within_rounding
from .plausible_rows import plausible_rows
from .reading import ReadModel
from .row_independence import check_independence
from .runtime_differences import runtime_warnings
from .session import ModelSession, Outcome, open_graph, runtime_errors

_SEED, _N_ROWS, _MOST_CALLS = 0, 512, 64
_ROUNDED_BEYOND = 1e-4  # a probability is no further beyond 0 or 1
_ABSOLUTE, _RELATIVE = 1e-5, 1e-4  # between scores of the same graph for other numbers of rows


@dataclass(frozen=True, slots=True)
class DerivedModel:
    """A model that was read, and the session in which it was tried."""

    read: ReadModel
    session: ModelSession


def try_plausible_rows(model: DerivedModel) -> DerivedModel:
    """Return the model with what its predictions for rows about its thresholds show.

    Raises
    ------
    ModelRefused
        ``validation_failed`` where a label is none of the classes, or where labels are in another order than scores;
        ``model_invalid_graph`` where a row's prediction depends on other rows, or where a graph for a fixed number of
        rows predicts others when it is given more of them; ``model_not_a_tree_ensemble`` where less than three quarters
        of what decides go through trees.
    """
    read, session, trial = model.read, model.session, model.read.for_trial
    rows = plausible_rows(read.description, read.ensemble, _N_ROWS, np.random.default_rng(_SEED))
    try:
        feeds = session.encode(rows)
        outcome = session.run(feeds)
    except RowRefused:  # some models refuse combinations of values: nothing is shown
        if trial.of_ensembles is not None:
            refuse_unmeasured(trial.of_ensembles)
        return model
    is_out_of_order = trial.as_sent is not None and trial.as_sent.is_out_of_order
    if trial.of_fixed_rows is not None and not is_out_of_order:
        check_fixed_rows(session, trial.of_fixed_rows, rows)
    check_independence(session, rows, outcome)
    check_order_of_classes(read.description, outcome)
    of_ensembles = trial.of_ensembles
    shares = () if of_ensembles is None else check_shares(of_ensembles, feeds, read.description.ensemble)
    differences = () if trial.as_sent is None else runtime_warnings(trial.as_sent, read.description, feeds, outcome)
    is_beyond = bool((outcome.scores < -_ROUNDED_BEYOND).any() or (outcome.scores > 1 + _ROUNDED_BEYOND).any())
    changed = replace(
        read.description,
        score_kind="raw" if read.description.score_kind == "probability" and is_beyond else read.description.score_kind,
        warnings=shares + differences + read.description.warnings,
        labels_are_highest=labels_are_highest(read.description, outcome),
    )
    if changed == read.description:
        return model
    return DerivedModel(replace(read, description=changed), ModelSession(read.leaf_graph, changed))


def labels_are_highest(description: ModelDescription, outcome: Outcome) -> bool:
    """Return whether the label of each row is that of its highest score, as far as rounding lets one say so."""
    if outcome.labels is None or description.label_output is None:
        return True
    if not description.labels_are_highest:
        return False
    differs = outcome.labels != outcome.scores.argmax(axis=1)
    return not (differs & ~within_rounding(outcome.scores, max(description.rounding, _ABSOLUTE))).any()


def check_order_of_classes(description: ModelDescription, outcome: Outcome) -> None:
    """Refuse labels of which each goes with the highest score of one other class: then scores are read in their stead.

    Raises
    ------
    ModelRefused
        ``validation_failed``.
    """
    if outcome.labels is None or description.label_output is None:
        return
    is_sure = ~within_rounding(outcome.scores, max(description.rounding, _ABSOLUTE))
    pairs = np.unique(np.stack([outcome.scores.argmax(axis=1)[is_sure], outcome.labels[is_sure]]), axis=1)
    is_one_to_one = all(len(np.unique(side)) == pairs.shape[1] for side in pairs)
    if pairs.shape[1] > 1 and is_one_to_one and (pairs[0] != pairs[1]).any():
        score, label = (description.classes[index] for index in pairs[:, (pairs[0] != pairs[1]).argmax()])
        detail = (
            f"The labels are in another order than the scores: in all rows tried where the score of {quoted(score)} is "
            f"the highest, the label is {quoted(label)}. Write the scores in the order of the classes, or give "
            "`classes` in the order of the scores (a single score is that of the second class)."
        )
        raise ModelRefused("validation_failed", detail)


def check_fixed_rows(session: ModelSession, fixed: FixedRows, rows: Rows) -> None:
    """Refuse a graph whose predictions for some rows are others than the graph as it came makes of them."""
    names = session.prediction_names
    original = open_graph(fixed.with_outputs(names))
    n_rows = min(len(rows) // fixed.n_rows, _MOST_CALLS) * fixed.n_rows
    feeds = session.encode(rows.take(slice(0, n_rows)))
    freed = session.outputs(names, feeds)
    parts = [_run(original, names, feeds, slice(at, at + fixed.n_rows)) for at in range(0, n_rows, fixed.n_rows)]
    for index, values in enumerate(freed):
        expected = np.concatenate([part[index].reshape(fixed.n_rows, -1) for part in parts])
        if not _same(values.reshape(n_rows, -1), expected):
            raise _of_fixed_rows(fixed.n_rows)


def _run(session: Any, names: list[str], feeds: Feeds, rows: slice) -> list[NDArray[Any]]:  # untyped
    try:
        outputs: list[NDArray[Any]] = session.run(names, {name: values[rows] for name, values in feeds.items()})
    except runtime_errors() as error:
        raise _of_fixed_rows(rows.stop - rows.start) from error
    return outputs


def _same(ours: NDArray[Any], theirs: NDArray[Any]) -> bool:
    if ours.dtype.kind != "f":
        return bool((ours == theirs).all())
    return ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=_RELATIVE, atol=_ABSOLUTE)


def _of_fixed_rows(n_rows: int) -> ModelRefused:
    detail = (
        f"The graph is for {n_rows:,} {'row' if n_rows == 1 else 'rows'} at a time, and predicts others when it is "
        "given more: sizes inside it are fixed. Export it for any number of rows."
    )
    return ModelRefused("model_invalid_graph", detail)
