"""Choose the leaves of a prototype set, and what its trees weigh, where the request leaves that open.

``auto`` tries coarser and coarser leaves on some of the rows, until the prototypes are near enough to nearly all rows,
and some more beyond; of boosting each with two weightings of the trees. ``leaf_choice`` decides by what the nearest
prototypes predict.
"""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.prototype_sets import LeafChoice, LeafStep, PrototypeSetRequest
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.compute.threads import one_ahead
from tree_explainers.leaf_space.coarser_leaves import CoarserLeaves, coarser_leaves, steps_of_min_leaf_rows
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.prototype_sets.classifier import nearest_by_size, nearest_in_columns
from tree_explainers.prototype_sets.goal import Method
from tree_explainers.prototype_sets.leaf_choice import (
    PrototypeErrors,
    TriedStep,
    choose_step,
    n_tried_candidates,
    n_tried_rows,
)
from tree_explainers.prototype_sets.quotas import PerClass
from tree_explainers.prototype_sets.row_coverage import MinimumProximity, near_rows
from tree_explainers.prototype_sets.selection import sample_candidates, select_prototypes
from tree_explainers.prototype_sets.widening_columns import WideningColumns

from .inputs import OpenModel, ScoredDataset
from .prototype_set_evaluation import SUFFICIENT_COVERAGE
from .spaces import proximity_kind

_STEPS_BEYOND = 100  # times the leaves that are large enough
_OF_BOOSTING: tuple[ProximityKind, ...] = ("boosting", "boosting_sd")
_BY_GAIN: tuple[Method, ...] = ("sm_a", "sm_wa")
_TRIED_METHODS: tuple[Method, ...] = ("sm_a", "sm_wa", "sm_u", "k_medoids")  # others select as sm_a does meanwhile


@dataclass(frozen=True, slots=True)
class ChosenLeaves:
    """The leaves and weights of trees that are taken, and all that were tried."""

    min_leaf_rows: int
    kind: ProximityKind
    steps: list[LeafStep]
    choice: LeafChoice


class _Trial(NamedTuple):
    """The rows on which leaves are tried, and what is chosen from them."""

    model: OpenModel
    reference: LeafTable  # uncut leaves of all rows
    table: LeafTable  # of those on which leaves are tried
    classes: NDArray[np.int64]  # (n_rows,) of these
    values: NDArray[np.float64] | None  # (n_rows,) what a regression predicts
    candidates: NDArray[np.int64]
    agrees: NDArray[np.bool_] | None
    method: Method
    n_prototypes: int
    per_class: PerClass | NDArray[np.int64]
    kinds: tuple[ProximityKind, ...]  # the model's own first
    columns: WideningColumns | None  # of the candidates; None: too large, or trees count differently


class _Step(NamedTuple):
    tried: TriedStep
    min_leaf_rows: int
    kind: ProximityKind
    n_trees_used: int


def choose_leaves(
    request: PrototypeSetRequest,
    model: OpenModel,
    dataset: ScoredDataset,
    rows: tuple[NDArray[np.int64], NDArray[np.bool_] | None],
    n_prototypes: int,
    report: ReportProgress,
) -> ChosenLeaves:
    """Return the leaves, and weights of trees, by which rows are compared with their prototypes.

    Parameters
    ----------
    request
        Whose ``min_leaf_rows`` is ``auto``.
    model, dataset
        The model, and the rows with the trees' own leaves.
    rows : (n_rows,), (n_rows,)
        The class of each row, all 0 of a regression, and whether it is what the model predicts, where that is known.
    n_prototypes
        How many prototypes there will be, or by how many leaves are tried where that is still to be found.
    report
        Progress.
    """
    trial = _trial(request, model, dataset, rows, n_prototypes)
    steps = list(_try_steps(trial, lambda fraction, _: report(fraction, "choosing leaves")))
    choice = choose_step([step.tried for step in steps], ceil(SUFFICIENT_COVERAGE * trial.table.n_rows))
    taken, by_coverage = steps[choice.chosen], steps[choice.by_coverage]
    views = [
        LeafStep(
            min_leaf_rows=step.min_leaf_rows,
            proximity_kind=step.kind,
            n_trees_used=step.n_trees_used,
            coverage=step.tried.n_near / trial.table.n_rows,
            score=step.tried.errors.score,
            gain=gain.value,
            standard_error=gain.standard_error,
        )
        for step, gain in zip(steps, choice.gains, strict=True)
    ]
    view = LeafChoice(
        decided_by="coverage" if taken is by_coverage else "score",
        measure="agreement" if trial.values is None else "r2",
        n_rows=trial.table.n_rows,
        min_leaf_rows_by_coverage=by_coverage.min_leaf_rows,
    )
    return ChosenLeaves(taken.min_leaf_rows, taken.kind, views, view)


