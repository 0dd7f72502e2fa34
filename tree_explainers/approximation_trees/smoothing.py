"""Smoother: pseudo rows near training rows, inside a node's box."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from ..rows import Rows
from .node_boxes import NodeBox
from .smoothed_columns import SmoothedColumn, is_narrowed, smoothed_column


@dataclass(frozen=True, slots=True)
class Smoother:
    """The smoothed distribution of training rows.

    A pseudo row is a training row, drawn uniformly, each of whose values is smoothed on its own:

    - a continuous number by Gaussian noise with a standard deviation of ``BANDWIDTH`` (0.1) times the feature's own
      over all training rows;
    - a number whose training values are all whole, or at most ``MOST_FEW`` (10) of them distinct, so booleans, too:
      with ``MOVE_PROBABILITY`` (0.1) the next smaller or the next larger training value, each as likely; the smallest
      and the largest have one neighbour only;
    - a category with ``MOVE_PROBABILITY`` another one, drawn by how often the training rows have it;
    - a missing value stays missing.

    References
    ----------
    Zhou, Hooker (2016), "Interpreting Models via Single Tree Approximation", section 3.1, which leaves the bandwidth
    and the probability open.
    """

    names: tuple[str, ...]
    columns: tuple[SmoothedColumn, ...]  # in the order of ``names``

    @classmethod
    def of(cls, rows: Rows, missing_texts: Mapping[str, str], beat: Callable[[], None] = lambda: None) -> Self:
        """Return the smoother of training rows.

        Parameters
        ----------
        rows
            All training rows.
        missing_texts
            By column: a text that stands for a missing category.
        beat
            Called before each column; may raise to stop.
        """
        columns = []
        for name, column in zip(rows.names, rows.columns, strict=True):
            beat()
            columns.append(smoothed_column(column, missing_texts.get(name)))
        return cls(rows.names, tuple(columns))

    def draw(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> Rows:
        """Draw pseudo rows near the training rows that reach a node.

        The distribution is that of drawing whole rows, and again where they lie outside the box; nothing is clamped
        to its border. It is drawn from directly: a training row by the probability that its smoothed values stay
        inside, then each value from what is left of its distribution. So the time does not depend on the box.

        Parameters
        ----------
        rows_at_node
            The training rows that reach the node, at least one, all inside the box; columns as in ``names``.
        box
            The node's box.
        n
            How many pseudo rows.

        Returns
        -------
        Rows
            (n,) rows with the same columns.
        """
        picked = self._pick(rows_at_node, box, n, rng)
        columns = (
            smoothed.draw(values[picked], box.span(name), rng)
            for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True)
        )
        return Rows(self.names, tuple(columns))

    def _pick(self, rows_at_node: Rows, box: NodeBox, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
        weights = np.ones(len(rows_at_node))
        for name, smoothed, values in zip(self.names, self.columns, rows_at_node.columns, strict=True):
            if is_narrowed(box.span(name)):
                weights *= smoothed.acceptance(values, box.span(name))
        ends = np.cumsum(weights)
        if not ends[-1] > 0 or (weights == 1).all():  # spans too narrow for a double: all rows alike
            return np.asarray(rng.integers(len(rows_at_node), size=n), np.int64)
        picked: NDArray[np.int64] = np.searchsorted(ends, rng.random(n) * ends[-1], side="right")
        return np.minimum(picked, len(rows_at_node) - 1)
