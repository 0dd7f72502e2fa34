"""The explanation of one row, composed of what is known of it.

It is composed as plain values, which takes less time than pydantic objects, or, for callers that do nothing but send
it, of parts that are JSON already; a test compares it with the contract.
"""

from functools import partial
from typing import Any

import orjson

from . import documents
from .included_parts import Parts
from .part_writers import ExplainedRow, write_parts
from .sentences import NO_CAUSES, summary
from .warm_explainer import WarmExplainer
from .warnings import near_tie, outcomes_disagree
from .written_rows import RowParts, labelled, written_row

_WRITTEN_PARTS = frozenset({"effects"})  # parts that explanations have which are written at once


def is_written_at_once(parts: Parts) -> bool:
    """Return whether explanations have the parts of requests without options alone."""
    return not parts.is_full and parts.included <= _WRITTEN_PARTS


def composed_values(warm: WarmExplainer, parts: Parts, row_id: str, explained: ExplainedRow) -> dict[str, Any]:
    """Return an explanation as plain values, some of which may be JSON already."""
    standing = explained.near.standing
    prediction = _prediction(warm, explained)
    decision = {} if explained.decision is None else {"decision": labelled(warm, explained.decision)}
    actual = {} if explained.target is None else {"target": explained.target}
    compared = {} if explained.compared_class is None else {"label": compared_label(warm, explained.compared_class)}
    near = _nearest_prototypes(warm, parts, explained)
    document = {
        "object": "explanation",
        "row_id": row_id,
        "status": "abstained" if standing.abstains else "ok",
        "summary": "",
        "prediction": prediction,
        **decision,
        **actual,
        **standing.document,
        "warnings": _warnings(warm, explained, prediction),
        "nearest_prototypes": near,
    }
    if parts.is_full and near:
        document["prototype_prediction"] = documents.prototype_prediction(
            explained.near.prototypes[0], compared.get("label")
        )
    if parts.included:
        write_parts(warm, parts, explained, document)
        if "evidence" in document:
            disagreement = outcomes_disagree(document["evidence"], warm.wording.words)
            document["warnings"] = [*([] if disagreement is None else [disagreement]), *document["warnings"]]
    outcome = prediction | decision | actual | compared
    read_reasons = partial(orjson.loads, explained.near.reasons[0]) if near else None
    causes = NO_CAUSES if explained.effects is None else explained.effects.causes
    naming = warm.wording.naming
    document["summary"] = summary(outcome, near, standing, document, naming, read_reasons=read_reasons, causes=causes)
    return document


def composed_json(warm: WarmExplainer, parts: Parts, row_id: str, explained: ExplainedRow) -> bytes:
    """Return an explanation as JSON."""
    if explained.near_tie or not is_written_at_once(parts):
        return orjson.dumps(composed_values(warm, parts, row_id, explained))
    row = RowParts(
        row_id,
        explained.values,
        explained.is_usual,
        explained.scores,
        explained.label,
        compared_label(warm, explained.compared_class),
        explained.decision,
        explained.target,
        explained.near,
        explained.effects,
    )
    return written_row(warm, row)


def compared_label(warm: WarmExplainer, index: int | None) -> str | None:
    """Return the class or outcome of a row that those of prototypes are compared with."""
    description = warm.session.description
    return None if index is None else (description.outcomes if warm.by_outcome else description.classes)[index]


def _prediction(warm: WarmExplainer, explained: ExplainedRow) -> dict[str, Any]:
    if explained.label is None:
        return documents.value_prediction(explained.scores[0])
    classes, label = warm.model.classes, explained.label
    return documents.class_prediction(classes[label], classes, explained.scores, near_tie=explained.near_tie)


def _nearest_prototypes(warm: WarmExplainer, parts: Parts, explained: ExplainedRow) -> list[dict[str, Any]]:
    prototypes, shares, n_shared, reasons, _ = explained.near
    near: list[dict[str, Any]] = [
        {**prototype.head, "proximity": share, "reasons": explained.field_of(text)}
        for prototype, share, text in zip(prototypes, shares, reasons, strict=True)
    ]
    if parts.is_full:
        for rank, entry in enumerate(near, 1):
            entry |= {"rank": rank, "distance": 1 - entry["proximity"], "coverage": prototypes[rank - 1].coverage}
            entry |= {"shared_trees": n_shared[rank - 1], "n_trees": warm.index.n_trees_used}
    return near


def _warnings(warm: WarmExplainer, explained: ExplainedRow, prediction: dict[str, Any]) -> list[dict[str, str]]:
    of_row = [] if explained.is_usual else warm.wording.warnings.of_row(explained.values)
    if not explained.near_tie or explained.label is None:
        return of_row
    outcome = warm.wording.words.outcome
    return [near_tie([(outcome(each["label"]), each["value"]) for each in prediction["scores"]]), *of_row]
