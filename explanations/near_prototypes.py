"""The nearest prototypes of rows, with their reasons in words: those of many rows are found and written together."""

from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from tree_explainers.compute.progress import Tick, no_tick
from tree_explainers.prototype_sets.near_reasons import NearReasons

from .cell_texts import MANY_ROWS, CellTexts, SentRows
from .included_parts import Parts
from .many_reasons import ManyPairs, OtherRows
from .reason_heads import KEPT_REASONS, OtherRow
from .reason_texts import PairOfRows
from .typicality import UNKNOWN, Standing
from .warm_explainer import WarmExplainer, WarmPrototype

_MOST_REASONS = 200_000  # that are held at a time: ten megabytes
_PROTOTYPES, _OTHER_ROWS = "values of prototypes", "prototypes as other rows"  # where an explainer has them
_LEAST_KEPT = 100  # reasons that were met before, of each prototype: a quarter of a kilobyte each


class Near(NamedTuple):
    """The nearest prototypes of one row."""

    prototypes: list[WarmPrototype]  # nearest first
    shares: list[float]  # proximities, as shares of that of a row to itself
    n_shared: list[int]  # trees that count in which the row has the same leaf
    reasons: list[bytes]  # of each prototype, a list as JSON; none where the explainer abstains
    standing: Standing


class NearOfRows(NamedTuple):
    """The nearest prototypes of rows; a pair is a row and a prototype."""

    prototypes: Sequence[WarmPrototype]  # all, by their indices
    nearest: list[int]  # (n_pairs,) indices, row by row, nearest first
    shares: list[float]  # (n_pairs,)
    n_shared: list[int]  # (n_pairs,)
    reasons: list[bytes]  # (n_pairs,)
    bounds: list[int]  # (n_rows + 1,) where each row's pairs begin
    standings: list[Standing]  # (n_rows,)

    def of_row(self, row: int) -> Near:
        """Return those of one row."""
        pairs = slice(self.bounds[row], self.bounds[row + 1])
        prototypes = [self.prototypes[index] for index in self.nearest[pairs]]
        return Near(prototypes, self.shares[pairs], self.n_shared[pairs], self.reasons[pairs], self.standings[row])


class RowsToCompare(NamedTuple):
    """Rows that are compared with prototypes."""

    leaves: NDArray[np.int32]  # (n_rows, n_trees)
    proximities: NDArray[np.int64]  # (n_rows, n_prototypes)
    sent: SentRows
    cells: Sequence[CellTexts]  # the values of each row as JSON
    usual: Sequence[bool]  # whether surely nothing is missing, of each row
    numbers: NDArray[np.float64] | None = None  # (n_rows, n_features) the values, where all features are numbers

    def part(self, rows: slice) -> "RowsToCompare":
        """Return some of the rows."""
        sent = self.sent.among(range(*rows.indices(len(self.cells))))
        numbers = None if self.numbers is None else self.numbers[rows]
        leaves, proximities = self.leaves[rows], self.proximities[rows]
        return RowsToCompare(leaves, proximities, sent, self.cells[rows], self.usual[rows], numbers)


def near_of_row(
    warm: WarmExplainer,
    parts: Parts,
    compared: tuple[NDArray[np.int32], NDArray[np.int64]],
    row: tuple[Sequence[Any], CellTexts],
    *,
    is_usual: bool,
) -> Near:
    """Return the nearest prototypes of one row, whose reasons have no intervals.

    Parameters
    ----------
    compared : (1, n_trees) and (1, n_prototypes)
        By which it is compared: its leaves, and its proximities.
    row
        Its values, and the same as JSON.
    is_usual
        Whether surely nothing is missing.
    """
    texts, prototypes = warm.reason_texts, warm.prototypes
    near = warm.near.to_rows(*compared, parts.n_prototypes, texts.wanted(parts.n_reasons))
    indices, proximities = near.nearest.tolist(), near.proximities.tolist()
    standing = UNKNOWN
    if warm.typicality is not None:
        standing = warm.typicality.standing(proximities[0] if proximities else 0)
    nearest, total = [prototypes[index] for index in indices], warm.index.total_weight
    missing = None if is_usual else warm.unexpected.of_row(row[0])
    if standing.abstains:
        reasons = [b"[]"] * len(nearest)
    elif missing is None:
        reasons = texts.write_row(near.reasons, row, [_other_row(warm, index) for index in indices], parts.n_reasons)
    else:
        pairs = [PairOfRows(*row, prototype.values, prototype.cells) for prototype in nearest]
        reasons = texts.write_pairs(near.reasons, pairs, missing, parts.n_reasons, with_intervals=False)
    return Near(nearest, [proximity / total for proximity in proximities], near.n_shared.tolist(), reasons, standing)


def _other_row(warm: WarmExplainer, index: int) -> OtherRow:
    """Return a prototype as single rows are compared with it."""
    if (known := warm.known.get((_OTHER_ROWS, index))) is None:
        prototype, most = warm.prototypes[index], _LEAST_KEPT + KEPT_REASONS // len(warm.prototypes)
        known = warm.known[_OTHER_ROWS, index] = OtherRow(prototype.values, prototype.cells, {}, most)
    return cast("OtherRow", known)


