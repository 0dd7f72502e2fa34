from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.placed_row import PlacedRow


T = TypeVar("T", bound="PlaceList")


@_attrs_define(repr=False)
class PlaceList(Record):
    """Places of new rows: the mean of their ten nearest rows of the map, weighted by proximity.

    Attributes:
        map_ (str): Id of the map.
        data (list[PlacedRow]): The rows, in the order of the request.
        object_ (Literal['place_list'] | Unset): Type of this object. Default: 'place_list'.
    """

    map_: str
    data: list[PlacedRow]
    object_: Literal["place_list"] | Unset = "place_list"

    def to_dict(self) -> dict[str, Any]:
        map_ = self.map_

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "map": map_,
                "data": data,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.placed_row import PlacedRow  # noqa: PLC0415

        d = dict(src_dict)
        map_ = d.pop("map")

        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = PlacedRow.from_dict(data_item_data)

            data.append(data_item)

        object_ = cast(Literal["place_list"] | Unset, d.pop("object", UNSET))
        if object_ != "place_list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'place_list', got '{object_}'")

        place_list = cls(
            map_=map_,
            data=data,
            object_=object_,
        )

        return place_list
