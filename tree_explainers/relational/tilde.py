"""TILDE: top-down induction of first-order trees (Blockeel & De Raedt 1998; Van Assche & Blockeel 2007, table 1)."""

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from .tables import RelationalRows
from .tilde_trees import TildeSettings, TildeTree


def grow_tilde(
    rows: RelationalRows,
    weights: NDArray[np.float64],
    settings: TildeSettings,
    key: tuple[int, int] = (0, 0),
    report: ReportProgress = ignore_progress,
    n_threads: int | None = None,
) -> TildeTree:
    """Grow one tree.

    Parameters
    ----------
    rows
        All tables, with labels.
    weights
        (n_examples,) what each example counts: 1, or how often a bootstrap drew it; those of weight 0 or without a
        label are not learned from.
    settings
        How it is grown.
    key
        Seed and number of the tree: what ``test_share`` keeps depends on them, the node's path and the test alone.
    report
        Progress callback; may raise to stop.
    n_threads
        Threads that share the tests of a node; None: one for each core. The tree is the same with any number.
    """
    raise NotImplementedError
