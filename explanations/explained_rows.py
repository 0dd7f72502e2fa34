"""Instances as callers send them, each explained or refused.

An explanation has the prediction, the nearest prototypes and why they are near, and the parts that the request
includes. What all rows of a call need is found together; then each is composed (``composed_rows``), or, without options
and for callers that do nothing but send them, many are written at once (``many_rows``), and one goes by itself
(``single_rows``).
"""

from collections.abc import Callable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.rows import Rows

from . import documents
from .composed_rows import compared_label, composed_json, composed_values, is_written_at_once
from .effect_pieces import TextsOfEffects, WrittenEffects
from .included_parts import Parts, parts_of
from .instances import ReadInstances, Run, ids_of_instances, read_instances, row_ids_of, run_readable
from .many_rows import ManyRows, write_rows
from .near_prototypes import NearOfRows, RowsToCompare, near_prototypes
from .part_writers import ExplainedRow, FieldOf
from .row_batches import RowBatch, row_batch
from .row_effects import effects_of_rows, written_effects
from .single_rows import write_single
from .warm_explainer import WarmExplainer

_OF_RAW_ROWS = frozenset({"changes", "curves"})  # parts that predict the row again with other values

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
        Is called before each row and between steps that many rows take together, and may raise.
    note_effects
        Is called with the effects of all features on each row that has some, listed or not.
    form
        Whether explanations, but not refusals, are plain ``values`` throughout, have ``fragments`` that are JSON
        already, or are ``json``, as bytes, while the processor has them at hand.
    """
    if form == "json" and len(row_ids) == len(run[1]) == 1 and is_written_at_once(parts):
        tick()
        if (text := write_single(warm, parts, row_ids[0], read, run[0])) is not None:
            return [text]
    outcome, indices, refused = run
    batch = row_batch(warm, read, outcome, indices)
    effects = effects_of_rows(warm, parts, batch.rows, batch.proximities, batch.compared, batch.outcome)
    if effects is not None:
        note_effects(effects.of_players)
    rows = _Rows(
        batch,
        nearest=near_prototypes(
            warm,
            parts,
            RowsToCompare(batch.leaves, batch.proximities, batch.sent, batch.cells, batch.usual, batch.numbers),
            tick,
        ),
        written=written_effects(warm, parts, effects, batch),
        raw=_raw_rows(warm, parts, batch),
        field_of=orjson.loads if form == "values" else orjson.Fragment,
    )
    tick()
    data, ids = list[Any]([None] * len(row_ids)), [row_ids[index] for index in indices]
    together = _together(warm, parts, rows, ids) if form == "json" else None
    compose = composed_json if form == "json" else composed_values
    for row, index in enumerate(indices):
        tick()
        if together is not None and not batch.are_near[row]:
            data[index] = together[row]
        else:
            data[index] = compose(warm, parts, ids[row], rows.explained(row))
    for index, error in refused.items():
        data[index] = documents.refusal(row_ids[index], error)
    return data


class _Rows(NamedTuple):
    """Rows, and what their explanations are composed of."""

    batch: RowBatch
    nearest: NearOfRows
    written: dict[int, WrittenEffects] | TextsOfEffects
    raw: Rows | None  # as the model takes them, where some part predicts them again
    field_of: FieldOf

    def explained(self, row: int) -> ExplainedRow:
        """Return what the explanation of a row is composed of."""
        batch = self.batch
        return ExplainedRow(
            outcome=batch.outcome,
            row=row,
            label=batch.labels[row],
            scores=batch.scores[row],
            leaves=batch.leaves[row],
            proximities=batch.proximities[row],
            near=self.nearest.of_row(row),
            values=batch.sent.values[row],
            is_usual=batch.usual[row],
            near_tie=bool(batch.are_near[row]),
            raw=None if self.raw is None else self.raw.take(slice(row, row + 1)),
            effects=self.written.get(row),
            field_of=self.field_of,
            compared_class=batch.compared[row],
            decision=None if batch.decided is None else batch.decided[row],
            target=batch.targets[row],
            reference=batch.references[row],
        )


def _raw_rows(warm: WarmExplainer, parts: Parts, batch: RowBatch) -> Rows | None:
    if _OF_RAW_ROWS.isdisjoint(parts.included):
        return None
    return batch.rows if isinstance(batch.rows, Rows) else Rows(warm.features.names, tuple(batch.rows.T))


def _together(warm: WarmExplainer, parts: Parts, rows: _Rows, row_ids: Sequence[str]) -> list[bytes] | None:
    """Return the explanations of many rows as JSON, but for near ties; ``None`` where they are composed one by one."""
    batch, written = rows.batch, rows.written
    if not (batch.are_many and is_written_at_once(parts)):
        return None
    warnings, unusual = warm.wording.warnings, (row for row, is_usual in enumerate(batch.usual) if not is_usual)
    return write_rows(
        warm,
        ManyRows(
            row_ids=row_ids,
            scores=batch.scores,
            labels=batch.outcome.labels,
            compared=[compared_label(warm, each) for each in batch.compared],
            decided=batch.decided,
            targets=batch.targets,
            warnings={row: warnings.of_row(batch.sent.values[row]) for row in unusual},
            near=rows.nearest,
            effects=None if isinstance(written, dict) else written,
        ),
    )
