from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.coverage import Coverage
    from ..models.reason import Reason


T = TypeVar("T", bound="NearestPrototype")


@_attrs_define(repr=False)
class NearestPrototype(Record):
    """A prototype near the row, as the model sees it.

    Attributes:
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        proximity (float): Share of trees, by weight, in which it has the same leaf as the row.
        reasons (list[Reason]): Reasons for the proximity, one for each shown feature that shared trees test, by
            descending share of trees; at most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of
            prototype sets), and where the status is `abstained`.
        label (float | str | Unset): Class of the prototype; absent for regression.
        value (float | Unset): Value that the model predicts for it; absent for classification.
        predicted (str | Unset): Class that the model predicts for the prototype; absent where that is its `label`.
        target (float | str | Unset): A number or a text, such as a predicted value or label.
        rank (int | Unset): 1-based rank by proximity to the row; absent unless `detail` is `full`.
        distance (float | Unset): 1 - proximity; absent unless `detail` is `full`.
        shared_trees (int | Unset): Number of trees in which it has the same leaf as the row; absent unless `detail` is
            `full`.
        n_trees (int | Unset): Number of trees of the model; absent unless `detail` is `full`.
        coverage (Coverage | Unset): The dataset's rows for which this prototype is the nearest one of their class
            (`k_medoids`: of all).
    """

    row_id: str
    proximity: float
    reasons: list[Reason]
    label: float | str | Unset = UNSET
    value: float | Unset = UNSET
    predicted: str | Unset = UNSET
    target: float | str | Unset = UNSET
    rank: int | Unset = UNSET
    distance: float | Unset = UNSET
    shared_trees: int | Unset = UNSET
    n_trees: int | Unset = UNSET
    coverage: Coverage | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        row_id = self.row_id

        proximity = self.proximity

        reasons = []
        for reasons_item_data in self.reasons:
            reasons_item = reasons_item_data.to_dict()
            reasons.append(reasons_item)

        label: float | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        value = self.value

        predicted = self.predicted

        target: float | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        rank = self.rank

        distance = self.distance

        shared_trees = self.shared_trees

        n_trees = self.n_trees

        coverage: dict[str, Any] | Unset = UNSET
        if not isinstance(self.coverage, Unset):
            coverage = self.coverage.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "proximity": proximity,
                "reasons": reasons,
            }
        )
        if label is not UNSET:
            field_dict["label"] = label
        if value is not UNSET:
            field_dict["value"] = value
        if predicted is not UNSET:
            field_dict["predicted"] = predicted
        if target is not UNSET:
            field_dict["target"] = target
        if rank is not UNSET:
            field_dict["rank"] = rank
        if distance is not UNSET:
            field_dict["distance"] = distance
        if shared_trees is not UNSET:
            field_dict["shared_trees"] = shared_trees
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if coverage is not UNSET:
            field_dict["coverage"] = coverage

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.coverage import Coverage  # noqa: PLC0415
        from ..models.reason import Reason  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        proximity = d.pop("proximity")

        reasons = []
        _reasons = d.pop("reasons")
        for reasons_item_data in _reasons:
            reasons_item = Reason.from_dict(reasons_item_data)

            reasons.append(reasons_item)

        def _parse_label(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        value = d.pop("value", UNSET)

        predicted = d.pop("predicted", UNSET)

        def _parse_target(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        rank = d.pop("rank", UNSET)

        distance = d.pop("distance", UNSET)

        shared_trees = d.pop("shared_trees", UNSET)

        n_trees = d.pop("n_trees", UNSET)

        _coverage = d.pop("coverage", UNSET)
        coverage: Coverage | Unset
        if isinstance(_coverage, Unset):
            coverage = UNSET
        else:
            coverage = Coverage.from_dict(_coverage)

        nearest_prototype = cls(
            row_id=row_id,
            proximity=proximity,
            reasons=reasons,
            label=label,
            value=value,
            predicted=predicted,
            target=target,
            rank=rank,
            distance=distance,
            shared_trees=shared_trees,
            n_trees=n_trees,
            coverage=coverage,
        )

        return nearest_prototype
