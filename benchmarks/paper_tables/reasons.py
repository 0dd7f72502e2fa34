"""Why ours differs from what is printed, where it does by more than 0.03."""

from typing import NamedTuple

from .spread import Divisions, Spread

LARGE = 0.03
_CLOSE, _FAR = 0.01, 2.0
_NOT_COUNTED = "how rare that is was not counted in more divisions: **open**"
_RARE = 0.05  # of many divisions: a share of at least this needs no reason


class Compared(NamedTuple):
    """The figures by which a difference is evaluated."""

    printed: float
    found: Spread
    deviation: float  # of one seed, common to all methods on this dataset and model
    otherwise: Spread | None  # the same done in another way
    done: str  # which way that is
    many: Divisions | None = None  # the same in many more divisions, where those were run


def why(compared: Compared, remark: str = "") -> str:
    """Return a sentence or two backed by numbers; empty for a small difference."""
    if abs(compared.found.mean - compared.printed) <= LARGE:
        return ""
    parts = [remark] if remark else []
    off = compared.found.deviations_off(compared.printed, compared.deviation)
    if compared.otherwise and _explains(compared):
        parts.append(f"{compared.done}: {compared.otherwise}")
    if compared.found.n > 1 and compared.deviation > 0:
        parts.append(f"the paper's one division is {off:.1f} standard deviations ({compared.deviation:.3f}) off ours")
    if compared.many:
        share = compared.many.share_beyond(compared.printed, compared.found.mean)
        parts.append(f"of {len(compared.many.scores)} divisions {share:.0%} are that far off")
        # Few divisions do not say how rare a difference is.
        if not remark and off > _FAR and share < _RARE and not (compared.otherwise and _explains(compared)):
            parts.append("**not explained**")
    elif off > _FAR and not (compared.otherwise and _explains(compared)):
        parts.append(_NOT_COUNTED)
    return "; ".join(parts)


def _explains(compared: Compared) -> bool:
    """Return whether the other choice comes closer by most of the difference, or passes the printed figure."""
    assert compared.otherwise
    before, after = compared.printed - compared.found.mean, compared.printed - compared.otherwise.mean
    return abs(after) <= max(_CLOSE, abs(before) / 2) or before * after < 0
