from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ForeignKeyMetadata")


@_attrs_define(repr=False)
class ForeignKeyMetadata(Record):
    """Columns whose values name rows of another table, or of the same one.

    Attributes:
        columns (list[str]): Names of the columns, in the order of the primary key that they refer to.
        references (str): Name of the table that they refer to; it has a primary key.
    """

    columns: list[str]
    references: str

    def to_dict(self) -> dict[str, Any]:
        columns = self.columns

        references = self.references

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "columns": columns,
                "references": references,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        columns = cast(list[str], d.pop("columns"))

        references = d.pop("references")

        foreign_key_metadata = cls(
            columns=columns,
            references=references,
        )

        return foreign_key_metadata
