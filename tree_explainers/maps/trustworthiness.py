"""How far a map can be trusted."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.leaves import LeafTable
from ..leaf_space.nearest_rows import NearestRows
from ..leaf_space.proximity import each_column

N_NEAREST = 10
_MOST_QUERIES = 2_000


@dataclass(frozen=True, slots=True)
class MapQuality:
    """Two figures about a map, each of the rows that are evaluated, and what shuffled places score by chance."""

    neighbors_kept: float | None  # None: no row shares a leaf with another
    trustworthiness: float
    neighbors_kept_by_chance: float | None  # None likewise
    trustworthiness_by_chance: float
    n_rows: int  # that are evaluated


def evaluate_map(
    table: LeafTable, weights: NDArray[np.int64], positions: NDArray[np.float64], rng: np.random.Generator
) -> MapQuality:
    """Compare the rows that are nearest on a map with those that are nearest in leaf space.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    positions : (n_rows, 2) float64
        Of the rows.
    rng
        Draws ``2,000`` rows that are evaluated, where there are more, and then shuffles the places.

    Returns
    -------
    MapQuality
        ``neighbors_kept``: of a row's ten nearest in leaf space, those that share a leaf with it, the share that is
        among its ten nearest on the map; rows as near as the tenth count like it. The mean over rows.
        ``trustworthiness``, 0 to 1: how few of a row's ten nearest on the map are far from it in leaf space, by their
        rank (ties: the best rank). With n rows, the ten are fewer where n is less than 21.
        ``…_by_chance``: the same figures of the same rows when every row stands in the place of another, at random.
        Where many rows are equally near, as in forests with small leaves, trustworthiness by chance is near 1.

    References
    ----------
    Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods", equation 1.
    """
    n_rows = table.n_rows
    n_nearest = max(1, min(N_NEAREST, (n_rows - 1) // 2))
    queries = np.sort(rng.choice(n_rows, min(n_rows, _MOST_QUERIES), replace=False))
    on_map = nearest_on_map(positions, queries, n_nearest)
    by_chance = nearest_on_map(rng.permutation(positions), queries, n_nearest)
    _, shared = NearestRows(table, weights).of_rows(queries, n_nearest)
    scores, chance_scores = _Scores(n_rows, n_nearest), _Scores(n_rows, n_nearest)
    compared = each_column(table, weights, table.leaves_of(queries))
    for index, (column, query) in enumerate(zip(compared, queries.tolist(), strict=True)):
        proximities = column.astype(np.int64)
        proximities[query] = -1  # not its own neighbour
        scores.add(proximities, on_map[index], shared[index])
        chance_scores.add(proximities, by_chance[index], shared[index])
    return MapQuality(
        scores.neighbors_kept,
        scores.trustworthiness,
        chance_scores.neighbors_kept,
        chance_scores.trustworthiness,
        len(queries),
    )


class _Scores:
    """The figures of one layout, summed row by row."""

    def __init__(self, n_rows: int, n_nearest: int) -> None:
        self._n_nearest = n_nearest
        self._largest_penalty = n_nearest * (2 * n_rows - 3 * n_nearest - 1) / 2  # of one row
        self._shares_kept: list[float] = []  # of rows that share a leaf with another
        self._penalty = 0.0
        self._n_queries = 0

    def add(
        self, proximities: NDArray[np.int64], on_map: NDArray[np.int64], nearest_proximities: NDArray[np.int64]
    ) -> None:
        """Count a row: its proximities to all rows, its nearest on the map, and the largest of its proximities."""
        near = proximities[on_map]
        ranks = 1 + (proximities[None, :] > near[:, None]).sum(axis=1)
        self._penalty += float(np.maximum(ranks - self._n_nearest, 0).sum())
        self._n_queries += 1
        if n_sharing := int((nearest_proximities > 0).sum()):
            n_kept = int((near >= nearest_proximities[n_sharing - 1]).sum())
            self._shares_kept.append(min(1.0, n_kept / n_sharing))

    @property
    def neighbors_kept(self) -> float | None:
        """Mean share of a row's nearest that are kept; ``None`` if no row shares a leaf with another."""
        return float(np.mean(self._shares_kept)) if self._shares_kept else None

    @property
    def trustworthiness(self) -> float:
        """Equation 1 of Venna and Kaski, of the rows that were added."""
        if self._largest_penalty <= 0:
            return 1.0
        return 1.0 - self._penalty / self._n_queries / self._largest_penalty


def nearest_on_map(positions: NDArray[np.float64], queries: NDArray[np.int64], n_nearest: int) -> NDArray[np.int64]:
    """Return the rows nearest to some rows on a map, (n_queries, n_nearest), nearest first, without themselves."""
    from scipy.spatial import cKDTree  # heavy, and for maps alone

    neighbors = cKDTree(positions).query(positions[queries], n_nearest + 1)[1]
    # A row in the same place may come before the row itself, or in its stead.
    is_other = neighbors != queries[:, None]
    is_other[is_other.all(axis=1), -1] = False
    return np.asarray(neighbors[is_other].reshape(len(queries), n_nearest), dtype=np.int64)
