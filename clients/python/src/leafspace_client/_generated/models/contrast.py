from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Contrast")


@_attrs_define(repr=False)
class Contrast(Record):
    """The nearest prototype of another class.

    Attributes:
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (str): Class of the prototype.
        proximity (float): Proximity to the instance, 0 to 1.
    """

    row_id: str
    label: str
    proximity: float

    def to_dict(self) -> dict[str, Any]:
        row_id = self.row_id

        label = self.label

        proximity = self.proximity

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "label": label,
                "proximity": proximity,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row_id = d.pop("row_id")

        label = d.pop("label")

        proximity = d.pop("proximity")

        contrast = cls(
            row_id=row_id,
            label=label,
            proximity=proximity,
        )

        return contrast
