from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RepresentedRow")


@_attrs_define(repr=False)
class RepresentedRow(Record):
    """A row that a prototype represents: it is the nearest one of the row's class (`k_medoids`: of all).

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        rank (int): 1-based rank of the prototype.
        proximity (float): Proximity of the row to the prototype, above 0 and up to 1.
        object_ (Literal['represented_row'] | Unset): Type of this object. Default: 'represented_row'.
    """

    row: int
    row_id: str
    rank: int
    proximity: float
    object_: Literal["represented_row"] | Unset = "represented_row"

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        rank = self.rank

        proximity = self.proximity

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "rank": rank,
                "proximity": proximity,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        rank = d.pop("rank")

        proximity = d.pop("proximity")

        object_ = cast(Literal["represented_row"] | Unset, d.pop("object", UNSET))
        if object_ != "represented_row" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'represented_row', got '{object_}'")

        represented_row = cls(
            row=row,
            row_id=row_id,
            rank=rank,
            proximity=proximity,
            object_=object_,
        )

        return represented_row
