"""Pseudo rows where columns imply each other: smoothing draws each column alone, so that some rows cannot be.

They are repaired before the model labels them, so that no split rests on labels of rows that cannot be.
"""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..questions.implications import Implications, repaired
from ..rows import Rows
from .generators import Draw, RowGenerator
from .node_boxes import NodeBox


@dataclass(frozen=True, slots=True)
class PossibleRows:
    """Draws pseudo rows in which no implication is broken."""

    generator: RowGenerator
    implications: Implications = field(default_factory=Implications)

    def at_node(self, rows_at_node: Rows, box: NodeBox) -> Draw:
        """Return what draws pseudo rows like the training rows that reach a node; see ``RowGenerator.at_node``.

        A column that implies a false one is made false. Where this leads out of the box, all columns that implications
        read are those of a training row of the node, as such a row is possible.
        """
        draw = self.generator.at_node(rows_at_node, box)
        if not len(self.implications.pairs):
            return draw

        def draw_possible(n: int, rng: np.random.Generator) -> Rows:
            pseudo_rows = repaired(draw(n, rng), self.implications)
            outside = np.flatnonzero(~box.contains(pseudo_rows))
            if not len(outside):
                return pseudo_rows
            real_rows = rows_at_node.take(rng.integers(len(rows_at_node), size=len(outside)))
            return _with_values(pseudo_rows, outside, real_rows.select(self.implications.columns))

        return draw_possible


def _with_values(rows: Rows, positions: NDArray[np.int64], replacement: Rows) -> Rows:
    """Return rows of which those at some places have other values in some columns."""
    values: dict[str, NDArray[Any]] = dict(zip(replacement.names, replacement.columns, strict=True))
    columns = []
    for name, column in zip(rows.names, rows.columns, strict=True):
        changed = column.copy() if name in values else column
        if name in values:
            changed[positions] = values[name]
        columns.append(changed)
    return Rows(rows.names, tuple(columns))
