"""Make a label audit: rank rows by how far the rows nearest to them disagree with their label."""

import numpy as np
from numpy.typing import NDArray

from schemas.label_audits import N_ROWS_SHOWN, AuditedRow, LabelAuditRequest, LabelAuditResult
from tree_explainers.label_audits import audit_labels

from ...runtime.cautions import caution_of_labels
from ...runtime.context import JobContext, Produced
from ...runtime.progress import part_of
from ..inputs import classes_of_rows
from ..tree_space import SEEN, TreeSpace, enter_tree_space, row_names
from .audit_table import Audited, audit_lines, write_audit

_RANKING_IS_WEAKER = (
    "where it was grown on the same rows until its leaves were pure, it has learned the wrong labels too, and rows "
    "with the same wrong label stand in one leaf, which weakens the signal; a model with larger leaves, or one trained "
    "on other rows, tells more"
)


def make_label_audit(context: JobContext) -> Produced:
    """Make what a ``LabelAuditRequest`` asks for."""
    request = LabelAuditRequest(**context.request)
    space = enter_tree_space(context, request)
    labels = classes_of_rows(context.objects, space.model, space.seen, "target")
    report = part_of(context.report, SEEN, 1)
    audit = audit_labels(space.seen.table, space.weights, labels, request.n_neighbors, report)
    audited = Audited(audit, labels, space, row_names(context.objects, space.seen))
    table = context.workspace / "audit.parquet"
    write_audit(table, audited)
    content = _content(request, audited, _model_agreement(space, labels))
    return Produced(content.model_dump_json().encode(), space.arrays(), files={"table": table})


def _content(request: LabelAuditRequest, audited: Audited, model_agreement: float) -> LabelAuditResult:
    audit, view = audited.audit, audited.space.model.view
    judged = audit.n_neighbors > 0
    first = audit_lines(audited, audit.ranking[:N_ROWS_SHOWN], 0)
    return LabelAuditResult(
        kind=audited.space.kind,
        classes=view.classes,
        n_rows=len(judged),
        n_trees=view.n_trees,
        n_neighbors=request.n_neighbors,
        mean_agreement=float(audit.agreement[judged].mean()) if judged.any() else None,
        n_suggested=int((audit.suggested >= 0).sum()),
        n_without_neighbors=int((~judged).sum()),
        model_agreement=model_agreement,
        caution=caution_of_labels(model_agreement, _RANKING_IS_WEAKER),
        rows=[AuditedRow(**line) for line in first.to_pylist()],
    )


def _model_agreement(space: TreeSpace, labels: NDArray[np.int64]) -> float:
    return float(np.mean(space.seen.labels == labels))
