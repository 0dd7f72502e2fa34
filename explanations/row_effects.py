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
    sent = batch.sent
    decided: Sequence[dict[str, Any] | None] = [None] * len(batch.cells) if batch.decided is None else batch.decided
    if batch.are_many and warm.effects is not None and parts.effects is not None:  # as there are effects
        upwards: list[bool | None] = [None] * len(effects.rows)
        if warm.adverse:
            upwards = [_adverse(warm, effects, at, decided[row]) for at, row in enumerate(effects.rows)]
        many = RowsOfEffects(effects, sent.among(effects.rows), upwards)
        return warm.effects.texts.write_many(many, parts.n_reasons, parts.effects.kind)
    return {
        row: written_effect(warm, parts, (effects, at), (sent.values[row], batch.cells[row]), decided[row])
        for at, row in enumerate(effects.rows)
    }


def written_effect(
    warm: WarmExplainer,
    parts: Parts,
    effects: tuple[EffectsOfRows, int],
    row: tuple[Sequence[Any], CellTexts],
    decided: dict[str, Any] | None,
) -> WrittenEffects:
    """Return the effects of one of some rows in words, from its values, the same as JSON, and what is decided of it."""
    assert warm.effects is not None
    assert parts.effects is not None
    effect_row = EffectRow(effects[0].row(effects[1]), *row, _adverse(warm, *effects, decided))
    return warm.effects.texts.write(effect_row, parts.n_reasons, parts.effects.kind)


def _adverse(warm: WarmExplainer, effects: EffectsOfRows, at: int, decided: dict[str, Any] | None) -> bool | None:
    """Return whether an adverse outcome comes of a higher score; None: it is not adverse, or nothing is decided."""
    if decided is None or decided["outcome"] not in warm.adverse:
        return None
    return is_adverse_upwards(warm.session.description, int(effects.scores[at]), decided["outcome"])
