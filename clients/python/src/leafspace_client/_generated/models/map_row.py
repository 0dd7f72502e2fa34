from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="MapRow")


@_attrs_define(repr=False)
class MapRow(Record):
    """A row on the map.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        x (float): Place from left to right; lengths on a map have no unit.
        y (float): Place from bottom to top.
        label (None | str): Label of the row in the dataset's target; null without one.
        predicted_label (None | str): Label that the model predicts; null for regression.
        target (float | None): Target of the row in a regression; null without one.
        value (float | None): Value that the model predicts in a regression; null for classification.
        prototype_rank (int | None): Rank of the prototype that the row is; null: it is none.
    """

    row: int
    row_id: str
    x: float
    y: float
    label: None | str
    predicted_label: None | str
    target: float | None
    value: float | None
    prototype_rank: int | None

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        x = self.x

        y = self.y

        label: None | str
        label = self.label

        predicted_label: None | str
        predicted_label = self.predicted_label

        target: float | None
        target = self.target

        value: float | None
        value = self.value

        prototype_rank: int | None
        prototype_rank = self.prototype_rank

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "x": x,
                "y": y,
                "label": label,
                "predicted_label": predicted_label,
                "target": target,
                "value": value,
                "prototype_rank": prototype_rank,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        x = d.pop("x")

        y = d.pop("y")

        def _parse_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        label = _parse_label(d.pop("label"))

        def _parse_predicted_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        predicted_label = _parse_predicted_label(d.pop("predicted_label"))

        def _parse_target(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        target = _parse_target(d.pop("target"))

        def _parse_value(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        value = _parse_value(d.pop("value"))

        def _parse_prototype_rank(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        prototype_rank = _parse_prototype_rank(d.pop("prototype_rank"))

        map_row = cls(
            row=row,
            row_id=row_id,
            x=x,
            y=y,
            label=label,
            predicted_label=predicted_label,
            target=target,
            value=value,
            prototype_rank=prototype_rank,
        )

        return map_row
