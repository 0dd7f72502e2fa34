from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeatureVariable")


@_attrs_define(repr=False)
class FeatureVariable(Record):
    """A row of another table, reached from the example or from an earlier variable.

    Attributes:
        id (str): Name by which conditions and later variables refer to the row.
        table (str): Name of the table that the row is of.
        from_ (str): `example`, or the id of an earlier variable.
        by (str): Name of the relationship that is followed: `<table with the foreign key>.<its columns, parted by
            commas>`.
        direction (str | Unset): Way in which the relationship is followed, where both of its ends are the same table:
            to the rows that refer to this one (`children`), or to the one that it refers to (`parent`); absent elsewhere,
            where only one way is open.
    """

    id: str
    table: str
    from_: str
    by: str
    direction: str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        table = self.table

        from_ = self.from_

        by = self.by

        direction = self.direction

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "table": table,
                "from": from_,
                "by": by,
            }
        )
        if direction is not UNSET:
            field_dict["direction"] = direction

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        table = d.pop("table")

        from_ = d.pop("from")

        by = d.pop("by")

        direction = d.pop("direction", UNSET)

        feature_variable = cls(
            id=id,
            table=table,
            from_=from_,
            by=by,
            direction=direction,
        )

        return feature_variable
