from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.compared_row import ComparedRow


T = TypeVar("T", bound="ProximityBlock")


@_attrs_define(repr=False)
class ProximityBlock(Record):
    """The proximity of each instance to each of the others.

    Attributes:
        model (str): Id of the model.
        proximity_kind (str): How trees were weighted in the proximities.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        weights_of (None | str): Id of the artefact whose tree weights were used; null if none was requested.
        instances (list[ComparedRow]): The instances, in the order of the request.
        others (list[ComparedRow]): The other rows, in the order of the request.
        proximities (list[list[float | None] | None]): One list for each instance, with its proximity to each of the
            others, 0 to 1; null for rows with an error.
        object_ (Literal['proximity_block'] | Unset): Type of this object. Default: 'proximity_block'.
    """

    model: str
    proximity_kind: str
    n_trees: int
    weights_of: None | str
    instances: list[ComparedRow]
    others: list[ComparedRow]
    proximities: list[list[float | None] | None]
    object_: Literal["proximity_block"] | Unset = "proximity_block"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        proximity_kind = self.proximity_kind

        n_trees = self.n_trees

        weights_of: None | str
        weights_of = self.weights_of

        instances = []
        for instances_item_data in self.instances:
            instances_item = instances_item_data.to_dict()
            instances.append(instances_item)

        others = []
        for others_item_data in self.others:
            others_item = others_item_data.to_dict()
            others.append(others_item)

        proximities = []
        for proximities_item_data in self.proximities:
            proximities_item: list[float | None] | None
            if isinstance(proximities_item_data, list):
                proximities_item = []
                for proximities_item_type_0_item_data in proximities_item_data:
                    proximities_item_type_0_item: float | None
                    proximities_item_type_0_item = proximities_item_type_0_item_data
                    proximities_item.append(proximities_item_type_0_item)

            else:
                proximities_item = proximities_item_data
            proximities.append(proximities_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "proximity_kind": proximity_kind,
                "n_trees": n_trees,
                "weights_of": weights_of,
                "instances": instances,
                "others": others,
                "proximities": proximities,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.compared_row import ComparedRow  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        proximity_kind = d.pop("proximity_kind")

        n_trees = d.pop("n_trees")

        def _parse_weights_of(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        weights_of = _parse_weights_of(d.pop("weights_of"))

        instances = []
        _instances = d.pop("instances")
        for instances_item_data in _instances:
            instances_item = ComparedRow.from_dict(instances_item_data)

            instances.append(instances_item)

        others = []
        _others = d.pop("others")
        for others_item_data in _others:
            others_item = ComparedRow.from_dict(others_item_data)

            others.append(others_item)

        proximities = []
        _proximities = d.pop("proximities")
        for proximities_item_data in _proximities:

            def _parse_proximities_item(data: object) -> list[float | None] | None:
                if data is None:
                    return data
                try:
                    if not isinstance(data, list):
                        raise TypeError()
                    proximities_item_type_0 = []
                    _proximities_item_type_0 = data
                    for proximities_item_type_0_item_data in _proximities_item_type_0:

                        def _parse_proximities_item_type_0_item(data: object) -> float | None:
                            if data is None:
                                return data
                            return cast(float | None, data)

                        proximities_item_type_0_item = _parse_proximities_item_type_0_item(
                            proximities_item_type_0_item_data
                        )

                        proximities_item_type_0.append(proximities_item_type_0_item)

                    return proximities_item_type_0
                except (TypeError, ValueError, AttributeError, KeyError):
                    pass
                return cast(list[float | None] | None, data)

            proximities_item = _parse_proximities_item(proximities_item_data)

            proximities.append(proximities_item)

        object_ = cast(Literal["proximity_block"] | Unset, d.pop("object", UNSET))
        if object_ != "proximity_block" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'proximity_block', got '{object_}'")

        proximity_block = cls(
            model=model,
            proximity_kind=proximity_kind,
            n_trees=n_trees,
            weights_of=weights_of,
            instances=instances,
            others=others,
            proximities=proximities,
            object_=object_,
        )

        return proximity_block
