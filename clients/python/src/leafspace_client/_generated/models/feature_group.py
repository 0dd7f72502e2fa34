from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.indicator_column import IndicatorColumn


T = TypeVar("T", bound="FeatureGroup")


@_attrs_define(repr=False)
class FeatureGroup(Record):
    """One-hot columns that belong to one feature.

    Attributes:
        feature (str): Name of the feature, as results show it.
        columns (list[IndicatorColumn]): One-hot columns of the feature, one each.
    """

    feature: str
    columns: list[IndicatorColumn]

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        columns = []
        for columns_item_data in self.columns:
            columns_item = columns_item_data.to_dict()
            columns.append(columns_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "columns": columns,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.indicator_column import IndicatorColumn  # noqa: PLC0415

        d = dict(src_dict)
        feature = d.pop("feature")

        columns = []
        _columns = d.pop("columns")
        for columns_item_data in _columns:
            columns_item = IndicatorColumn.from_dict(columns_item_data)

            columns.append(columns_item)

        feature_group = cls(
            feature=feature,
            columns=columns,
        )

        return feature_group
