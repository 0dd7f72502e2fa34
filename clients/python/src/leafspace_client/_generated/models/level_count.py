from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="LevelCount")


@_attrs_define(repr=False)
class LevelCount(Record):
    """How many rows are so typical.

    Attributes:
        level (str): Level of `typicality`.
        n_rows (int): Number of explained rows of this level.
    """

    level: str
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        level = self.level

        n_rows = self.n_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "level": level,
                "n_rows": n_rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        level = d.pop("level")

        n_rows = d.pop("n_rows")

        level_count = cls(
            level=level,
            n_rows=n_rows,
        )

        return level_count
