from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.compared_feature import ComparedFeature
    from ..models.coverage import Coverage
    from ..models.reason import Reason


T = TypeVar("T", bound="NearestPrototype")


@_attrs_define(repr=False)
class NearestPrototype(Record):
    """A prototype near the instance, as the model sees it.

    Attributes:
        rank (int): 1-based rank by proximity to the instance.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (None | str): Class of the prototype; null for regression.
        value (float | None): Value that the model predicts for it; null for classification.
        proximity (float): Share of trees, by weight, in which it has the same leaf as the instance.
        distance (float): 1 - proximity.
        shared_trees (int): Number of trees in which it has the same leaf as the instance.
        n_trees (int): Number of trees of the model.
        coverage (Coverage): The dataset's rows for which this prototype is the nearest one of their class.
        features (list[ComparedFeature]): Values of both rows, in the model's order, of the features that the explainer
            shows.
        similar_because (list[Reason]): Reasons for the proximity, one for each shown feature that shared trees test, by
            descending share of trees.
    """

    rank: int
    row_id: str
    label: None | str
    value: float | None
    proximity: float
    distance: float
    shared_trees: int
    n_trees: int
    coverage: Coverage
    features: list[ComparedFeature]
    similar_because: list[Reason]

    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        row_id = self.row_id

        label: None | str
        label = self.label

        value: float | None
        value = self.value

        proximity = self.proximity

        distance = self.distance

        shared_trees = self.shared_trees

        n_trees = self.n_trees

        coverage = self.coverage.to_dict()

        features = []
        for features_item_data in self.features:
            features_item = features_item_data.to_dict()
            features.append(features_item)

        similar_because = []
        for similar_because_item_data in self.similar_because:
            similar_because_item = similar_because_item_data.to_dict()
            similar_because.append(similar_because_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rank": rank,
                "row_id": row_id,
                "label": label,
                "value": value,
                "proximity": proximity,
                "distance": distance,
                "shared_trees": shared_trees,
                "n_trees": n_trees,
                "coverage": coverage,
                "features": features,
                "similar_because": similar_because,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.compared_feature import ComparedFeature  # noqa: PLC0415
        from ..models.coverage import Coverage  # noqa: PLC0415
        from ..models.reason import Reason  # noqa: PLC0415

        d = dict(src_dict)
        rank = d.pop("rank")

        row_id = d.pop("row_id")

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

        proximity = d.pop("proximity")

        distance = d.pop("distance")

        shared_trees = d.pop("shared_trees")

        n_trees = d.pop("n_trees")

        coverage = Coverage.from_dict(d.pop("coverage"))

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = ComparedFeature.from_dict(features_item_data)

            features.append(features_item)

        similar_because = []
        _similar_because = d.pop("similar_because")
        for similar_because_item_data in _similar_because:
            similar_because_item = Reason.from_dict(similar_because_item_data)

            similar_because.append(similar_because_item)

        nearest_prototype = cls(
            rank=rank,
            row_id=row_id,
            label=label,
            value=value,
            proximity=proximity,
            distance=distance,
            shared_trees=shared_trees,
            n_trees=n_trees,
            coverage=coverage,
            features=features,
            similar_because=similar_because,
        )

        return nearest_prototype
