from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.condition import Condition
    from ..models.score import Score


T = TypeVar("T", bound="Rule")


@_attrs_define(repr=False)
class Rule(Record):
    """A rule: it predicts for rows that satisfy all its conditions and no rule before it, unless rules have weights.

    Attributes:
        rank (int): 1-based rank in the order in which rules are applied.
        text (str): Conditions as an English phrase, such as `income is above 1,200 and at most 3,400, and color is G or
            H (missing allowed)`; `always` without conditions.
        conditions (list[Condition]): Conditions that hold together; a rule without any always applies.
        prediction (float | str): A number or a text, such as a predicted value or label.
        scores (list[Score]): Shares of the classes among the rows that it decides, in the order of the classes; with
            `boxes: whole` those of its region. Empty for regression.
        coverage (float): Share of the dataset's rows that satisfy its conditions.
        precision (float | None): Share of these rows whose label it predicts, 0 to 1; null for regression or without
            rows.
        decided_precision (float | None): Share of the rows that it decides (`support`) whose label it predicts, 0 to 1;
            null for regression or without rows.
        n_rows (int): Number of the dataset's rows that satisfy its conditions.
        support (int): Number of rows that it decides: those that satisfy no rule before it; with weights `n_rows`.
        weight (float | None | Unset): Weight of the rule in the mean, a multiple of 0.000001; null where the first rule
            decides.
        region (int | None | Unset): The region whose box it is, an index into `regions`; null unless boxes are whole.
    """

    rank: int
    text: str
    conditions: list[Condition]
    prediction: float | str
    scores: list[Score]
    coverage: float
    precision: float | None
    decided_precision: float | None
    n_rows: int
    support: int
    weight: float | None | Unset = UNSET
    region: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        text = self.text

        conditions = []
        for conditions_item_data in self.conditions:
            conditions_item = conditions_item_data.to_dict()
            conditions.append(conditions_item)

        prediction: float | str
        prediction = self.prediction

        scores = []
        for scores_item_data in self.scores:
            scores_item = scores_item_data.to_dict()
            scores.append(scores_item)

        coverage = self.coverage

        precision: float | None
        precision = self.precision

        decided_precision: float | None
        decided_precision = self.decided_precision

        n_rows = self.n_rows

        support = self.support

        weight: float | None | Unset
        if isinstance(self.weight, Unset):
            weight = UNSET
        else:
            weight = self.weight

        region: int | None | Unset
        if isinstance(self.region, Unset):
            region = UNSET
        else:
            region = self.region

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rank": rank,
                "text": text,
                "conditions": conditions,
                "prediction": prediction,
                "scores": scores,
                "coverage": coverage,
                "precision": precision,
                "decided_precision": decided_precision,
                "n_rows": n_rows,
                "support": support,
            }
        )
        if weight is not UNSET:
            field_dict["weight"] = weight
        if region is not UNSET:
            field_dict["region"] = region

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.condition import Condition  # noqa: PLC0415
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        rank = d.pop("rank")

        text = d.pop("text")

        conditions = []
        _conditions = d.pop("conditions")
        for conditions_item_data in _conditions:
            conditions_item = Condition.from_dict(conditions_item_data)

            conditions.append(conditions_item)

        def _parse_prediction(data: object) -> float | str:
            return cast(float | str, data)

        prediction = _parse_prediction(d.pop("prediction"))

        scores = []
        _scores = d.pop("scores")
        for scores_item_data in _scores:
            scores_item = Score.from_dict(scores_item_data)

            scores.append(scores_item)

        coverage = d.pop("coverage")

        def _parse_precision(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        precision = _parse_precision(d.pop("precision"))

        def _parse_decided_precision(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        decided_precision = _parse_decided_precision(d.pop("decided_precision"))

        n_rows = d.pop("n_rows")

        support = d.pop("support")

        def _parse_weight(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        weight = _parse_weight(d.pop("weight", UNSET))

        def _parse_region(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        region = _parse_region(d.pop("region", UNSET))

        rule = cls(
            rank=rank,
            text=text,
            conditions=conditions,
            prediction=prediction,
            scores=scores,
            coverage=coverage,
            precision=precision,
            decided_precision=decided_precision,
            n_rows=n_rows,
            support=support,
            weight=weight,
            region=region,
        )

        return rule
