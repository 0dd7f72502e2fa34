"""Rows: a block of raw rows, column by column, as a person would write them down."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Rows:
    """Raw columns in the order of ``names``.

    A column is either float64 (numbers and booleans; NaN is a missing value; never infinite) or object (categories:
    ``str``, or ``None`` where missing). Nothing else.
    """

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]  # each (n_rows,)

    def __post_init__(self) -> None:
        if len(self.names) != len(self.columns):
            msg = f"{len(self.names)} names for {len(self.columns)} columns"
            raise InvalidInput(msg)
        if len({column.shape for column in self.columns}) > 1:
            msg = "columns differ in length"
            raise InvalidInput(msg)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.columns[0]) if self.columns else 0

    def take(self, rows: NDArray[np.integer[Any]] | slice) -> "Rows":
        """Return the rows at these 0-based positions, in this order."""
        return Rows(self.names, tuple(column[rows] for column in self.columns))

    def select(self, names: Sequence[str]) -> "Rows":
        """Return the columns called ``names``, in this order; a ``KeyError`` names the first that is lacking."""
        position = {name: index for index, name in enumerate(self.names)}
        return Rows(tuple(names), tuple(self.columns[position[name]] for name in names))
