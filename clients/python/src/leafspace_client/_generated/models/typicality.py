from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Typicality")


@_attrs_define(repr=False)
class Typicality(Record):
    """How near a row is to its nearest prototype, among other rows (see `typicality` of the prototype set).

    Attributes:
        level (str): `close`: above the 75th percentile; `typical`: from the 5th; `far`: below it; `none`: the row
            shares no leaf with any prototype.
        percentile (int): Share of the rows compared with that are no nearer to their nearest prototype, in per cent,
            rounded down; 0 where the level is `none`.
    """

    level: str
    percentile: int

    def to_dict(self) -> dict[str, Any]:
        level = self.level

        percentile = self.percentile

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "level": level,
                "percentile": percentile,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        level = d.pop("level")

        percentile = d.pop("percentile")

        typicality = cls(
            level=level,
            percentile=percentile,
        )

        return typicality
