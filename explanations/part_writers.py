"""Writers of optional parts: each returns plain values for one row, or ``None`` where its part does not apply."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanation_parts import PART_OF, PARTS
from schemas.json_numbers import json_number
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.rows import Rows

from .changes import ChangedRow, changes_of
from .contrasts import ContrastedRow, ContrastLimits, contrasts
from .curves import curves_of
from .effect_pieces import WrittenEffects
from .included_parts import Parts
from .near_prototypes import Near
from .reason_texts import Compared
from .warm_explainer import WarmExplainer

Document = dict[str, Any]


FieldOf = Callable[[bytes], Any]
"""Returns what a field of an answer has for JSON: the same as a fragment, or as plain values."""


class ExplainedRow(NamedTuple):
    """One row of a batch, run."""

    outcome: Outcome
    row: int  # index in the outcome
    label: int | None  # index of the predicted class; None for a regression
    scores: list[float]  # (n_classes,), or the value alone, in as few digits as their precision takes
    leaves: NDArray[np.int32]  # (n_trees,) by which it is compared with prototypes
    proximities: NDArray[np.int64]  # (n_prototypes,)
    near: Near
    values: Sequence[Any]  # as sent, in the order of the features
    is_usual: bool  # nothing of it is missing, and all of it is within the ranges of the reference rows
    near_tie: bool
    raw: Rows | None  # the row alone, as the model takes it; None: no part needs it
    effects: WrittenEffects | None  # None: it has none, or they are not included
    field_of: FieldOf
    compared_class: int | None  # its class or outcome, which prototypes of others contrast with; None: neither
    decision: Document | None  # what is decided of it; None of a plain regression
    target: str | float | None = None  # its class or value in the target column, where that is known
    reference: int | None = None  # its index among the reference rows, where it is one of them


Writer = Callable[[WarmExplainer, Parts, ExplainedRow, Document], Any]
"""Writes a part, from the explainer, what explanations have, the row, and its document so far."""

_WRITERS: dict[str, Writer] = {}


def write_parts(warm: WarmExplainer, parts: Parts, explained: ExplainedRow, document: Document) -> None:
    """Add the fields of the included parts to a row's document, in the order of their declarations."""
    for field, write in _writers(parts.included):
        written = write(warm, parts, explained, document)
        if written is not None:
            document[field] = written


@lru_cache(maxsize=1 << 10)  # of as many sets of parts as there can be
def _writers(included: frozenset[str]) -> list[tuple[str, Writer]]:
    """Return the fields of some parts, and what writes each."""
    return [(part.field, _WRITERS[part.name]) for part in PARTS if part.field is not None and part.name in included]


def _writes(name: str) -> Callable[[Writer], Writer]:
    """Register the writer of the part with this name."""

    def register(writer: Writer) -> Writer:
        _WRITERS[PART_OF[name].name] = writer
        return writer

    return register