def near_prototypes(warm: WarmExplainer, parts: Parts, rows: RowsToCompare, tick: Tick = no_tick) -> NearOfRows:
    """Return the nearest prototypes of rows; ``tick`` is called before each part of many rows, and may raise."""
    n_of_row = max(1, parts.n_prototypes * warm.near.most_reasons)
    n_together, n_rows = max(1, _MOST_REASONS // n_of_row), len(rows.leaves)
    if n_rows <= n_together:
        return _of_part(warm, parts, rows)
    found = list[NearOfRows]()
    for start in range(0, n_rows, n_together):
        tick()
        found.append(_of_part(warm, parts, rows.part(slice(start, start + n_together))))
    return _joined(found)


def _joined(parts: Sequence[NearOfRows]) -> NearOfRows:
    """Return the nearest prototypes of the rows of all parts."""
    bounds = [0]
    for part in parts:
        bounds += [bounds[-1] + bound for bound in part.bounds[1:]]
    first, *_ = parts
    lists = {
        name: [*chain.from_iterable(getattr(part, name) for part in parts)]
        for name in ("nearest", "shares", "n_shared", "reasons", "standings")
    }
    return first._replace(**lists, bounds=bounds)


def _of_part(warm: WarmExplainer, parts: Parts, rows: RowsToCompare) -> NearOfRows:
    wanted = warm.reason_texts.wanted(parts.n_reasons)
    near = warm.near.to_rows(rows.leaves, rows.proximities, parts.n_prototypes, wanted)
    nearest, n_shared, bounds = near.nearest.tolist(), near.n_shared.tolist(), near.bounds.tolist()
    proximities: list[int] = near.proximities.tolist()
    shares = [proximity / warm.index.total_weight for proximity in proximities]
    largest = [proximities[start] if start < end else 0 for start, end in pairwise(bounds)]
    standings = [UNKNOWN if warm.typicality is None else warm.typicality.standing(each) for each in largest]
    written = _reasons(warm, parts, rows, near, [standing.abstains for standing in standings])
    return NearOfRows(warm.prototypes, nearest, shares, n_shared, written, bounds, standings)


def _reasons(
    warm: WarmExplainer, parts: Parts, rows: RowsToCompare, near: NearReasons, abstains: list[bool]
) -> list[bytes]:
    """Return the reasons of each pair in words, as JSON."""
    missing = [
        None if is_usual else warm.unexpected.of_row(values)
        for values, is_usual in zip(rows.sent.values, rows.usual, strict=True)
    ]
    nearest, bounds = near.nearest.tolist(), near.bounds.tolist()
    written = [b"[]"] * len(nearest)
    # A prototype that shares a leaf by chance with the row explains nothing: there are no reasons then.
    explained = [row for row, abstaining in enumerate(abstains) if not abstaining]
    complete = [row for row in explained if missing[row] is None]
    if (many := _many_reasons(warm, parts, rows, near, complete)) is not None:
        written, complete = many, []
    alone = ([row] for row in explained if missing[row] is not None)
    for together in filter(None, [complete, *alone]):
        pairs = [(row, pair) for row in together for pair in range(bounds[row], bounds[row + 1])]
        texts = warm.reason_texts.write_pairs(
            near.of_pairs([pair for _, pair in pairs]),
            [
                PairOfRows(rows.sent.values[row], rows.cells[row], prototype.values, prototype.cells)
                for row, prototype in ((row, warm.prototypes[nearest[pair]]) for row, pair in pairs)
            ],
            missing[together[0]],
            parts.n_reasons,
            with_intervals="intervals" in parts.included,
        )
        for (_, pair), reasons in zip(pairs, texts, strict=True):
            written[pair] = reasons
    return written


def _many_reasons(
    warm: WarmExplainer, parts: Parts, rows: RowsToCompare, near: NearReasons, explained: list[int]
) -> list[bytes] | None:
    """Return the reasons of each pair as JSON, none of pairs of other rows than those that are explained.

    It is ``None`` where few rows are, or some feature or column is no number: these are written pair by pair.
    """
    if rows.numbers is None or len(explained) < MANY_ROWS:
        return None
    row_of_pair = np.repeat(np.arange(len(near.bounds) - 1), np.diff(near.bounds))
    pairs = np.flatnonzero(np.isin(row_of_pair, explained))
    compared = ManyPairs(row_of_pair[pairs], near.nearest[pairs], rows.sent, rows.numbers, _other_rows(warm))
    texts = warm.reason_texts.write_many(
        near.of_pairs(pairs.tolist()), compared, parts.n_reasons, with_intervals="intervals" in parts.included
    )
    if texts is None:
        return None
    written = dict(zip(pairs.tolist(), texts, strict=True))
    return [written.get(pair, b"[]") for pair in range(len(near.nearest))]


def _other_rows(warm: WarmExplainer) -> OtherRows:
    """Return the values of the prototypes."""
    if (prototypes := warm.known.get(_PROTOTYPES)) is None:
        values, cells = zip(*((each.values, each.cells) for each in warm.prototypes), strict=True)
        prototypes = warm.known[_PROTOTYPES] = OtherRows.of(values, cells)
    return cast("OtherRows", prototypes)
