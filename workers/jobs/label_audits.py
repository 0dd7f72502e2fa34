"""Make a label audit: rows ranked by how far the rows that are like them disagree with their label."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from leafspace_drawings.words import tenths
from numpy.typing import NDArray

from schemas.cautions import Caution
from schemas.label_audits import (
    DEFAULT_NEIGHBORS,
    MOST_ROWS_OF_NEIGHBORS,
    N_ROWS_SHOWN,
    AuditedClass,
    AuditedRow,
    AuditLeafStep,
    LabelAuditRequest,
    LabelAuditResult,
)
from storage.array_files import write_arrays
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.label_audits import LabelAudit, audit_by_all_rows, audit_by_neighbors, share_unopposed
from tree_explainers.leaf_space.coarser_leaves import coarser_leaves, steps_of_min_leaf_rows
from tree_explainers.leaf_space.votes import Votes, votes_of_all_rows

from ..runtime.context import JobContext, Produced
from .cautions import Consequence, caution_of_memory, known_cautions
from .inputs import row_names
from .label_estimates import LabelEstimate, estimate_labels
from .row_targets import classes_of_rows, known_targets
from .spaces import SPACE_LOADED, LeafSpace, load_leaf_space

SCHEMA = pa.schema(
    [
        ("rank", pa.int64()),
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("label", pa.string()),
        ("agreement", pa.float64()),
        ("score", pa.float64()),
        ("support", pa.float64()),
        ("n_neighbors", pa.int32()),
        ("disagreeing_proximity", pa.float64()),
        ("suggested_label", pa.string()),
        ("predicted_label", pa.string()),
        ("wrong_probability", pa.float64()),
    ]
)
_GROUP_LINES, _GROUP_NAME_BYTES = 65_536, 64 << 20
_MOST_UNOPPOSED = 0.1  # share of rows that an audit cannot suspect, with which ``auto`` is content
_RANKING_IS_WEAKER = Consequence(
    "audited_by_training_labels",
    "where it was grown on the same rows, it may have learned the wrong labels, too, and wrong ones stand out less; "
    "a model with larger leaves, or one trained on other rows, may show more",
)

_RANKED = 0.6  # share of the progress with which rows are ranked
_MANY_OF_A_CLASS = 0.5  # share of its rows beyond which a class looks wrong as a whole


def make_label_audit(context: JobContext) -> Produced:
    """Make the artefact that a ``LabelAuditRequest`` describes."""
    request = LabelAuditRequest(**context.request)
    space = load_leaf_space(context, request)
    names, rows = row_names(context.objects, space.dataset.stored), np.arange(space.dataset.n_rows)
    truth, labelled = known_targets(context.objects, space.model, space.dataset)
    if labelled is not None:  # examples of several tables; the others are neither audited nor anybody's neighbours
        space, names, rows = replace(space, dataset=space.dataset.take(labelled)), names.take(labelled), labelled
    if truth is None or truth.classes is None:  # which is refused
        labels = classes_of_rows(context.objects, space.model, space.dataset, "target")
    else:
        labels = truth.classes
    steps: list[AuditLeafStep] = []
    votes = None
    if request.min_leaf_rows == "auto":
        space, steps, votes = _with_opposed_rows(space, labels, part_of(context.report, SPACE_LOADED, SPACE_LOADED))
    n_neighbors = _number_of_neighbors(request, space)
    audit = _audit(request, space, labels, (n_neighbors, votes), part_of(context.report, SPACE_LOADED, _RANKED))
    report = part_of(context.report, _RANKED, 1)
    estimate = estimate_labels(context, space.dataset, labels, rows, audit.ranking, report)
    suggested = audit.suggested.copy()
    if estimate is not None:
        suggested[audit.ranking[estimate.wrong.number :]] = -1
    audited = _AuditedRows(audit, labels, space, names, rows, estimate, suggested)
    table = context.workspace / "audit.parquet"
    _write_table(table, audited)
    content = _content(audited, n_neighbors, steps)
    return Produced(content.model_dump_json().encode(), write_arrays(space.arrays()), files={"table": table})


@dataclass(frozen=True, slots=True)
class _AuditedRows:
    """An audit with the rows that it is about."""

    audit: LabelAudit
    labels: NDArray[np.int64]  # (n_rows,) the classes that were audited
    space: LeafSpace
    names: pa.Array  # (n_rows,) ids of rows
    numbers: NDArray[np.int64]  # (n_rows,) their 0-based indices in the dataset
    estimate: LabelEstimate | None
    suggested: NDArray[np.int64]  # (n_rows,) class that is suggested for each; -1: none


def _number_of_neighbors(request: LabelAuditRequest, space: LeafSpace) -> int | None:
    """Return how many nearest rows vote on each; ``None``: all rows do.

    All rows vote best by a forest's own leaves. Those of boosting, or coarser ones, are shared by so many rows that the
    nearest are heard over the others only where they vote alone.
    """
    n_rows = space.dataset.n_rows
    if request.method != "auto":
        return request.n_neighbors
    by_all = space.kind == "random_forest" and space.min_leaf_rows == 1
    return None if by_all or not 1 < n_rows <= MOST_ROWS_OF_NEIGHBORS else min(DEFAULT_NEIGHBORS, n_rows - 1)


def _audit(
    request: LabelAuditRequest,
    space: LeafSpace,
    labels: NDArray[np.int64],
    voters: tuple[int | None, Votes | None],
    report: ReportProgress,
) -> LabelAudit:
    n_neighbors, votes = voters
    scores = space.dataset.scores[np.arange(len(labels)), labels].astype(np.float64) if request.use_scores else None
    if n_neighbors is None:
        return audit_by_all_rows(space.dataset.table, space.weights, labels, report, votes, scores)
    return audit_by_neighbors(space.dataset.table, space.weights, labels, n_neighbors, report, scores)


def _with_opposed_rows(
    uncut: LeafSpace, labels: NDArray[np.int64], report: ReportProgress
) -> tuple[LeafSpace, list[AuditLeafStep], Votes | None]:
    """Return the space of the smallest leaves in which nearly all rows meet rows of another label, and what was tried.

    If there is none, it is the space in which most rows do. The votes there come with it if they are at hand.
    """
    table, steps = uncut.dataset.table, []
    for min_leaf_rows in steps_of_min_leaf_rows(table.n_rows):
        leaves = coarser_leaves(uncut.model.ensemble, table, min_leaf_rows)
        if min_leaf_rows > 1 and leaves.n_leaves.max() == 1:
            break
        space = LeafSpace.of(uncut.model, uncut.dataset, uncut.kind, leaves)
        votes = votes_of_all_rows(space.dataset.table, space.weights, labels, report)
        unopposed = share_unopposed(votes)
        steps.append(AuditLeafStep(min_leaf_rows=min_leaf_rows, n_trees_used=space.n_trees_used, unopposed=unopposed))
        if unopposed <= _MOST_UNOPPOSED:
            return space, steps, votes
    best = min(steps, key=lambda step: step.unopposed)
    leaves = coarser_leaves(uncut.model.ensemble, table, best.min_leaf_rows)
    return LeafSpace.of(uncut.model, uncut.dataset, uncut.kind, leaves), steps, None


def _content(audited: _AuditedRows, n_neighbors: int | None, steps: list[AuditLeafStep]) -> LabelAuditResult:
    audit, view = audited.audit, audited.space.model.view
    has_votes = ~np.isnan(audit.agreement)
    model_agreement = float(np.mean(audited.space.dataset.labels == audited.labels))
    first = _table_lines(audited, audit.ranking[:N_ROWS_SHOWN], 0)
    estimate = audited.estimate
    return LabelAuditResult(
        method="all_rows" if n_neighbors is None else "neighbors",
        use_scores=audit.scores is not None,
        proximity_kind=audited.space.kind,
        classes=view.classes,
        n_rows=len(has_votes),
        n_trees=view.n_trees,
        min_leaf_rows=audited.space.leaves.min_leaf_rows,
        n_trees_used=audited.space.n_trees_used,
        leaf_steps=steps,
        n_neighbors=n_neighbors,
        mean_agreement=float(audit.agreement[has_votes].mean()) if has_votes.any() else None,
        n_suggested=int((audited.suggested >= 0).sum()),
        estimated_wrong=None if estimate is None else estimate.wrong,
        by_class=_count_by_class(audited, audited.suggested, view.classes),
        n_without_neighbors=int((~has_votes).sum()),
        model_agreement=model_agreement,
        cautions=_cautions(audited, model_agreement, steps),
        rows=[AuditedRow(**line) for line in first.to_pylist()],
    )


def _count_by_class(audited: _AuditedRows, suggested: NDArray[np.int64], classes: list[str]) -> list[AuditedClass]:
    n_rows = np.bincount(audited.labels, minlength=len(classes)).tolist()
    n_suggested = np.bincount(audited.labels[suggested >= 0], minlength=len(classes)).tolist()
    counts = zip(classes, n_rows, n_suggested, strict=True)
    return [AuditedClass(label=label, n_rows=n, n_suggested=n_of_these) for label, n, n_of_these in counts]


def _cautions(audited: _AuditedRows, model_agreement: float, steps: list[AuditLeafStep]) -> list[Caution]:
    """Return why the ranking may be weaker than it could be, or the estimate say little; and of coarser leaves."""
    return known_cautions(
        caution_of_memory(_RANKING_IS_WEAKER, accuracy=model_agreement),
        *_cautions_of_classes(audited),
        _caution_of_coarser_leaves(steps),
        _caution_of_estimate(audited.estimate),
    )


def _cautions_of_classes(audited: _AuditedRows) -> Iterator[Caution]:
    """Yield a caution for each class most of whose rows are more like rows of other labels, be they wrong or not."""
    contradicted = _count_by_class(audited, audited.audit.suggested, audited.space.model.view.classes)
    for each in contradicted:
        if each.n_suggested > _MANY_OF_A_CLASS * each.n_rows:
            detail = (
                f"{each.n_suggested:,} of the {each.n_rows:,} rows labelled {each.label!r} are more like rows of other "
                "labels: the model does not know this class by these features, which does not make its labels wrong"
            )
            yield Caution(code="class_not_known", detail=detail)


def _caution_of_coarser_leaves(steps: list[AuditLeafStep]) -> Caution | None:
    if len(steps) <= 1:
        return None
    detail = (
        f"{tenths(steps[0].unopposed)} of the rows share leaves of the trees' own only with rows of their label, which "
        "cannot be suspected by these: coarser leaves were used"
    )
    return Caution(code="coarser_leaves", detail=detail)


def _caution_of_estimate(estimate: LabelEstimate | None) -> Caution | None:
    wrong = None if estimate is None else estimate.wrong
    if wrong is None or not wrong.low == 0 < wrong.number:
        return None
    detail = (
        f"the estimated number of wrong labels, {wrong.number:,}, is uncertain: classes overlap so much that there may "
        f"be none, or as many as {wrong.high:,}"
    )
    return Caution(code="uncertain_estimate", detail=detail)


def _write_table(path: Path, audited: _AuditedRows) -> None:
    """Write a line for each row in the order of their ranks, in row groups that readers can hold."""
    longest = max(1, pc.max(pc.binary_length(audited.names)).as_py() or 0)
    n_lines = max(1, min(_GROUP_LINES, _GROUP_NAME_BYTES // longest))
    ranking = audited.audit.ranking
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for start in range(0, len(ranking), n_lines):
            writer.write_table(_table_lines(audited, ranking[start : start + n_lines], start))


def _table_lines(audited: _AuditedRows, rows: NDArray[np.int64], n_before: int) -> pa.Table:
    """Return the lines of these rows, which follow ``n_before`` others in the ranking."""
    audit, estimate = audited.audit, audited.estimate
    predicted = audited.space.dataset.labels
    assert predicted is not None  # for the type checker: only classifiers are audited
    agreement, support = audit.agreement[rows], audit.support[rows]
    columns = [
        np.arange(n_before, n_before + len(rows)) + 1,
        audited.numbers[rows],
        audited.names.take(rows),
        _class_names(audited, audited.labels[rows]),
        pa.array(agreement, mask=np.isnan(agreement)),
        pa.nulls(len(rows)) if audit.scores is None else audit.scores[rows],
        pa.array(support, mask=np.isnan(support)),
        pa.nulls(len(rows)) if audit.n_neighbors is None else audit.n_neighbors[rows],
        audit.disagreeing[rows] / audited.space.total_weight,
        _class_names(audited, audited.suggested[rows]),
        _class_names(audited, predicted[rows]),
        pa.nulls(len(rows)) if estimate is None else estimate.by_rank[n_before : n_before + len(rows)],
    ]
    return pa.table(dict(zip(SCHEMA.names, columns, strict=True))).cast(SCHEMA)


def _class_names(audited: _AuditedRows, classes: NDArray[np.int64]) -> pa.Array:
    """Return the names of classes; -1 has none."""
    names = pa.array(audited.space.model.view.classes)
    return names.take(pa.array(classes, mask=classes < 0))
