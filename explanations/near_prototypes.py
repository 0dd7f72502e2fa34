"""The nearest prototypes of rows, with their reasons in words: those of many rows are found and written together."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prototype_sets.near_reasons import NearReasons

from .cell_texts import CellTexts
from .included_parts import Parts
from .reason_texts import PairNumbers, PairOfRows
from .typicality import UNKNOWN, Standing
from .warm_explainer import WarmExplainer, WarmPrototype

_MOST_REASONS = 200_000  # that are held at a time: ten megabytes
_MANY_PAIRS = 32  # of fewer, arrays would take longer
_NUMBERS = "numbers of prototypes"


class Near(NamedTuple):
    """The nearest prototypes of one row."""

    prototypes: list[WarmPrototype]  # nearest first
    shares: list[float]  # proximities, as shares of that of a row to itself
    n_shared: list[int]  # trees that count in which the row has the same leaf
    reasons: list[bytes]  # of each prototype, a list as JSON; none where the explainer abstains
    standing: Standing


class RowsToCompare(NamedTuple):
    """Rows that are compared with prototypes."""

    leaves: NDArray[np.int32]  # (n_rows, n_trees)
    proximities: NDArray[np.int64]  # (n_rows, n_prototypes)
    values: Sequence[Sequence[Any]]  # of each row, as sent
    cells: Sequence[CellTexts]  # the same as JSON
    usual: Sequence[bool]  # whether surely nothing is missing, of each row
    numbers: NDArray[np.float64] | None = None  # (n_rows, n_features) the values, where all features are numbers

    def part(self, rows: slice) -> "RowsToCompare":
        """Return some of the rows."""
        numbers = None if self.numbers is None else self.numbers[rows]
        return RowsToCompare._make([*(part[rows] for part in self[:-1]), numbers])


def near_prototypes(warm: WarmExplainer, parts: Parts, rows: RowsToCompare) -> Iterator[Near]:
    """Yield the nearest prototypes of each row."""
    n_of_row = max(1, parts.n_prototypes * warm.near.most_reasons)
    n_together = max(1, _MOST_REASONS // n_of_row)
    for start in range(0, len(rows.leaves), n_together):
        yield from _of_part(warm, parts, rows.part(slice(start, start + n_together)))


def _of_part(warm: WarmExplainer, parts: Parts, rows: RowsToCompare) -> Iterator[Near]:
    wanted = warm.reason_texts.wanted(parts.n_reasons)
    near = warm.near.to_rows(rows.leaves, rows.proximities, parts.n_prototypes, wanted)
    nearest, n_shared, bounds = near.nearest.tolist(), near.n_shared.tolist(), near.bounds.tolist()
    proximities: list[int] = near.proximities.tolist()
    shares = [proximity / warm.index.total_weight for proximity in proximities]
    largest = [proximities[start] if start < end else 0 for start, end in pairwise(bounds)]
    standings = [UNKNOWN if warm.typicality is None else warm.typicality.standing(each) for each in largest]
    written = _reasons(warm, parts, rows, near, [standing.abstains for standing in standings])
    for row, standing in enumerate(standings):
        pairs = slice(bounds[row], bounds[row + 1])
        prototypes = [warm.prototypes[index] for index in nearest[pairs]]
        yield Near(prototypes, shares[pairs], n_shared[pairs], written[pairs], standing)


def _reasons(
    warm: WarmExplainer, parts: Parts, rows: RowsToCompare, near: NearReasons, abstains: list[bool]
) -> list[bytes]:
    """Return the reasons of each pair in words, as JSON."""
    missing = [
        None if is_usual else warm.unexpected.of_row(values)
        for values, is_usual in zip(rows.values, rows.usual, strict=True)
    ]
    nearest, bounds = near.nearest.tolist(), near.bounds.tolist()
    written = [b"[]"] * len(nearest)
    # A prototype that shares a leaf by chance with the row explains nothing: there are no reasons then.
    explained = [row for row, abstaining in enumerate(abstains) if not abstaining]
    complete = [row for row in explained if missing[row] is None]
    for together in [complete, *([row] for row in explained if missing[row] is not None)]:
        pairs = [(row, pair) for row in together for pair in range(bounds[row], bounds[row + 1])]
        compared = None if rows.numbers is None else _pair_numbers(warm, rows.numbers, near.nearest, pairs)
        texts = warm.reason_texts.write_pairs(
            near.of_pairs([pair for _, pair in pairs]),
            [
                PairOfRows(rows.values[row], rows.cells[row], prototype.values, prototype.cells)
                for row, prototype in ((row, warm.prototypes[nearest[pair]]) for row, pair in pairs)
            ],
            missing[together[0]] if together else None,
            parts.n_reasons,
            with_intervals="intervals" in parts.included,
            numbers=compared,
        )
        for (_, pair), reasons in zip(pairs, texts, strict=True):
            written[pair] = reasons
    return written


def _pair_numbers(
    warm: WarmExplainer, rows: NDArray[np.float64], nearest: NDArray[np.int64], pairs: Sequence[tuple[int, int]]
) -> PairNumbers | None:
    """Return the values of pairs, which are a row and the index of its prototype in ``nearest``; ``None`` of few."""
    if len(pairs) < _MANY_PAIRS:
        return None
    if (prototypes := warm.known.get(_NUMBERS)) is None:
        prototypes = warm.known[_NUMBERS] = np.array(
            [[value if type(value) is float else nan for value in each.values] for each in warm.prototypes]
        )
    chosen = np.array(pairs)
    return PairNumbers(rows[chosen[:, 0]], prototypes[nearest[chosen[:, 1]]])
