from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.instance_type_0 import InstanceType0


T = TypeVar("T", bound="PlacesRequest")


@_attrs_define(repr=False)
class PlacesRequest(Record):
    """New rows to be placed on a map.

    Attributes:
        instances (list[InstanceType0 | list[Any]]): Raw rows, at most 1,000. Each row has values by feature name, or in
            the order of the features.
        row_ids (list[str] | None | Unset): Ids of the rows in their order, which must be unique; default: their 0-based
            indices as text.
    """

    instances: list[InstanceType0 | list[Any]]
    row_ids: list[str] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.instance_type_0 import InstanceType0  # noqa: PLC0415

        instances = []
        for instances_item_data in self.instances:
            instances_item: dict[str, Any] | list[Any]
            if isinstance(instances_item_data, InstanceType0):
                instances_item = instances_item_data.to_dict()
            else:
                instances_item = instances_item_data

            instances.append(instances_item)

        row_ids: list[str] | None | Unset
        if isinstance(self.row_ids, Unset):
            row_ids = UNSET
        elif isinstance(self.row_ids, list):
            row_ids = self.row_ids

        else:
            row_ids = self.row_ids

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "instances": instances,
            }
        )
        if row_ids is not UNSET:
            field_dict["row_ids"] = row_ids

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.instance_type_0 import InstanceType0  # noqa: PLC0415

        d = dict(src_dict)
        instances = []
        _instances = d.pop("instances")
        for instances_item_data in _instances:

            def _parse_instances_item(data: object) -> InstanceType0 | list[Any]:
                try:
                    if not isinstance(data, dict):
                        raise TypeError()
                    componentsschemas_instance_type_0 = InstanceType0.from_dict(data)

                    return componentsschemas_instance_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_instance_type_1 = cast(list[Any], data)

                return componentsschemas_instance_type_1

            instances_item = _parse_instances_item(instances_item_data)

            instances.append(instances_item)

        def _parse_row_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                row_ids_type_0 = cast(list[str], data)

                return row_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        row_ids = _parse_row_ids(d.pop("row_ids", UNSET))

        places_request = cls(
            instances=instances,
            row_ids=row_ids,
        )

        return places_request
