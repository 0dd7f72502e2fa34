from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.cell import Cell


T = TypeVar("T", bound="Criticism")


@_attrs_define(repr=False)
class Criticism(Record):
    """A real row that no prototype represents well: what the prototypes leave out.

    Attributes:
        rank (int): 1-based rank in the order of choice: the worst represented row first.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        row (int): 0-based index of the row in the dataset.
        label (None | str): Class of the row, see `labels`; null for regression.
        value (float | None): Value that the model predicts for it; null for classification.
        predicted (None | str): Class that the model predicts for it; null for regression.
        target (float | None | str): Its class or value in the target column; null where the dataset has no target that
            fits the model.
        proximity (float): Proximity to the nearest prototype of its own class, 0 to 1; with `k_medoids` to the nearest
            one of all.
        features (list[Cell]): Values of its features, in the model's order.
    """

    rank: int
    row_id: str
    row: int
    label: None | str
    value: float | None
    predicted: None | str
    target: float | None | str
    proximity: float
    features: list[Cell]

    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        row_id = self.row_id

        row = self.row

        label: None | str
        label = self.label

        value: float | None
        value = self.value

        predicted: None | str
        predicted = self.predicted

        target: float | None | str
        target = self.target

        proximity = self.proximity

        features = []
        for features_item_data in self.features:
            features_item = features_item_data.to_dict()
            features.append(features_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rank": rank,
                "row_id": row_id,
                "row": row,
                "label": label,
                "value": value,
                "predicted": predicted,
                "target": target,
                "proximity": proximity,
                "features": features,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.cell import Cell  # noqa: PLC0415

        d = dict(src_dict)
        rank = d.pop("rank")

        row_id = d.pop("row_id")

        row = d.pop("row")

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

        def _parse_predicted(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        predicted = _parse_predicted(d.pop("predicted"))

        def _parse_target(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        target = _parse_target(d.pop("target"))

        proximity = d.pop("proximity")

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = Cell.from_dict(features_item_data)

            features.append(features_item)

        criticism = cls(
            rank=rank,
            row_id=row_id,
            row=row,
            label=label,
            value=value,
            predicted=predicted,
            target=target,
            proximity=proximity,
            features=features,
        )

        return criticism
