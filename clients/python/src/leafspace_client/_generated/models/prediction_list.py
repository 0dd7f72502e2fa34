from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.prediction_row import PredictionRow


T = TypeVar("T", bound="PredictionList")


@_attrs_define(repr=False)
class PredictionList(Record):
    """Predictions in the order of the instances.

    Attributes:
        model (str): Id of the model.
        data (list[PredictionRow]): Predictions, one for each instance, in their order.
        object_ (Literal['list'] | Unset): Type of this object. Default: 'list'.
        ignored_columns (list[str] | Unset): Names that instances have and the model does not, the first 100 of them,
            which nothing reads; absent where there are none.
    """

    model: str
    data: list[PredictionRow]
    object_: Literal["list"] | Unset = "list"
    ignored_columns: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        object_ = self.object_

        ignored_columns: list[str] | Unset = UNSET
        if not isinstance(self.ignored_columns, Unset):
            ignored_columns = self.ignored_columns

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "data": data,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if ignored_columns is not UNSET:
            field_dict["ignored_columns"] = ignored_columns

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.prediction_row import PredictionRow  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = PredictionRow.from_dict(data_item_data)

            data.append(data_item)

        object_ = cast(Literal["list"] | Unset, d.pop("object", UNSET))
        if object_ != "list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'list', got '{object_}'")

        ignored_columns = cast(list[str], d.pop("ignored_columns", UNSET))

        prediction_list = cls(
            model=model,
            data=data,
            object_=object_,
            ignored_columns=ignored_columns,
        )

        return prediction_list
