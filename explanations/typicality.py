"""Typicality in explanations: how near a row is to its nearest prototype beside other rows, and what follows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototype_sets.typicality import Typicality, typicality

QUANTILES = "typicality_quantiles"
"""Name of the quantiles among the arrays of a prototype set."""


@dataclass(frozen=True, slots=True)
class TypicalityScale:
    """The rows that others are compared with, and the percentile below which an explainer abstains."""

    quantiles: NDArray[np.int64]  # (101,) of proximities to the nearest prototype
    rows: str  # which rows these are: "reference rows" or "evaluation rows"
    abstain_below: float = 0.0  # per cent

    @staticmethod
    def of_arrays(
        arrays: Mapping[str, NDArray[Any]], rows: str, abstain_below: float | None
    ) -> "TypicalityScale | None":
        """Return the scale that a prototype set's arrays hold; ``None`` for one that was made before there was any."""
        quantiles = arrays.get(QUANTILES)
        if quantiles is None or len(quantiles) == 0:
            return None
        return TypicalityScale(np.array(quantiles, dtype=np.int64), rows, abstain_below or 0.0)

    def place(self, proximity: int) -> Typicality:
        """Return where a row stands whose best integer proximity this is."""
        return typicality(proximity, self.quantiles)

    def abstains(self, found: Typicality) -> bool:
        """Return whether the explainer abstains from explaining such a row."""
        return found.percentile < self.abstain_below

    def sentence(self, found: Typicality) -> str:
        """Return what a row's typicality means as a sentence, with which a summary begins."""
        if found.level == "none":
            return "This row shares no leaf with any prototype."
        if found.level == "far":
            share = "less than 1 %" if found.percentile == 0 else f"only {found.percentile} %"
            return f"This row is far from all prototypes: {share} of the {self.rows} are no nearer to one."
        words = "close to" if found.level == "close" else "about as near as usual to"
        return f"This row is {words} a prototype: {found.percentile} % of the {self.rows} are no nearer to one."
