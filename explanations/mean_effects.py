"""How large the effects of each feature are on average over reference rows, for who looks at an explainer."""

from typing import Any

from tree_explainers.effects.ensemble_effects import mean_absolute_effects
from tree_explainers.prototype_sets.nearest import contiguous_leaves
from tree_explainers.rows import Rows

from .effect_numbers import DIGITS
from .reference_file import evenly_spaced
from .warm_explainer import WarmExplainer

MAX_ROWS = 1000
"""Rows whose effects are averaged while somebody waits; a second, mostly, of the largest models."""


def mean_effects_of_reference_rows(warm: WarmExplainer) -> dict[str, Any] | None:
    """Return the mean sizes of the effects of reference rows, each against its default reference case.

    Returns
    -------
    dict
        ``n_rows`` that have effects, ``among`` how many reference rows they are evenly spaced ones, the ``scale``, and
        ``mean_absolute_effects`` as explanation sets have them: shown features that have an effect, the largest first.
        None where the model has no effects, no reference rows are kept, or no row has anything to be compared with.
    """
    if warm.effects is None or warm.reference is None:
        return None
    file = warm.reference.open()
    chosen = evenly_spaced(file.n_rows, MAX_ROWS)
    run = warm.session.run_rows(Rows(tuple(warm.features.names), tuple(file.columns(chosen))))
    rows, outcome = Rows(tuple(warm.features.names), tuple(file.columns(chosen[run.accepted]))), run.outcome
    classes = warm.compared_classes(outcome)
    compared = [None] * len(rows) if classes is None else classes.tolist()
    proximities = warm.index.proximities(contiguous_leaves(warm.leaves(outcome)))
    question = warm.effects.question(None, None)
    effects = warm.effects.of_rows(rows, proximities, compared, question, outcome).of_players
    if not len(effects):
        return None
    means = mean_absolute_effects(effects).tolist()
    sizes = [(means[player], shown.name) for player, shown in warm.effects.texts.shown.items() if means[player]]
    sizes.sort(key=lambda entry: -entry[0])
    return {
        "n_rows": len(effects),
        "among": file.n_rows,
        "scale": warm.effects.scale,
        "kind": question.kind,
        "mean_absolute_effects": [{"feature": name, "effect": float(f"{size:.{DIGITS}g}")} for size, name in sizes],
    }
