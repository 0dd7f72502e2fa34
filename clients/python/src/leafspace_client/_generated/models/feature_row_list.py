from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_row import FeatureRow


T = TypeVar("T", bound="FeatureRowList")


@_attrs_define(repr=False)
class FeatureRowList(Record):
    """The values of the features of several examples.

    Attributes:
        feature_set (str): Id of the feature set.
        features (list[str]): Names of the features, in the order of `values`.
        data (list[FeatureRow]): One entry for each instance, in their order.
        object_ (Literal['list'] | Unset): Type of this object. Default: 'list'.
    """

    feature_set: str
    features: list[str]
    data: list[FeatureRow]
    object_: Literal["list"] | Unset = "list"

    def to_dict(self) -> dict[str, Any]:
        feature_set = self.feature_set

        features = self.features

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature_set": feature_set,
                "features": features,
                "data": data,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_row import FeatureRow  # noqa: PLC0415

        d = dict(src_dict)
        feature_set = d.pop("feature_set")

        features = cast(list[str], d.pop("features"))

        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = FeatureRow.from_dict(data_item_data)

            data.append(data_item)

        object_ = cast(Literal["list"] | Unset, d.pop("object", UNSET))
        if object_ != "list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'list', got '{object_}'")

        feature_row_list = cls(
            feature_set=feature_set,
            features=features,
            data=data,
            object_=object_,
        )

        return feature_row_list
