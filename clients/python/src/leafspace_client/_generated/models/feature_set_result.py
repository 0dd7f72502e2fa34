from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.relational_feature import RelationalFeature


T = TypeVar("T", bound="FeatureSetResult")


@_attrs_define(repr=False)
class FeatureSetResult(Record):
    """The features of a set.

    Attributes:
        n_features (int): Number of features.
        features (list[RelationalFeature]): The features in the order of their columns.
        n_left_out (int | Unset): Number of features that were generated beyond the limit, and are not in the set.
            Default: 0.
    """

    n_features: int
    features: list[RelationalFeature]
    n_left_out: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        n_features = self.n_features

        features = []
        for features_item_data in self.features:
            features_item = features_item_data.to_dict()
            features.append(features_item)

        n_left_out = self.n_left_out

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_features": n_features,
                "features": features,
            }
        )
        if n_left_out is not UNSET:
            field_dict["n_left_out"] = n_left_out

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.relational_feature import RelationalFeature  # noqa: PLC0415

        d = dict(src_dict)
        n_features = d.pop("n_features")

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = RelationalFeature.from_dict(features_item_data)

            features.append(features_item)

        n_left_out = d.pop("n_left_out", UNSET)

        feature_set_result = cls(
            n_features=n_features,
            features=features,
            n_left_out=n_left_out,
        )

        return feature_set_result