def _trial(
    request: PrototypeSetRequest,
    model: OpenModel,
    dataset: ScoredDataset,
    rows: tuple[NDArray[np.int64], NDArray[np.bool_] | None],
    n_prototypes: int,
) -> _Trial:
    rng = np.random.default_rng([request.seed, dataset.n_rows])
    n_rows = n_tried_rows(dataset.n_rows, dataset.table.n_trees)
    chosen = np.arange(dataset.n_rows)
    if n_rows < dataset.n_rows:
        chosen = np.sort(rng.choice(dataset.n_rows, n_rows, replace=False))
    classes, agrees = rows[0][chosen], None if rows[1] is None else rows[1][chosen]
    n_prototypes = min(n_prototypes, n_rows)
    n_candidates = n_tried_candidates(n_rows, dataset.table.n_trees, n_prototypes)
    n_candidates = max(min(n_candidates, request.n_candidates or n_candidates), len(np.unique(classes)))
    table, candidates = (
        _among(dataset.table, chosen, model.ensemble.n_leaves),
        sample_candidates(classes, n_candidates, rng),
    )
    kinds = _OF_BOOSTING if request.proximity_kind == "auto" else (proximity_kind(request.proximity_kind),)
    return _Trial(
        model,
        dataset.table,
        table,
        classes,
        dataset.scores[chosen, 0].astype(np.float64) if dataset.labels is None else None,
        candidates,
        agrees,
        request.method if request.method in _TRIED_METHODS else "sm_a",
        min(n_prototypes, n_candidates),
        per_class_of(request, model) if request.method in _BY_GAIN else "by_gain",
        kinds,
        WideningColumns.of(table, candidates) if kinds == ("random_forest",) else None,
    )


def per_class_of(request: PrototypeSetRequest, model: OpenModel) -> PerClass | NDArray[np.int64]:
    """Return how many prototypes there are of each class or outcome, (n_classes,), or by which rule."""
    if request.n_per_outcome is None:
        return request.per_outcome
    counts = {count.outcome: count.n_prototypes for count in request.n_per_outcome}
    return np.array([counts.get(name, 0) for name in model.view.classes], np.int64)


def _among(table: LeafTable, rows: NDArray[np.int64], n_leaves: NDArray[np.integer[Any]]) -> LeafTable:
    """Return the table of some rows, whose leaves keep their numbers."""
    if len(rows) == table.n_rows and not isinstance(table, PartitionedTable):
        return table
    return LeafTable.from_leaves(table.leaves_of(rows), n_leaves)


def _try_steps(trial: _Trial, report: ReportProgress) -> Iterator[_Step]:
    """Yield one step after the other, and stop where leaves are much larger than coverage needs or no tree is left."""

    def cut(min_leaf_rows: int) -> tuple[CoarserLeaves, LeafTable]:
        leaves = coarser_leaves(trial.model.ensemble, trial.reference, min_leaf_rows)
        return leaves, trial.table if trial.columns is not None else leaves.table(trial.table)

    last = trial.reference.n_rows
    with closing(one_ahead(cut, steps_of_min_leaf_rows(trial.reference.n_rows))) as cuts:
        for number, (leaves, table) in enumerate(cuts):
            if leaves.min_leaf_rows > last or (leaves.min_leaf_rows > 1 and leaves.n_leaves.max() == 1):
                return
            # How many steps there will be is not known: each counts half of what is left.
            part = part_of(report, 1 - 0.5**number, 1 - 0.5 ** (number + 1))
            for kind in trial.kinds:
                step = _try_step(trial, table, leaves, kind, part)
                yield step
                if step.tried.is_own_kind and step.tried.n_near >= SUFFICIENT_COVERAGE * table.n_rows:
                    last = min(last, _STEPS_BEYOND * leaves.min_leaf_rows)


def _try_step(
    trial: _Trial, table: LeafTable, leaves: CoarserLeaves, kind: ProximityKind, report: ReportProgress
) -> _Step:
    weights = leaves.weights(kind, trial.table, trial.model.ensemble.leaf_values)
    tick = partial(report, 0, "choosing prototypes")
    widening = trial.columns
    columns = None if widening is None else widening.widen(leaves.codes, leaves.n_leaves, weights, tick)
    prototypes = select_prototypes(
        table, trial.classes, weights, trial.method,
        n_prototypes=trial.n_prototypes, candidates=trial.candidates, agrees=trial.agrees,
        per_class=trial.per_class, columns=columns, report=report,
    ).rows  # fmt: skip
    if columns is None:
        prototype_leaves = table.leaves_of(prototypes)
        *_, nearest = nearest_by_size(table, weights, prototype_leaves)
        is_near = near_rows(table, weights, prototype_leaves)
    else:
        *_, nearest = nearest_in_columns(columns.of_rows(prototypes), table.n_rows)
        is_near = MinimumProximity.of(weights).is_reached_by_trees(columns.largest(prototypes))
    errors = (
        PrototypeErrors.of_classes(nearest, prototypes, trial.classes)
        if trial.values is None
        else PrototypeErrors.of_values(nearest, prototypes, trial.values)
    )
    return _Step(
        TriedStep(int(is_near.sum()), errors, is_own_kind=kind == trial.kinds[0]),
        leaves.min_leaf_rows,
        kind,
        int((weights > 0).sum()),
    )
