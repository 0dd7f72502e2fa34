from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="ClassPrediction")


@_attrs_define(repr=False)
class ClassPrediction(Record):
    """What a classifier predicts.

    Attributes:
        task (str): What the model predicts: a class.
        label (float | str): Predicted class.
        scores (list[Score]): Scores in the order of the model's classes.
        near_tie (bool | Unset): True where the two best scores differ by no more than rounding, so that another
            library, or another number of its threads, may predict the other class; else absent, as it is where labels come
            from a cut-off.
    """

    task: str
    label: float | str
    scores: list[Score]
    near_tie: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        task = self.task

        label: float | str
        label = self.label

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

        def _parse_label(data: object) -> float | str:
            return cast(float | str, data)

        label = _parse_label(d.pop("label"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        near_tie = d.pop("near_tie", UNSET)

        class_prediction = cls(
            task=task,
            label=label,
            scores=scores,
            near_tie=near_tie,
        )

        return class_prediction
