from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.instance_type_0 import InstanceType0


T = TypeVar("T", bound="ProximityBlockRequest")


@_attrs_define(repr=False)
class ProximityBlockRequest(Record):
    """Rows to compare with other rows.

    Attributes:
        instances (list[InstanceType0 | list[Any]]): Raw rows, at most 1,000. Each row has values by feature name, or in
            the order of the features.
        others (list[InstanceType0 | list[Any]]): Raw rows to compare the instances with, written like these; at most
            1,000.
        row_ids (list[str] | None | Unset): Ids of the rows in their order, which must be unique; default: their 0-based
            indices as text.
        other_row_ids (list[str] | None | Unset): Ids of `others`, which must be unique; default: their 0-based indices
            as text.
        proximity_kind (str | Unset): How trees are weighted in proximities. `random_forest`: all alike (Tan et al.,
            equation 1); `boosting`: by their contribution to the scores, its variance over the rows (Tan et al., definition
            3); `boosting_l1`: by its mean absolute deviation instead, which leaves more weight to small trees; `auto`: by
            the model's `ensemble`, and `random_forest` where that is `other` or unknown (votes, AdaBoost, calibrated
            models). Default: 'auto'.
        weights_of (None | str | Unset): Id of proximities, a label audit or a prototype set of this model and kind
            whose tree weights are used, and its coarser leaves where its `min_leaf_rows` is more than 1. Null: the trees'
            own leaves, and weights by `proximity_kind`, where `boosting` measures the trees' contributions on the rows of
            this request, instances and others together.
    """

    instances: list[InstanceType0 | list[Any]]
    others: list[InstanceType0 | list[Any]]
    row_ids: list[str] | None | Unset = UNSET
    other_row_ids: list[str] | None | Unset = UNSET
    proximity_kind: str | Unset = "auto"
    weights_of: None | str | Unset = UNSET

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

        others = []
        for others_item_data in self.others:
            others_item: dict[str, Any] | list[Any]
            if isinstance(others_item_data, InstanceType0):
                others_item = others_item_data.to_dict()
            else:
                others_item = others_item_data

            others.append(others_item)

        row_ids: list[str] | None | Unset
        if isinstance(self.row_ids, Unset):
            row_ids = UNSET
        elif isinstance(self.row_ids, list):
            row_ids = self.row_ids

        else:
            row_ids = self.row_ids

        other_row_ids: list[str] | None | Unset
        if isinstance(self.other_row_ids, Unset):
            other_row_ids = UNSET
        elif isinstance(self.other_row_ids, list):
            other_row_ids = self.other_row_ids

        else:
            other_row_ids = self.other_row_ids

        proximity_kind = self.proximity_kind

        weights_of: None | str | Unset
        if isinstance(self.weights_of, Unset):
            weights_of = UNSET
        else:
            weights_of = self.weights_of

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "instances": instances,
                "others": others,
            }
        )
        if row_ids is not UNSET:
            field_dict["row_ids"] = row_ids
        if other_row_ids is not UNSET:
            field_dict["other_row_ids"] = other_row_ids
        if proximity_kind is not UNSET:
            field_dict["proximity_kind"] = proximity_kind
        if weights_of is not UNSET:
            field_dict["weights_of"] = weights_of

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

        others = []
        _others = d.pop("others")
        for others_item_data in _others:

            def _parse_others_item(data: object) -> InstanceType0 | list[Any]:
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

            others_item = _parse_others_item(others_item_data)

            others.append(others_item)

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

        def _parse_other_row_ids(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                other_row_ids_type_0 = cast(list[str], data)

                return other_row_ids_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        other_row_ids = _parse_other_row_ids(d.pop("other_row_ids", UNSET))

        proximity_kind = d.pop("proximity_kind", UNSET)

        def _parse_weights_of(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        weights_of = _parse_weights_of(d.pop("weights_of", UNSET))

        proximity_block_request = cls(
            instances=instances,
            others=others,
            row_ids=row_ids,
            other_row_ids=other_row_ids,
            proximity_kind=proximity_kind,
            weights_of=weights_of,
        )

        return proximity_block_request