@_writes("effects")
def _effects(_warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> Any:
    """Return by how much each feature moves the row's score from that of a reference case, or of several."""
    return None if explained.effects is None else explained.field_of(explained.effects.text)


@_writes("values")
def _values(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> list[dict[str, Any]]:
    """Return the values of the row and of its nearest prototypes, feature by feature."""
    others = [prototype.values for prototype in explained.near.prototypes]
    return [
        {
            "feature": name,
            **warm.wording.words.feature_text(name),
            "value": json_number(explained.values[feature]),
            "prototype_values": [json_number(values[feature]) for values in others],
        }
        for name, feature in warm.shown
    ]


@_writes("contrast")
def _contrasts(
    warm: WarmExplainer, parts: Parts, explained: ExplainedRow, _document: Document
) -> list[dict[str, Any]] | None:
    """Return the nearest prototypes of other classes, and what the trees ask that tell the row apart from them."""
    if explained.compared_class is None:
        return None
    row = ContrastedRow(explained.compared_class, explained.leaves, explained.proximities, explained.values)
    limits = ContrastLimits(parts.n_contrasts, parts.n_reasons, with_intervals="intervals" in parts.included)
    return contrasts(warm, row, limits)


@_writes("rules")
def _rules(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> orjson.Fragment | None:
    """Return the rules that hold for the row, in the order of the rule set."""
    return None if warm.rules is None else orjson.Fragment(warm.rules.text(warm.rules.firing(explained.values)))


@_writes("approximation_path")
def _path(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> orjson.Fragment | None:
    """Return the row's path in the approximation tree, and whether the tree agrees with the model."""
    if warm.tree is None:
        return None
    label, description = explained.label, warm.session.description
    if warm.tree.says_outcomes(description) and explained.decision is not None:
        label = description.outcomes.index(explained.decision["outcome"])
    return orjson.Fragment(warm.tree.text(warm.tree.leaf_of(explained.values), label))


@_writes("nearest_rows")
def _nearest_rows(
    warm: WarmExplainer, parts: Parts, explained: ExplainedRow, document: Document
) -> list[Document] | None:
    """Return the nearest of all reference rows; where values are included, theirs are added to these."""
    if parts.search is None:
        return None
    file = parts.search.file
    leaves = file.leaves(explained.outcome.leaves[explained.row][None])[0]
    rows, nearest = parts.search.nearest(leaves)
    # As of prototypes: a row that is near by chance explains nothing.
    is_near = file.minimum.is_reached(nearest.proximities, nearest.shared.sum(axis=1))
    indices = [] if document["status"] == "abstained" else np.flatnonzero(is_near).tolist()
    texts = warm.reason_texts.write(
        file.paths.reasons(leaves, nearest.shared[indices], file.search.tree_weights),
        Compared(explained.values, [rows[index].values for index in indices], warm.unexpected.of_row(explained.values)),
        parts.n_reasons,
        with_intervals="intervals" in parts.included,
    )
    reasons = dict(zip(indices, texts, strict=True))
    for entry, (_, feature) in zip(document.get("values", ()), warm.shown, strict=False):
        entry["row_values"] = [json_number(row.values[feature]) for row in rows]
    return [{**row.head, "reasons": reasons.get(index, [])} for index, row in enumerate(rows)]


@_writes("changes")
def _changes(warm: WarmExplainer, parts: Parts, explained: ExplainedRow, _document: Document) -> Document | None:
    """Return the smallest changes that give the row the wished outcome."""
    if parts.changes is None or explained.raw is None or explained.decision is None:
        return None
    description, scores = warm.session.description, explained.outcome.scores[explained.row]
    outcome = description.outcomes.index(explained.decision["outcome"])
    return changes_of(warm, parts.changes, ChangedRow(explained.raw, explained.values, scores, outcome))


@_writes("curves")
def _curves(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> list[Document] | None:
    """Return how the score that decides changes with each feature, all else as it is."""
    if explained.raw is None:
        return None
    rule = warm.session.description.decision
    column = rule.column if rule is not None else explained.label or 0
    return curves_of(warm, explained.raw, explained.values, column)


@_writes("evidence")
def _evidence(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> Document | None:
    """Return the true classes of the reference rows that are most like the row and have nearly its score."""
    if warm.evidence is None or explained.label is None:
        return None
    rule = warm.session.description.decision
    column = explained.label if rule is None else rule.column
    leaves, scores = explained.outcome.leaves[explained.row], explained.outcome.scores[explained.row]
    return warm.evidence.document(leaves, scores, column, explained.reference)


@_writes("training_rows")
def _training_rows(warm: WarmExplainer, _parts: Parts, explained: ExplainedRow, _document: Document) -> Document | None:
    """Return which training rows the prediction is made of, by which share or weight each."""
    if warm.training_rows is None:
        return None
    return warm.training_rows.document(explained.outcome.leaves[explained.row], explained.reference)
