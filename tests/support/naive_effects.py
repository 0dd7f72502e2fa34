"""Shapley values from their definition: every coalition's rows are mixed, and the model itself predicts them."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def shapley_values(worth: Callable[[NDArray[np.bool_]], Floats], n_players: int) -> Floats:
    """Return the Shapley values of a game, (n_players, ...).

    Parameters
    ----------
    worth
        What each of some coalitions is worth, (n_coalitions, ...), for who is in them, (n_coalitions, n_players).
    """
    coalitions = [set(some) for size in range(n_players + 1) for some in combinations(range(n_players), size)]
    members = np.array([[player in some for player in range(n_players)] for some in coalitions], np.bool_)
    worths = dict(zip(map(frozenset, coalitions), worth(members), strict=True))
    values = []
    for player in range(n_players):
        total: Any = 0.0
        for some in coalitions:
            if player not in some:
                share = factorial(len(some)) * factorial(n_players - len(some) - 1) / factorial(n_players)
                total = total + share * (worths[frozenset(some | {player})] - worths[frozenset(some)])
        values.append(total)
    return np.array(values, np.float64)


def mixed_rows(
    row: Sequence[Any], reference: Sequence[Any], players: Sequence[int], members: NDArray[np.bool_]
) -> list[NDArray[Any]]:
    """Return the columns of one mixed row per coalition: the features of its members are those of the row.

    Parameters
    ----------
    row, reference : (n_features,)
        Cells.
    players : (n_features,)
        The player of each feature.
    members : (n_coalitions, n_players)
        Who is in each coalition.
    """
    columns = []
    for cell, other, player in zip(row, reference, players, strict=True):
        cells = [cell if is_in else other for is_in in members[:, player]]
        is_text = isinstance(cell, str) or isinstance(other, str) or cell is None or other is None
        columns.append(np.array(cells, object if is_text else np.float64))
    return columns
