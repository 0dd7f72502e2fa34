from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.cell import Cell


T = TypeVar("T", bound="DatasetRow")


@_attrs_define(repr=False)
class DatasetRow(Record):
    """One row with the values of its columns.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        values (list[Cell]): Values of the row, in the order of the columns that were read.
        object_ (Literal['row'] | Unset): Type of this object. Default: 'row'.
    """

    row: int
    row_id: str
    values: list[Cell]
    object_: Literal["row"] | Unset = "row"

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        values = []
        for values_item_data in self.values:
            values_item = values_item_data.to_dict()
            values.append(values_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "values": values,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.cell import Cell  # noqa: PLC0415

        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        values = []
        _values = d.pop("values")
        for values_item_data in _values:
            values_item = Cell.from_dict(values_item_data)

            values.append(values_item)

        object_ = cast(Literal["row"] | Unset, d.pop("object", UNSET))
        if object_ != "row" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'row', got '{object_}'")

        dataset_row = cls(
            row=row,
            row_id=row_id,
            values=values,
            object_=object_,
        )

        return dataset_row
