from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="PrototypePrediction")


@_attrs_define(repr=False)
class PrototypePrediction(Record):
    """What the nearest prototype predicts.

    Attributes:
        status (str): `unassigned` if the row shares no leaf with any prototype.
        label (None | str): Class of the nearest prototype; null for regression and unassigned rows.
        value (float | None): Value that the model predicts for the nearest prototype; null for classification and
            unassigned rows.
        agrees (bool | None): Whether the model predicts the same label; null for regression and unassigned rows.
    """

    status: str
    label: None | str
    value: float | None
    agrees: bool | None

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        label: None | str
        label = self.label

        value: float | None
        value = self.value

        agrees: bool | None
        agrees = self.agrees

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "status": status,
                "label": label,
                "value": value,
                "agrees": agrees,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = d.pop("status")

        def _parse_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        label = _parse_label(d.pop("label"))

        def _parse_value(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        value = _parse_value(d.pop("value"))

        def _parse_agrees(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        agrees = _parse_agrees(d.pop("agrees"))

        prototype_prediction = cls(
            status=status,
            label=label,
            value=value,
            agrees=agrees,
        )

        return prototype_prediction
