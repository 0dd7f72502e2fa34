from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="RelationalWarning")


@_attrs_define(repr=False)
class RelationalWarning(Record):
    """A reason to look at the tables again.

    Attributes:
        code (str): Stable, machine-readable name. `dates_without_time`: a table has a column of dates and no `time`;
            `time_without_cutoff`: it has a `time`, and the examples no `cutoff`. Either way its rows are seen whenever they
            were made, which may reveal the target. `table_not_joined`: no relationship leads from the examples to a table,
            so that nothing is learned from it. `column_of_ids`: nearly each row has another value, as ids have, which says
            nothing about other rows; it is a column like all others as long as it is not part of a key.
        table (str): Name of the table.
        columns (list[str]): Names of the columns.
        detail (str): What may be wrong, and what to do.
    """

    code: str
    table: str
    columns: list[str]
    detail: str

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        table = self.table

        columns = self.columns

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "table": table,
                "columns": columns,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        table = d.pop("table")

        columns = cast(list[str], d.pop("columns"))

        detail = d.pop("detail")

        relational_warning = cls(
            code=code,
            table=table,
            columns=columns,
            detail=detail,
        )

        return relational_warning
