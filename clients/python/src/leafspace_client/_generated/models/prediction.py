from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="Prediction")


@_attrs_define(repr=False)
class Prediction(Record):
    """What the model predicts: the same shape for binary, multi-class and regression.

    Attributes:
        task (str): What the model predicts.
        label (None | str): Predicted class; null for regression.
        value (float | None): Predicted value; null for classification.
        scores (list[Score]): Scores in the order of the model's classes; empty for regression.
        near_tie (bool | Unset): Whether the two best scores differ by no more than rounding, so that another library,
            or another number of its threads, may predict the other class. False for regression. Default: False.
    """

    task: str
    label: None | str
    value: float | None
    scores: list[Score]
    near_tie: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        task = self.task

        label: None | str
        label = self.label

        value: float | None
        value = self.value

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        near_tie = self.near_tie

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "task": task,
                "label": label,
                "value": value,
                "scores": scores,
            }
        )
        if near_tie is not UNSET:
            field_dict["near_tie"] = near_tie

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        task = d.pop("task")

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

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        near_tie = d.pop("near_tie", UNSET)

        prediction = cls(
            task=task,
            label=label,
            value=value,
            scores=scores,
            near_tie=near_tie,
        )

        return prediction
