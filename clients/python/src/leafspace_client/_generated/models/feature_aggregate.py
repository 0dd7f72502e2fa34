from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_selection import FeatureSelection


T = TypeVar("T", bound="FeatureAggregate")


@_attrs_define(repr=False)
class FeatureAggregate(Record):
    """A value made of the rows that one relationship leads to.

    Attributes:
        function (str): `count` of the rows that satisfy `where` (0 of none); `share` of them among all rows (missing of
            no rows); `sum` (0 of none), `mean`, `min`, `max` of the column's values (missing of none); `mode`: the most
            frequent category (missing of none); `n_distinct`: the number of distinct values (0 of none).
        by (str): Name of the relationship that is followed: `<table with the foreign key>.<its columns, parted by
            commas>`.
        direction (str | Unset): Way in which the relationship is followed, where both of its ends are the same table:
            to the rows that refer to this one (`children`), or to the one that it refers to (`parent`); absent elsewhere,
            where only one way is open.
        column (str | Unset): Name of the column that is read; absent for `count` and `share`.
        parents (list[str] | Unset): Names of the relationships that lead from the row to the parent whose column is
            read, one after the other; absent where the row's own column is read. Trees read parents up to 3 relationships
            away, generated features up to 2.
        where (list[FeatureSelection] | Unset): Conditions that rows satisfy together to be counted.
    """

    function: str
    by: str
    direction: str | Unset = UNSET
    column: str | Unset = UNSET
    parents: list[str] | Unset = UNSET
    where: list[FeatureSelection] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        function = self.function

        by = self.by

        direction = self.direction

        column = self.column

        parents: list[str] | Unset = UNSET
        if not isinstance(self.parents, Unset):
            parents = self.parents

        where: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.where, Unset):
            where = []
            for where_item_data in self.where:
                where_item = where_item_data.to_dict()
                where.append(where_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "function": function,
                "by": by,
            }
        )
        if direction is not UNSET:
            field_dict["direction"] = direction
        if column is not UNSET:
            field_dict["column"] = column
        if parents is not UNSET:
            field_dict["parents"] = parents
        if where is not UNSET:
            field_dict["where"] = where

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_selection import FeatureSelection  # noqa: PLC0415

        d = dict(src_dict)
        function = d.pop("function")

        by = d.pop("by")

        direction = d.pop("direction", UNSET)

        column = d.pop("column", UNSET)

        parents = cast(list[str], d.pop("parents", UNSET))

        _where = d.pop("where", UNSET)
        where: list[FeatureSelection] | Unset = UNSET
        if _where is not UNSET:
            where = []
            for where_item_data in _where:
                where_item = FeatureSelection.from_dict(where_item_data)

                where.append(where_item)

        feature_aggregate = cls(
            function=function,
            by=by,
            direction=direction,
            column=column,
            parents=parents,
            where=where,
        )

        return feature_aggregate
