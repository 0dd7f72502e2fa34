"""The effects of rows where explanations have them, and the same in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.onnx_models.session import Outcome
from tree_explainers.rows import Rows

from .cell_texts import CellTexts
from .effect_pieces import EffectRow, EffectsOfRows, RowsOfEffects, TextsOfEffects, WrittenEffects
from .included_parts import Parts
from .row_batches import RowBatch
from .shown_players import is_adverse_upwards
from .warm_explainer import WarmExplainer


def effects_of_rows(
    warm: WarmExplainer,
    parts: Parts,
    rows: Rows | NDArray[np.float64],
    proximities: NDArray[np.int64],
    compared: Sequence[int | None],
    outcome: Outcome,
) -> EffectsOfRows | None:
    """Return the effects of those rows that have some; ``None`` where they are not included, or there is no row.

    The arrays are as ``WarmEffects.of_rows`` takes them.
    """
    if warm.effects is None or parts.effects is None or "effects" not in parts.included or not compared:
        return None
    return warm.effects.of_rows(rows, proximities, compared, parts.effects, outcome)


def written_effects(
    warm: WarmExplainer, parts: Parts, effects: EffectsOfRows | None, batch: RowBatch
) -> dict[int, WrittenEffects] | TextsOfEffects:
    """Return the effects of rows in words, with the principal reasons for what is decided where that is adverse."""
    if effects is None:
        return {}
    if batch.are_many and warm.effects is not None and parts.effects is not None:  # as there are effects
        many = RowsOfEffects(effects, batch.sent.among(effects.rows), _adverse(warm, effects, batch.decided))
        return warm.effects.texts.write_many(many, parts.n_reasons, parts.effects.kind)
    return written_one_by_one(warm, parts, effects, (batch.sent.values, batch.cells), batch.decided)


def written_one_by_one(
    warm: WarmExplainer,
    parts: Parts,
    effects: EffectsOfRows,
    rows: tuple[Sequence[Sequence[Any]], Sequence[CellTexts]],
    decided: Sequence[dict[str, Any]] | None,
) -> dict[int, WrittenEffects]:
    """Return the effects of a few rows in words, by row; ``rows`` are their values, and the same as JSON."""
    if warm.effects is None or parts.effects is None:
        return {}
    (values, cells), adverse, texts = rows, _adverse(warm, effects, decided), warm.effects.texts
    return {
        row: texts.write(
            EffectRow(effects.row(at), values[row], cells[row], adverse[at]), parts.n_reasons, parts.effects.kind
        )
        for at, row in enumerate(effects.rows)
    }


def _adverse(
    warm: WarmExplainer, effects: EffectsOfRows, decided: Sequence[dict[str, Any]] | None
) -> list[bool | None]:
    """Return of each row with effects whether an adverse outcome comes of a higher score; None: it has no such one."""
    adverse: list[bool | None] = [None] * len(effects.rows)
    if decided is not None and warm.adverse:
        for at, (row, score) in enumerate(zip(effects.rows, effects.scores.tolist(), strict=True)):
            outcome = decided[row]["outcome"]
            if outcome in warm.adverse:
                adverse[at] = is_adverse_upwards(warm.session.description, score, outcome)
    return adverse
