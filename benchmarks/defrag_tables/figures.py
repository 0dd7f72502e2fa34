"""How several draws' figures are written in a table."""

import math
from collections.abc import Iterable, Sequence

import numpy as np

from benchmarks.paper_tables.spread import Spread

_SIGNIFICANT = 3


def shown(figures: Sequence[float], n_decimals: int) -> str:
    """Return mean ± standard deviation."""
    spread = Spread.of(figures)
    mean = f"{spread.mean:.{n_decimals}f}"
    return f"{mean} ± {spread.deviation:.{n_decimals}f}" if spread.n > 1 else mean


def shown_seconds(figures: Sequence[float]) -> str:
    """Return mean ± standard deviation with three digits that count."""
    mean = Spread.of(figures).mean
    return shown(figures, n_decimals_of(mean))


def n_decimals_of(figure: float) -> int:
    """Return how many decimals show three digits that count."""
    return max(0, _SIGNIFICANT - 1 - math.floor(math.log10(max(abs(figure), 1e-9))))


def shown_range(counts: Iterable[int]) -> str:
    """Return median (least to most)."""
    known = sorted(counts)
    if not known or known[0] == known[-1]:
        return str(known[0]) if known else ""
    return f"{np.median(known):g} ({known[0]} to {known[-1]})"


def line(cells: Iterable[str]) -> str:
    """Return a row of a Markdown table."""
    return "| " + " | ".join(cells) + " |"


def header(names: Sequence[str], n_left: int = 1) -> list[str]:
    """Return the head of a Markdown table; the first columns and the one called why are set to the left."""
    rules = ["---" if at < n_left or name == "why" else "---:" for at, name in enumerate(names)]
    return [line(names), "|" + "|".join(rules) + "|"]
