"""Instances as callers send them, each explained or refused.

An explanation has the prediction, the nearest prototypes and why they are near, and the parts that the request
includes. It is composed as plain values, which takes less time than pydantic objects, or, for callers that do nothing
but send it, of parts that are JSON already; a test compares it with the contract.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.prototype_sets.nearest import contiguous_leaves
from tree_explainers.rows import Rows

from . import documents
from .cell_texts import MANY_ROWS, CellTexts, LateTexts, SentRows, cell_texts
from .decisions import decisions_of
from .effect_pieces import EffectRow, EffectsOfRows, RowsOfEffects, TextsOfEffects, WrittenEffects
from .included_parts import Parts, parts_of
from .instances import ReadInstances, Run, ids_of_instances, read_instances, row_ids_of, run_readable
from .many_rows import ManyRows, write_rows
from .near_prototypes import RowsToCompare, near_prototypes
from .part_writers import ExplainedRow, write_parts
from .sentences import NO_CAUSES, summary
from .shown_players import is_adverse_upwards
from .warm_explainer import WarmExplainer
from .warnings import near_tie, outcomes_disagree
from .written_rows import RowFields, labelled, row_summary, stated_outcome, written_row

_OF_RAW_ROWS = frozenset({"changes", "curves"})  # parts that predict the row again with other values
_WRITTEN_PARTS = frozenset({"effects"})  # parts that explanations have which are written at once

Form = Literal["values", "fragments", "json"]
"""What explanations are returned as."""

NoteEffects = Callable[[NDArray[np.float64]], None]
"""Gets the effects of rows, (n_rows, n_players)."""


def _no_note(_effects: NDArray[np.float64]) -> None:
    """Note nothing."""


def explain_instances(
    warm: WarmExplainer,
    request: ExplanationRequest,
    read: ReadInstances | None = None,
    tick: Tick = no_tick,
    form: Form = "values",
) -> list[Any]:
    """Return an explanation or a refusal for each row, in their order.

    Parameters
    ----------
    request
        Its instances are explained, or else the rows that it names.
    read
        These rows, read.
    tick
        Is called before each row, and may raise.
    form
        As of ``explain_read``.

    Raises
    ------
    StorageError
        ``too_many_rows``, or ``validation_failed`` where ``row_ids`` are not one for each instance or two are equal, or
        the explainer does not have a part to include.
    """
    parts = parts_of(warm, request)
    read = read_instances(request.instances, warm.features, tick) if read is None else read
    row_ids = ids_of_rows(warm, request, read.n_rows)
    run = run_readable(warm.session, read, warm.walked)
    return explain_read(warm, parts, row_ids, read, run, tick, form=form)


def ids_of_rows(warm: WarmExplainer, request: ExplanationRequest, n_rows: int) -> Sequence[str]:
    """Return the id of each row that a request sends or names; see ``row_ids_of`` for what is refused."""
    if request.instances:
        return ids_of_instances(request.row_ids, request.instances, warm.features)
    return row_ids_of(request.row_ids, n_rows)


def explain_read(
    warm: WarmExplainer,
    parts: Parts,
    row_ids: Sequence[str],
    read: ReadInstances,
    run: Run,
    tick: Tick = no_tick,
    *,
    note_effects: NoteEffects = _no_note,
    form: Form = "values",
) -> list[Any]:
    """Return an explanation or a refusal for each row that was read, in their order.

    Parameters
    ----------
    parts
        What explanations have.
    row_ids : (n_rows,)
        Of all rows, those that are refused included.
    run
        What ``run_readable`` returns for them.
    tick
        Is called before each row, and may raise.
    note_effects
        Is called with the effects of all features on each row that has some, listed or not.
    form
        Whether explanations, but not refusals, are plain ``values`` throughout, have ``fragments`` that are JSON
        already, or are ``json``, as bytes, while the processor has them at hand.
    """
    outcome, indices, refused = run
    leaves = contiguous_leaves(warm.leaves(outcome))
    proximities = warm.index.proximities(leaves)
    are_near = near_ties(outcome.scores, warm.session.description)
    scores, classes = documents.decimals(outcome.scores), warm.compared_classes(outcome)
    decided = decisions_of(warm.session.description, outcome, scores)
    compared = [None] * len(indices) if classes is None else classes.tolist()
    labels = [None] * len(indices) if outcome.labels is None else outcome.labels.tolist()
    values = dict(zip(read.indices, read.values, strict=True))
    rows = _accepted_rows(read, indices)
    usual = _are_usual(warm, rows)
    effects: EffectsOfRows | None = None
    if warm.effects is not None and parts.effects is not None and "effects" in parts.included and indices:
        effects = warm.effects.of_rows(rows, proximities, compared, parts.effects, outcome)
        note_effects(effects.of_players)
    needs_raw = not _OF_RAW_ROWS.isdisjoint(parts.included)
    raw = rows if isinstance(rows, Rows) or not needs_raw else Rows(warm.features.names, tuple(rows.T))
    data: list[Any] = [None] * len(row_ids)
    of_rows = [values[index] for index in indices]
    field_of = orjson.loads if form == "values" else orjson.Fragment
    cells = list(map(cell_texts if len(of_rows) < MANY_ROWS else LateTexts, of_rows))
    numbers = None if isinstance(rows, Rows) else rows
    sent = SentRows.of(of_rows, numbers if len(of_rows) >= MANY_ROWS else None)
    written = _written(warm, parts, effects, decided, sent, cells)
    nearest = near_prototypes(warm, parts, RowsToCompare(leaves, proximities, sent, cells, usual, numbers))
    together: list[bytes] | None = None
    if form == "json" and len(indices) >= MANY_ROWS and _is_written_at_once(parts):
        together = write_rows(
            warm,
            ManyRows(
                row_ids=[row_ids[index] for index in indices],
                scores=scores,
                labels=outcome.labels,
                compared=[_compared_label(warm, each) for each in compared],
                decided=decided,
                targets=list(map(read.targets.get, indices)),
                warnings={
                    row: warm.wording.warnings.of_row(of_rows[row])
                    for row, is_usual in enumerate(usual)
                    if not is_usual
                },
                near=nearest,
                effects=None if isinstance(written, dict) else written,
            ),
        )
    compose = _composed if form == "json" else _explanation
    for row, index in enumerate(indices):
        tick()
        if together is not None and not are_near[row]:
            data[index] = together[row]
            continue
        explained = ExplainedRow(
            outcome=outcome,
            row=row,
            label=labels[row],
            scores=scores[row],
            leaves=leaves[row],
            proximities=proximities[row],
            near=nearest.of_row(row),
            values=of_rows[row],
            is_usual=usual[row],
            near_tie=bool(are_near[row]),
            raw=raw.take(slice(row, row + 1)) if needs_raw and isinstance(raw, Rows) else None,
            effects=written.get(row),
            field_of=field_of,
            compared_class=compared[row],
            decision=None if decided is None else decided[row],
            target=read.targets.get(index),
            reference=read.references.get(index),
        )
        data[index] = compose(warm, parts, row_ids[index], explained)
    for index, error in refused.items():
        data[index] = documents.refusal(row_ids[index], error)
    return data


def _accepted_rows(read: ReadInstances, indices: Sequence[int]) -> Rows | NDArray[np.float64]:
    """Return the rows that the model takes, by their indices among the instances."""
    if len(indices) == len(read.indices):
        return read.rows
    position = {index: at for at, index in enumerate(read.indices)}
    taken = np.array([position[index] for index in indices], np.int64)
    return read.rows.take(taken) if isinstance(read.rows, Rows) else read.rows[taken]


def _are_usual(warm: WarmExplainer, rows: Rows | NDArray[np.float64]) -> list[bool]:
    """Return of which rows it is known by now that nothing is missing or out of range."""
    if isinstance(rows, Rows):
        return [False] * len(rows)
    return warm.wording.warnings.are_usual(rows)


def _is_written_at_once(parts: Parts) -> bool:
    """Return whether explanations have the parts of requests without options alone."""
    return not parts.is_full and parts.included <= _WRITTEN_PARTS


def _written(
    warm: WarmExplainer,
    parts: Parts,
    effects: EffectsOfRows | None,
    decided: Sequence[dict[str, Any]] | None,
    sent: SentRows,
    cells: Sequence[CellTexts],
) -> dict[int, WrittenEffects] | TextsOfEffects:
    """Return the effects of rows in words, with the principal reasons for what is decided where that is adverse."""
    if warm.effects is None or parts.effects is None or effects is None:
        return {}
    texts, limits, rows = warm.effects.texts, (parts.n_reasons, parts.effects.kind), effects.rows
    adverse = _adverse(warm, effects, decided)
    if len(sent.values) >= MANY_ROWS:
        return texts.write_many(RowsOfEffects(effects, sent.among(rows), adverse), *limits)
    each = [EffectRow(effects.row(at), sent.values[row], cells[row], adverse[at]) for at, row in enumerate(rows)]
    return dict(zip(rows, texts.write(each, *limits), strict=True))


def _adverse(
    warm: WarmExplainer, effects: EffectsOfRows, decided: Sequence[dict[str, Any]] | None
) -> list[bool | None]:
    """Return of each row with effects whether an adverse outcome comes of a higher score; None: it has no such one."""
    adverse: list[bool | None] = [None] * len(effects.rows)
    if warm.adverse and decided is not None:
        for at, (row, score) in enumerate(zip(effects.rows, effects.scores.tolist(), strict=True)):
            outcome = decided[row]["outcome"]
            if outcome in warm.adverse:
                adverse[at] = is_adverse_upwards(warm.session.description, score, outcome)
    return adverse


def _explanation(warm: WarmExplainer, parts: Parts, row_id: str, explained: ExplainedRow) -> dict[str, Any]:
    standing = explained.near.standing
    prediction = _prediction(warm, explained)
    decision = {} if explained.decision is None else {"decision": labelled(warm, explained.decision)}
    actual = {} if explained.target is None else {"target": explained.target}
    compared = {} if explained.compared_class is None else {"label": _compared_label(warm, explained.compared_class)}
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


def _composed(warm: WarmExplainer, parts: Parts, row_id: str, explained: ExplainedRow) -> bytes:
    """Return an explanation as JSON."""
    if explained.near_tie or not _is_written_at_once(parts):
        return orjson.dumps(_explanation(warm, parts, row_id, explained))
    decided = None if explained.decision is None else labelled(warm, explained.decision)
    outcome = stated_outcome(
        explained.scores, _compared_label(warm, explained.compared_class), explained.decision, explained.target
    )
    causes = NO_CAUSES if explained.effects is None else explained.effects.causes
    sentences = row_summary(warm, explained.near, outcome, causes)
    warnings = [] if explained.is_usual else warm.wording.warnings.of_row(explained.values)
    return written_row(warm, explained, RowFields(row_id, sentences, decided, warnings))


def _compared_label(warm: WarmExplainer, index: int | None) -> str | None:
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
