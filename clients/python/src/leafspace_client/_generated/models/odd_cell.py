from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="OddCell")


@_attrs_define(repr=False)
class OddCell(Record):
    """A cell unlike the others of its column.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        text (str): Content of the cell, cut after 60 characters.
    """

    row: int
    text: str

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        text = self.text

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "text": text,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        text = d.pop("text")

        odd_cell = cls(
            row=row,
            text=text,
        )

        return odd_cell
