"""Typicality in explanations: how near a row is to its nearest prototype beside other rows, and what follows."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototype_sets.typicality import NONE, Typicality, at_percentile


class Standing(NamedTuple):
    """What an explanation says about how typical a row is."""

    document: dict[str, Any]  # the fields of the explanation
    sentence: str  # with which its summary begins
    abstains: bool  # the explainer does not explain the row


UNKNOWN = Standing({}, "", abstains=False)
"""Of rows explained by a prototype set without a scale."""


class TypicalityScale:
    """The rows that others are compared with, and the percentile below which an explainer abstains.

    Parameters
    ----------
    quantiles : (101,) int64
        Of the rows' integer proximities to their nearest prototype.
    rows
        Which rows these are, such as "reference rows".
    abstain_below
        Per cent.
    """

    def __init__(self, quantiles: NDArray[np.int64], rows: str, abstain_below: float = 0.0) -> None:
        self._upper: list[int] = quantiles[1:].tolist()  # a search in a list takes a fifth of the time
        self._none = _standing(NONE, rows, abstain_below)
        self._standings = [_standing(at_percentile(each), rows, abstain_below) for each in range(len(quantiles))]

    @staticmethod
    def of(
        arrays: Mapping[str, NDArray[Any]], result: Mapping[str, Any], abstain_below: float | None
    ) -> "TypicalityScale | None":
        """Return the scale of a prototype set's arrays and result; ``None`` where it has none.

        Sets that were made before there was any have none, and those all of whose rows are prototypes.
        """
        quantiles = arrays.get("typicality_quantiles")
        if quantiles is None or len(quantiles) == 0:
            return None
        rows = "reference rows" if result["typicality"]["rows"] == "dataset" else "evaluation rows"
        return TypicalityScale(quantiles, rows, abstain_below or 0.0)

    def standing(self, proximity: int) -> Standing:
        """Return where a row stands whose integer proximity to its nearest prototype this is."""
        return self._none if proximity == 0 else self._standings[bisect_right(self._upper, proximity)]


def _standing(found: Typicality, rows: str, abstain_below: float) -> Standing:
    abstains = found.percentile < abstain_below
    consequence = f"; the explainer abstains below {abstain_below:g}%" if abstains else ""
    document = {"typicality": {"level": found.level, "percentile": found.percentile}}
    return Standing(document, f"{_sentence(found, rows)}{consequence}.", abstains)


def _sentence(found: Typicality, rows: str) -> str:
    if found.level == "none":
        return "This row shares no leaf with any prototype"
    if found.level == "far":
        share = "less than 1%" if found.percentile == 0 else f"only {found.percentile}%"
        return f"This row is far from all prototypes: {share} of the {rows} are no nearer to one"
    words = "close to" if found.level == "close" else "about as near as usual to"
    return f"This row is {words} a prototype: {found.percentile}% of the {rows} are no nearer to one"
