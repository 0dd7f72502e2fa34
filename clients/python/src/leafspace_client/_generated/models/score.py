from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Score")


@_attrs_define(repr=False)
class Score(Record):
    """The score of one class.

    Attributes:
        label (float | str): Class that the score belongs to.
        value (float): Score of the class: a probability or share, or what the model's graph outputs.
    """

    label: float | str
    value: float

    def to_dict(self) -> dict[str, Any]:
        label: float | str
        label = self.label

        value = self.value

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "value": value,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_label(data: object) -> float | str:
            return cast(float | str, data)

        label = _parse_label(d.pop("label"))

        value = d.pop("value")

        score = cls(
            label=label,
            value=value,
        )

        return score
