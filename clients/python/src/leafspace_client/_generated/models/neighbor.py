from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Neighbor")


@_attrs_define(repr=False)
class Neighbor(Record):
    """A row near another one.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        proximity (float): Share of trees, by weight, in which the two rows have the same leaf; with `euclidean` 1 -
            distance / sqrt(number of features).
        distance (float): 1 - proximity.
    """

    row: int
    row_id: str
    proximity: float
    distance: float

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        proximity = self.proximity

        distance = self.distance

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "proximity": proximity,
                "distance": distance,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        proximity = d.pop("proximity")

        distance = d.pop("distance")

        neighbor = cls(
            row=row,
            row_id=row_id,
            proximity=proximity,
            distance=distance,
        )

        return neighbor
