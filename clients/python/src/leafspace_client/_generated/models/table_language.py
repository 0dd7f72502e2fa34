from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="TableLanguage")


@_attrs_define(repr=False)
class TableLanguage(Record):
    """Which queries trees may use about one table's rows.

    Attributes:
        columns (list[str] | None | Unset): Names of the columns that are tested; null: all; `[]`: none.
        bare (bool | Unset): Whether trees may test if there is a row at all, without a condition on one of its columns.
            Default: True.
        aggregates (list[str] | None | Unset): Aggregates of the table's rows that are tested; null: all; `[]`: none.
    """

    columns: list[str] | None | Unset = UNSET
    bare: bool | Unset = True
    aggregates: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        columns: list[str] | None | Unset
        if isinstance(self.columns, Unset):
            columns = UNSET
        elif isinstance(self.columns, list):
            columns = self.columns

        else:
            columns = self.columns

        bare = self.bare

        aggregates: list[str] | None | Unset
        if isinstance(self.aggregates, Unset):
            aggregates = UNSET
        elif isinstance(self.aggregates, list):
            aggregates = self.aggregates

        else:
            aggregates = self.aggregates

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if columns is not UNSET:
            field_dict["columns"] = columns
        if bare is not UNSET:
            field_dict["bare"] = bare
        if aggregates is not UNSET:
            field_dict["aggregates"] = aggregates

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_columns(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                columns_type_0 = cast(list[str], data)

                return columns_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        columns = _parse_columns(d.pop("columns", UNSET))

        bare = d.pop("bare", UNSET)

        def _parse_aggregates(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                aggregates_type_0 = cast(list[str], data)

                return aggregates_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        aggregates = _parse_aggregates(d.pop("aggregates", UNSET))

        table_language = cls(
            columns=columns,
            bare=bare,
            aggregates=aggregates,
        )

        return table_language
