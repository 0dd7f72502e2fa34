from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.neighbor import Neighbor


T = TypeVar("T", bound="NeighborsOfRow")


@_attrs_define(repr=False)
class NeighborsOfRow(Record):
    """A row's nearest others, nearest first (ties: lower row), without those that share no leaf with it.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        neighbors (list[Neighbor]): The nearest other rows, nearest first.
    """

    row: int
    row_id: str
    neighbors: list[Neighbor]

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        neighbors = []
        for neighbors_item_data in self.neighbors:
            neighbors_item = neighbors_item_data.to_dict()
            neighbors.append(neighbors_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "neighbors": neighbors,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.neighbor import Neighbor  # noqa: PLC0415

        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        neighbors = []
        _neighbors = d.pop("neighbors")
        for neighbors_item_data in _neighbors:
            neighbors_item = Neighbor.from_dict(neighbors_item_data)

            neighbors.append(neighbors_item)

        neighbors_of_row = cls(
            row=row,
            row_id=row_id,
            neighbors=neighbors,
        )

        return neighbors_of_row
