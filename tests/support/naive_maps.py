"""The slow, obvious twins of what maps are made of: every pair of rows is looked at, one at a time."""

import math

import numpy as np
from numpy.typing import NDArray

from .naive import Matrix


def neighbors_kept(proximity: Matrix, places: NDArray[np.float64], n_nearest: int) -> float:
    """The mean share of a row's nearest that are among its nearest on the map; those as near as the last count."""
    shares = []
    for row in range(len(proximity)):
        others = [other for other in range(len(proximity)) if other != row]
        nearest = sorted((proximity[row, other] for other in others), reverse=True)[:n_nearest]
        sharing = [value for value in nearest if value > 0]
        if sharing:
            on_map = _nearest_on_map(places, row, n_nearest)
            n_kept = sum(proximity[row, other] >= sharing[-1] for other in on_map)
            shares.append(min(1.0, n_kept / len(sharing)))
    return float(sum(shares) / len(shares))


def trustworthiness(proximity: Matrix, places: NDArray[np.float64], n_nearest: int) -> float:
    """Venna and Kaski (2001), equation 1, where rows of one proximity have the best rank among them."""
    n_rows, penalty = len(proximity), 0
    for row in range(n_rows):
        for other in _nearest_on_map(places, row, n_nearest):
            nearer = [each for each in range(n_rows) if each != row and proximity[row, each] > proximity[row, other]]
            penalty += max(0, len(nearer) + 1 - n_nearest)
    return 1 - 2 / (n_rows * n_nearest * (2 * n_rows - 3 * n_nearest - 1)) * penalty


def _nearest_on_map(places: NDArray[np.float64], row: int, n_nearest: int) -> list[int]:
    others = [other for other in range(len(places)) if other != row]
    return sorted(others, key=lambda other: math.dist(places[row], places[other]))[:n_nearest]


def place(shared: NDArray[np.int64], places: NDArray[np.float64]) -> tuple[float, float] | None:
    """The mean of the ten nearest, weighted by proximity; the lower row of equal ones first."""
    nearest = sorted(range(len(shared)), key=lambda row: (-shared[row], row))[:10]
    total = sum(int(shared[row]) for row in nearest)
    if total == 0:
        return None
    x, y = (sum(int(shared[row]) * places[row, axis] for row in nearest) / total for axis in (0, 1))
    return float(x), float(y)


def classical_scaling(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Torgerson (1952): the two axes of largest variance of points with these distances."""
    n_rows = len(distances)
    centring = np.eye(n_rows) - 1 / n_rows
    values, vectors = np.linalg.eigh(-centring @ distances**2 @ centring / 2)
    return np.asarray(vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2]))
