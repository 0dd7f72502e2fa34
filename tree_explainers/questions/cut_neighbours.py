"""Cut neighbours: the values of rows that lie next to a model's cuts, found block by block.

They tell how a cut may be printed so that no row changes its side; all other values need not be held.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def cut_neighbours(
    cuts: Floats, blocks: Iterable[Floats], precision: type[np.float32 | np.float64] = np.float64
) -> Floats:
    """Return the least and the greatest value between each two neighbouring cuts, ascending.

    Parameters
    ----------
    cuts : (n_cuts,)
        In any order; infinite ones are left out.
    blocks : each (n_rows,)
        Values; NaN: missing, and left out as infinite ones are.
    precision
        To which values are rounded before they are compared with cuts.

    Returns
    -------
    (n_values,) float64
        At most two for each gap, and for what lies below and above all cuts.
    """
    edges = np.unique(cuts[np.isfinite(cuts)])
    least, most = np.full(len(edges) + 1, np.inf), np.full(len(edges) + 1, -np.inf)
    for block in blocks:
        values = block[np.isfinite(block)]
        with np.errstate(over="ignore"):
            gaps = np.searchsorted(edges, values.astype(precision).astype(np.float64))
        np.minimum.at(least, gaps, values)
        np.maximum.at(most, gaps, values)
    return np.unique(np.concatenate((least[np.isfinite(least)], most[np.isfinite(most)])))
