"""The rule sets' own figures for the same draws: printed rules, the forest, and the paper's depth-2 tree."""

import json
from collections.abc import Sequence
from pathlib import Path

from benchmarks.defrag_tables.records import FOREST, SERVED, SHALLOW_TREE, Who, draw_from_json

from .records import Ruled

_KEPT = Path(__file__).parents[1] / "results" / "defrag_tables.json"
_NAMES: dict[Who, str] = {SHALLOW_TREE: "CART, depth 2", SERVED: "printed rules", FOREST: "forest"}


def kept_rules(dataset: str, seeds: Sequence[int]) -> list[Ruled]:
    """Return what was found for these draws of a dataset when the tables of rule sets were made."""
    draws = [draw_from_json(each) for each in json.loads(_KEPT.read_text(encoding="utf-8"))]
    return [
        Ruled(dataset, draw.seed, name, evaluated.n_rules, evaluated.error, evaluated.unlike_forest)
        for who, name in _NAMES.items()
        for draw in draws
        if draw.dataset == dataset and draw.seed in seeds
        for evaluated in [draw.of(who)]
    ]
