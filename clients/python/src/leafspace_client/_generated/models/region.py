from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.score import Score


T = TypeVar("T", bound="Region")


@_attrs_define(repr=False)
class Region(Record):
    """A region of the probabilistic model that was fitted, with its parameters; eta is in the table of parameters.

    Attributes:
        region (int): 0-based index of the region.
        share (float): Share of the dataset's rows that belong to it, alpha in the paper.
        prediction (float | str): A number or a text, such as a predicted value or label.
        scores (list[Score]): Shares of the classes in it, gamma in the paper, in the order of the classes; empty for
            regression.
        mean (float | None): Mean value in it, mu in the paper; null for classification.
        variance (float | None): Variance of the values in it, 1 / lambda in the paper, in squared units of the target;
            null for classification.
        n_rows (int): Number of the dataset's rows for which it is the most probable region.
    """

    region: int
    share: float
    prediction: float | str
    scores: list[Score]
    mean: float | None
    variance: float | None
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        region = self.region

        share = self.share

        prediction: float | str
        prediction = self.prediction

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        mean: float | None
        mean = self.mean

        variance: float | None
        variance = self.variance

        n_rows = self.n_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "region": region,
                "share": share,
                "prediction": prediction,
                "scores": scores,
                "mean": mean,
                "variance": variance,
                "n_rows": n_rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        region = d.pop("region")

        share = d.pop("share")

        def _parse_prediction(data: object) -> float | str:
            return cast(float | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        def _parse_mean(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        mean = _parse_mean(d.pop("mean"))

        def _parse_variance(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        variance = _parse_variance(d.pop("variance"))

        n_rows = d.pop("n_rows")

        region = cls(
            region=region,
            share=share,
            prediction=prediction,
            scores=scores,
            mean=mean,
            variance=variance,
            n_rows=n_rows,
        )

        return region
