"""Targets: what rows of a training set are to be told as, classes or values."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput


@dataclass(frozen=True, slots=True)
class Targets:
    """The class or the value of each row; made by ``of_classes`` or ``of_values``."""

    classes: NDArray[np.int64] | None  # (n_rows,) in 0 to n_classes - 1; None for regression
    n_classes: int  # 0 for regression
    values: NDArray[np.float64] | None  # (n_rows,) finite; None for classification

    @classmethod
    def of_classes(cls, classes: NDArray[np.int64], n_classes: int) -> "Targets":
        """Return the targets of a classification.

        Raises
        ------
        InvalidInput
            If a class is not in 0 to ``n_classes - 1``.
        """
        if len(classes) and not 0 <= classes.min() <= classes.max() < n_classes:
            msg = f"classes must be in 0 to {n_classes - 1}, got {classes.min()} to {classes.max()}"
            raise InvalidInput(msg)
        return cls(np.ascontiguousarray(classes, dtype=np.int64), n_classes, None)

    @classmethod
    def of_values(cls, values: NDArray[np.float64]) -> "Targets":
        """Return the targets of a regression.

        Raises
        ------
        InvalidInput
            If a value is not finite.
        """
        if not np.isfinite(values).all():
            msg = f"row {int(np.argmin(np.isfinite(values)))}: the value is not finite"
            raise InvalidInput(msg)
        return cls(None, 0, np.ascontiguousarray(values, dtype=np.float64))

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.values if self.classes is None else self.classes)  # type: ignore[arg-type]  # one is there

    @property
    def is_regression(self) -> bool:
        """Whether the targets are values."""
        return self.values is not None

    def take(self, rows: NDArray[np.int64]) -> "Targets":
        """Return the targets of the rows at these positions."""
        return Targets(
            None if self.classes is None else self.classes[rows],
            self.n_classes,
            None if self.values is None else self.values[rows],
        )
