from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.cell import Cell
    from ..models.coverage import Coverage
    from ..models.prototype_quality import PrototypeQuality


T = TypeVar("T", bound="Prototype")


@_attrs_define(repr=False)
class Prototype(Record):
    """A real row that represents others of its class.

    Attributes:
        rank (int): 1-based rank in the order of selection.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        row (int): 0-based index of the row in the dataset.
        label (None | str): Class of the prototype, see `labels`; null for regression.
        value (float | None): Value that the model predicts for it; null for classification.
        predicted (None | str): Class that the model predicts for it; null for regression.
        target (float | None | str): Its class or value in the target column; null where the dataset has no target that
            fits the model.
        gain (float): What it adds to the objective of the prototypes before it.
        objective (float): Objective of all prototypes up to this one.
        coverage (Coverage): The dataset's rows for which this prototype is the nearest one of their class (`k_medoids`:
            of all).
        quality (PrototypeQuality): One prototype's measures, each 0 to 1; null where there is nothing to take a share
            or a mean of.

            A row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class; ties go
            to
            the earlier prototype. A row that shares no leaf with any of them votes for none, or is covered by none.
        features (list[Cell]): Values of its features, in the model's order.
    """

    rank: int
    row_id: str
    row: int
    label: None | str
    value: float | None
    predicted: None | str
    target: float | None | str
    gain: float
    objective: float
    coverage: Coverage
    quality: PrototypeQuality
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

        gain = self.gain

        objective = self.objective

        coverage = self.coverage.to_dict()

        quality = self.quality.to_dict()

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
                "gain": gain,
                "objective": objective,
                "coverage": coverage,
                "quality": quality,
                "features": features,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.cell import Cell  # noqa: PLC0415
        from ..models.coverage import Coverage  # noqa: PLC0415
        from ..models.prototype_quality import PrototypeQuality  # noqa: PLC0415

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

        gain = d.pop("gain")

        objective = d.pop("objective")

        coverage = Coverage.from_dict(d.pop("coverage"))

        quality = PrototypeQuality.from_dict(d.pop("quality"))

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = Cell.from_dict(features_item_data)

            features.append(features_item)

        prototype = cls(
            rank=rank,
            row_id=row_id,
            row=row,
            label=label,
            value=value,
            predicted=predicted,
            target=target,
            gain=gain,
            objective=objective,
            coverage=coverage,
            quality=quality,
            features=features,
        )

        return prototype
