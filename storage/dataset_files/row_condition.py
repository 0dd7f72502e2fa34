"""RowCondition: which rows have a value in a column, or a number within a range."""

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import StorageError
from .layout import ColumnType

_TRUTH = {"true": True, "false": False}
_N_CHARACTERS_SHOWN = 80


@dataclass(frozen=True, slots=True)
class RowCondition:
    """What a column's value is; without a value, a number within a range whose ends belong to it.

    A missing value meets no condition.
    """

    column: str
    value: str | bool | float | None = None
    at_least: float | None = None
    at_most: float | None = None

    @classmethod
    def of(
        cls, column: str, kind: ColumnType, value: str | None, at_least: float | None, at_most: float | None
    ) -> "RowCondition":
        """Return the condition on a column of this type, whose value is given as text.

        Raises
        ------
        StorageError
            ``validation_failed`` where a value and a range are given or neither, or what the column cannot have.
        """
        has_range = at_least is not None or at_most is not None
        if (value is None) != has_range:
            _refuse("say what the value is, or a range of it: `value`, or `at_least`, `at_most` or both", "/value")
        if has_range and kind != "number":
            _refuse(
                f"column {column[:_N_CHARACTERS_SHOWN]!r} has no numbers, and so no range; say `value`", "/at_least"
            )
        return cls(column, None if value is None else _value(column, kind, value), at_least, at_most)

    def rows(self, values: pa.ChunkedArray) -> NDArray[np.int64]:
        """Return the indices of the values that meet it, in ascending order."""
        starts = np.cumsum([0, *(len(chunk) for chunk in values.chunks)])
        met = [start + np.flatnonzero(self._met(chunk)) for start, chunk in zip(starts, values.chunks, strict=False)]
        return np.concatenate(met) if met else np.empty(0, dtype=np.int64)

    def _met(self, chunk: pa.Array) -> NDArray[np.bool_]:
        if pa.types.is_dictionary(chunk.type):
            codes = np.flatnonzero(self._met(chunk.dictionary))
            return np.isin(pc.fill_null(chunk.indices, -1).to_numpy(zero_copy_only=False), codes)
        if self.value is not None:
            met = pc.equal(chunk, pa.scalar(self.value, chunk.type))
        else:
            met = pa.array(np.ones(len(chunk), dtype=bool))
            for end, compare in ((self.at_least, pc.greater_equal), (self.at_most, pc.less_equal)):
                met = met if end is None else pc.and_(met, compare(chunk, pa.scalar(end, chunk.type)))
        return np.asarray(pc.fill_null(met, fill_value=False).to_numpy(zero_copy_only=False), dtype=bool)


def _value(column: str, kind: ColumnType, text: str) -> str | bool | float:
    if kind == "category":
        return text
    try:
        return _TRUTH[text] if kind == "boolean" else float(text)
    except (KeyError, ValueError):
        known = "`true` or `false`" if kind == "boolean" else "numbers, such as `41`"
        _refuse(
            f"{text[:_N_CHARACTERS_SHOWN]!r} is no value of column {column[:_N_CHARACTERS_SHOWN]!r}; they are {known}",
            "/value",
        )


def _refuse(detail: str, pointer: str) -> NoReturn:
    raise StorageError("validation_failed", detail, pointer)
