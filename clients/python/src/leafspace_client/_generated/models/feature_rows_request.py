from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.feature_rows_request_instances_item import FeatureRowsRequestInstancesItem


T = TypeVar("T", bound="FeatureRowsRequest")


@_attrs_define(repr=False)
class FeatureRowsRequest(Record):
    """Examples to evaluate the features of.

    Attributes:
        instances (list[FeatureRowsRequestInstancesItem]): Examples, at most 100, with at most 100,000 rows in all.
    """

    instances: list[FeatureRowsRequestInstancesItem]

    def to_dict(self) -> dict[str, Any]:
        instances = []
        for instances_item_data in self.instances:
            instances_item = instances_item_data.to_dict()
            instances.append(instances_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "instances": instances,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_rows_request_instances_item import FeatureRowsRequestInstancesItem  # noqa: PLC0415

        d = dict(src_dict)
        instances = []
        _instances = d.pop("instances")
        for instances_item_data in _instances:
            instances_item = FeatureRowsRequestInstancesItem.from_dict(instances_item_data)

            instances.append(instances_item)

        feature_rows_request = cls(
            instances=instances,
        )

        return feature_rows_request
