from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="PathLeaf")


@_attrs_define(repr=False)
class PathLeaf(Record):
    """The leaf that a row reaches in the approximation tree.

    Attributes:
        id (int): Id of the node in the tree.
        prediction (float | str): A number or a text, such as a predicted value or label.
        scores (list[Score]): Shares of the classes in the order of the classes; empty for regression.
        n_samples (int): Number of the reference dataset's rows that reach it.
    """

    id: int
    prediction: float | str
    scores: list[Score]
    n_samples: int

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        prediction: float | str
        prediction = self.prediction

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        n_samples = self.n_samples

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "prediction": prediction,
                "scores": scores,
                "n_samples": n_samples,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        def _parse_prediction(data: object) -> float | str:
            return cast(float | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        n_samples = d.pop("n_samples")

        path_leaf = cls(
            id=id,
            prediction=prediction,
            scores=scores,
            n_samples=n_samples,
        )

        return path_leaf
