"""Results as files of HTML for people: case files, mails, and readers without a service."""

import json
from typing import Any

from leafspace_drawings import (
    WhyContext,
    draw_explanation,
    pictures,
    report,
    whole_document,
)

from schemas.label_audits import LABEL_AUDITS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.errors import StorageError

from ..app_context import AppContext
from ..operations import explainers
from .documents import beside, ready, shown_dataset, to_json

MAX_EXPLAINED_ROWS = 50


def export_html(context: AppContext, noun: Noun[Any], artefact_id: str) -> str:
    """Return an artefact's drawing as a whole file that runs nothing and needs nothing else.

    Raises
    ------
    StorageError
        ``not_found``, ``artefact_not_ready``, or ``too_many_rows`` where the result is too large to be drawn.
    """
    document = ready(context, noun, artefact_id)
    picture = pictures()[noun.singular]
    if not picture.is_made_of_rows:
        return whole_document(f"{picture.words.capitalize()} {artefact_id}", picture.draw(document, picture.beside()))
    known, dataset = beside(context, document)
    title = f"{known['name'] or known['id']}: {noun.singular.replace('_', ' ')}"
    return whole_document(title, context.drawings.get(picture.draw, document, picture.beside(known, dataset)))


def export_decisions_html(context: AppContext, label_audit_id: str) -> str:
    """Return the decisions in force on a label audit as a whole file; the errors are those of ``export_html``."""
    audit = ready(context, LABEL_AUDITS, label_audit_id)
    in_force = context.label_decisions.in_force(label_audit_id)
    decided = [to_json(in_force[row]) for row in sorted(in_force)]
    drawing = report.draw_decisions(decided, audit["result"]["classes"])
    return whole_document(f"Decisions on {label_audit_id}", drawing)


def explanations_html(context: AppContext, explainer_id: str, answer: bytes) -> str:
    """Return explanations, as they were answered in JSON, as a whole file.

    Raises
    ------
    StorageError
        ``too_many_rows`` for more than 50.
    """
    answered = json.loads(answer)
    rows = answered["data"]
    if len(rows) > MAX_EXPLAINED_ROWS:
        detail = (
            f"{len(rows)} rows are explained, and a file of HTML shows {MAX_EXPLAINED_ROWS}; send fewer, or take JSON"
        )
        raise StorageError("too_many_rows", detail)
    prototypes = ready(context, PROTOTYPE_SETS, explainers.get_explainer(context, explainer_id).prototype_set)
    dataset = shown_dataset(context, prototypes["request"]["dataset"])
    shown = WhyContext(dataset=dataset, prototype_set=prototypes, provenance=answered["provenance"])
    title = f"Why row {rows[0]['row_id']}?" if len(rows) == 1 else f"Why these {len(rows)} rows?"
    return whole_document(title, "\n".join(draw_explanation(row, shown) for row in rows))
