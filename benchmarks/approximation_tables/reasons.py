"""Why ours differs from what is printed, where it does: each reason stands on figures of the same run."""

from collections.abc import Sequence

import numpy as np

from benchmarks.defrag_tables.datasets import STAND_INS
from benchmarks.defrag_tables.published import Drawn

from .records import Mimicked, Structures

_NEAR = 0.02  # of an agreement that is printed as "about"
_MOST_PRINTED_RULES = 10


def why_agreement(own: Sequence[Mimicked], printed: float, forest: Sequence[Mimicked]) -> str:
    """Return why trees agree more or less often with their forests."""
    found = float(np.mean([one.agreement for one in own if one.agreement is not None]))
    if abs(found - printed) <= _NEAR:
        return ""
    accuracy = float(np.mean([one.accuracy for one in forest]))
    if found > printed:
        return f"more alike than printed; the forest itself is right on {accuracy:.0%} of these rows"
    return (
        f"less alike: a forest that is right on {accuracy:.0%} of the rows is less sure of them, and harder to follow"
    )


def why_structures(own: Structures) -> str:
    """Return in what trees differ."""
    if own.n_different[-1] == 1 or own.share_at_cap is None:
        return ""
    parts = []
    if own.n_by_features != own.n_different:
        parts.append("in thresholds, as each training value and midpoint is a candidate")
    if own.n_by_features[-1] > 1:
        level = next(at for at, n_different in enumerate(own.n_by_features, 1) if n_different > 1)
        parts.append(f"from level {level} on in features that carry nearly the same information")
    return f"rivals that are unsure at the cap differ {', and '.join(parts)}"


def why_rules(dataset: str, predictor: str, n_rules: Sequence[int], error: float, axis: Drawn) -> str:
    """Return why rules are more or fewer, or err more or less, than in the figure."""
    parts = [f"other data: {STAND_INS[dataset]}"] if dataset in STAND_INS else []
    if error > axis.highest:
        parts.append("above the axis")
        if predictor.endswith("depth 2"):
            parts.append("four leaves are too few")
    elif error < axis.lowest:
        parts.append("below the axis")
    if predictor == "born again" and max(n_rules, default=0) <= _MOST_PRINTED_RULES:
        parts.append("cross-validation with the rule of one standard error keeps it small")
    return "; ".join(parts)
