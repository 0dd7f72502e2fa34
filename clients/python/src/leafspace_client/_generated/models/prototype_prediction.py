from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="PrototypePrediction")


@_attrs_define(repr=False)
class PrototypePrediction(Record):
    """What the nearest prototype predicts.

    Attributes:
        label (float | str | Unset): Class of the nearest prototype; absent for regression.
        value (float | Unset): Value that the model predicts for the nearest prototype; absent for classification.
        agrees (bool | Unset): Whether the model predicts the same label; absent for regression.
    """

    label: float | str | Unset = UNSET
    value: float | Unset = UNSET
    agrees: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        label: float | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        value = self.value

        agrees = self.agrees

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if label is not UNSET:
            field_dict["label"] = label
        if value is not UNSET:
            field_dict["value"] = value
        if agrees is not UNSET:
            field_dict["agrees"] = agrees

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_label(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        value = d.pop("value", UNSET)

        agrees = d.pop("agrees", UNSET)

        prototype_prediction = cls(
            label=label,
            value=value,
            agrees=agrees,
        )

        return prototype_prediction
