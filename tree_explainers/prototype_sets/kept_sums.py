"""Proximities of the rows of a class to each other, kept between two passes over all pairs.

Choosing prototypes lists pairs above one threshold, a certificate those above another. Adding up the proximities takes
far longer than listing, and digit by digit they take little more than a byte a pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..leaf_space.binary_sums import ExactSums
from ..leaf_space.leaf_masks import BLOCK, WORDS

MOST_BYTES = 1 << 26
"""What is kept at most: of ten or twelve thousand rows in two classes, by a thousand trees."""

_TARGETS_AT_ONCE = 512


@dataclass(slots=True)
class SumsOfBlock:
    """The proximities of a block of rows to these and all later ones."""

    digits: NDArray[np.uint64]  # (n_targets, 8 x n_digits), see ``add_masks``
    _written: list[int] = field(default_factory=list)  # how many targets, each time: several threads write

    @property
    def is_whole(self) -> bool:
        """Whether all have been written."""
        return sum(self._written) == len(self.digits)

    def write(self, first: int, sums: ExactSums) -> None:
        """Keep the proximities of some targets, the first of which this is."""
        self.digits[first : first + len(sums.digits)] = sums.digits[:, : self.digits.shape[1]]
        self._written.append(len(sums.digits))

    def read(self, part: slice) -> Iterator[tuple[slice, ExactSums]]:
        """Yield some of the targets of this part after the other, and their proximities, as ``BlockSums.of`` does."""
        n_digits, n_targets = self.digits.shape[1] // WORDS, part.stop - part.start
        for start in range(0, n_targets, _TARGETS_AT_ONCE):
            some = slice(start, min(start + _TARGETS_AT_ONCE, n_targets))
            yield some, ExactSums(self.digits[part.start + some.start : part.start + some.stop], n_digits)


class KeptSums:
    """The proximities of all rows of some classes; those of a class are kept whole, or not at all.

    They are of one table and one set of weights. A class is known by its first row and their number.
    """

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._n_bytes_left = most_bytes
        self._classes: set[tuple[int, int]] = set()  # that there is room for
        self._blocks: dict[tuple[int, int, int], SumsOfBlock] = {}  # of classes, by where each block begins

    def of(self, rows: NDArray[np.int64], block: slice) -> SumsOfBlock | None:
        """Return what is kept of a block of the rows of a class."""
        sums = self._blocks.get((int(rows[0]), len(rows), block.start))
        return sums if sums is not None and sums.is_whole else None

    def room_for(self, rows: NDArray[np.int64], block: slice, n_digits: int) -> SumsOfBlock | None:
        """Return room for the proximities of a block of the rows of a class, if there is any for those of all."""
        of_class = int(rows[0]), len(rows)
        if of_class not in self._classes:
            n_bytes = 8 * WORDS * n_digits * sum(range(len(rows), 0, -BLOCK))
            if n_bytes > self._n_bytes_left:
                return None
            self._n_bytes_left -= n_bytes
            self._classes.add(of_class)
        sums = SumsOfBlock(np.empty((len(rows) - block.start, WORDS * n_digits), np.uint64))
        self._blocks[*of_class, block.start] = sums
        return sums

    def clear(self) -> None:
        """Let go of everything."""
        self._blocks.clear()
