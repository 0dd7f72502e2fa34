from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FiringRule")


@_attrs_define(repr=False)
class FiringRule(Record):
    """A rule whose conditions the row satisfies.

    Attributes:
        rank (int): 1-based rank of the rule in the rule set.
        text (str): Conditions of the rule as an English phrase.
        prediction (float | str): A number or a text, such as a predicted value or label.
        weight (float | Unset): Weight of the rule where not the first rule decides but the weighted mean of all that
            apply; else absent.
    """

    rank: int
    text: str
    prediction: float | str
    weight: float | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        text = self.text

        prediction: float | str
        prediction = self.prediction

        weight = self.weight

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rank": rank,
                "text": text,
                "prediction": prediction,
            }
        )
        if weight is not UNSET:
            field_dict["weight"] = weight

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rank = d.pop("rank")

        text = d.pop("text")

        def _parse_prediction(data: object) -> float | str:
            return cast(float | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        weight = d.pop("weight", UNSET)

        firing_rule = cls(
            rank=rank,
            text=text,
            prediction=prediction,
            weight=weight,
        )

        return firing_rule
