from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ValuePrediction")


@_attrs_define(repr=False)
class ValuePrediction(Record):
    """What a regression predicts.

    Attributes:
        task (str): What the model predicts: a value.
        value (float): Predicted value.
    """

    task: str
    value: float

    def to_dict(self) -> dict[str, Any]:
        task = self.task

        value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "task": task,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        task = d.pop("task")

        value = d.pop("value")

        value_prediction = cls(
            task=task,
            value=value,
        )

        return value_prediction
