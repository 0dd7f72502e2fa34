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
    """Two figures about a map, each of the rows that are evaluated."""

    neighbors_kept: float | None  # None: no row shares a leaf with another
    trustworthiness: float
    n_rows: int  # that are evaluated


def evaluate_map(
    table: LeafTable, weights: NDArray[np.int64], places: NDArray[np.float64], rng: np.random.Generator
) -> MapQuality:
    """Compare the rows that are nearest on a map with those that are nearest in leaf space.

    Parameters
    ----------
    table
        Leaves of the rows.
    weights : (n_trees,) int64
        What each tree counts.
    places : (n_rows, 2) float64
        Of the rows.
    rng
        Draws ``2,000`` rows that are evaluated, where there are more.

    Returns
    -------
    MapQuality
        ``neighbors_kept``: of a row's ten nearest in leaf space, those that share a leaf with it, the share that is
        among its ten nearest on the map; rows as near as the tenth count like it. The mean over rows.
        ``trustworthiness``, 0 to 1: how few of a row's ten nearest on the map are far from it in leaf space, by their
        rank (ties: the best rank). With n rows, the ten are fewer where n is less than 21.

    References
    ----------
    Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods", equation 1.
    """
    n_rows = table.n_rows
    n_nearest = max(1, min(N_NEAREST, (n_rows - 1) // 2))
    queries = np.sort(rng.choice(n_rows, min(n_rows, _MOST_QUERIES), replace=False))
    on_map = nearest_on_map(places, queries, n_nearest)
    _, shared = NearestRows(table, weights).of_rows(queries, n_nearest)
    kept, penalty = [], 0.0
    compared = each_column(table, weights, table.leaves_of(queries))
    for column, query, found, in_leaves in zip(compared, queries.tolist(), on_map, shared, strict=True):
        proximities = column.astype(np.int64)
        proximities[query] = -1  # not its own neighbour
        near = proximities[found]
        ranks = 1 + (proximities[None, :] > near[:, None]).sum(axis=1)
        penalty += float(np.maximum(ranks - n_nearest, 0).sum())
        if n_sharing := int((in_leaves > 0).sum()):
            kept.append(min(1.0, float((near >= in_leaves[n_sharing - 1]).sum()) / n_sharing))
    worst = n_nearest * (2 * n_rows - 3 * n_nearest - 1) / 2
    return MapQuality(
        float(np.mean(kept)) if kept else None, 1.0 - penalty / len(queries) / worst if worst > 0 else 1.0, len(queries)
    )


def nearest_on_map(places: NDArray[np.float64], queries: NDArray[np.int64], n_nearest: int) -> NDArray[np.int64]:
    """Return the rows nearest to some rows on a map, (n_queries, n_nearest), nearest first, without themselves."""
    from scipy.spatial import cKDTree  # noqa: PLC0415  # heavy, and for maps alone

    found = cKDTree(places).query(places[queries], n_nearest + 1)[1]
    # A row in the same place may come before the row itself, or in its stead.
    is_other = found != queries[:, None]
    is_other[is_other.all(axis=1), -1] = False
    return np.asarray(found[is_other].reshape(len(queries), n_nearest), dtype=np.int64)
