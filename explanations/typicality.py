"""Typicality in explanations: how near a row is to its nearest prototype beside other rows, and what follows."""

from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototype_sets.typicality import NONE, Typicality, at_percentile, least_proximity


class Standing(NamedTuple):
    """What an explanation says about how typical a row is."""

    document: dict[str, Any]  # the fields of the explanation
    others: str  # how many other rows are nearer to a prototype, as a clause of the summary; empty: not known
    is_far: bool  # hardly any row is farther
    abstains: bool  # the explainer does not explain the row
    abstention: str  # the same as a sentence; empty where it does


UNKNOWN = Standing({}, "", is_far=False, abstains=False, abstention="")
"""Of rows explained by a prototype set without a scale."""


class TypicalityScale:
    """The rows that others are compared with, and the percentile below which an explainer abstains.

    Parameters
    ----------
    quantiles : (101,) int64
        Of the rows' integer proximities to their nearest prototype.
    rows
        Which rows these are, such as "reference rows".
    total_weight
        The integer proximity of a row to itself.
    abstain_below
        Per cent.
    """

    def __init__(self, quantiles: NDArray[np.int64], rows: str, total_weight: int, abstain_below: float = 0.0) -> None:
        self._upper: list[int] = quantiles[1:].tolist()  # a search in a list takes a fifth of the time
        self._none = _standing(NONE, rows, abstain_below)
        self._far, self._standings = (
            [_standing(at_percentile(each, is_near=is_near), rows, abstain_below) for each in range(len(quantiles))]
            for is_near in (False, True)
        )
        self._least = least_proximity(total_weight)

    @staticmethod
    def of(
        arrays: Mapping[str, NDArray[Any]], result: Mapping[str, Any], abstain_below: float | None
    ) -> "TypicalityScale | None":
        """Return the scale of a prototype set's arrays and result; ``None`` where it has none.

        Those all of whose rows are prototypes have none.
        """
        quantiles = arrays["typicality_quantiles"]
        if len(quantiles) == 0:
            return None
        rows = "reference rows" if result["typicality"]["rows"] == "dataset" else "evaluation rows"
        return TypicalityScale(quantiles, rows, int(arrays["weights"].sum()), abstain_below or 0.0)

    def standing(self, proximity: int) -> Standing:
        """Return where a row stands whose integer proximity to its nearest prototype this is."""
        if proximity == 0:
            return self._none
        standings = self._standings if proximity >= self._least else self._far
        return standings[bisect_right(self._upper, proximity)]


def _standing(typicality: Typicality, rows: str, abstain_below: float) -> Standing:
    abstains = typicality.percentile < abstain_below
    return Standing(
        document={"typicality": {"level": typicality.level, "percentile": typicality.percentile}},
        others=_others_nearer(typicality.percentile, rows),
        is_far=typicality.level in ("far", "none"),
        abstains=abstains,
        abstention=f"The explainer abstains below {abstain_below:g}%." if abstains else "",
    )


def _others_nearer(percentile: int, rows: str) -> str:
    """Return which share of rows is nearer to a prototype; that of the others is the percentile, rounded down."""
    if percentile == 100:  # of a hundred
        return f"no {rows.removesuffix('s')} is nearer to its own"
    share = f"{100 - percentile}%" if percentile else "nearly all"
    return f"{share} of the {rows} are nearer to theirs"
