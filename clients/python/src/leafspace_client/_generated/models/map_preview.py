from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="MapPreview")


@_attrs_define(repr=False)
class MapPreview(Record):
    """Some of the map's rows, for a small picture: lists of the same length, an item for each row.

    Attributes:
        rows (list[int]): 0-based indices of rows in the dataset: all prototypes, and others evenly.
        x (list[float]): Places from left to right, to three decimals.
        y (list[float]): Places from bottom to top, to three decimals.
        class_indices (list[int | None]): Label of each row in the dataset's target, or what the model predicts where
            there is none, as an index into `classes` of the result; null for regression.
        values (list[float | None]): Value that the model predicts; null for classification.
        prototype_ranks (list[int | None]): Rank of the prototype that the row is; null: it is none.
    """

    rows: list[int]
    x: list[float]
    y: list[float]
    class_indices: list[int | None]
    values: list[float | None]
    prototype_ranks: list[int | None]

    def to_dict(self) -> dict[str, Any]:
        rows = self.rows

        x = self.x

        y = self.y

        class_indices = []
        for class_indices_item_data in self.class_indices:
            class_indices_item: int | None
            class_indices_item = class_indices_item_data
            class_indices.append(class_indices_item)

        values = []
        for values_item_data in self.values:
            values_item: float | None
            values_item = values_item_data
            values.append(values_item)

        prototype_ranks = []
        for prototype_ranks_item_data in self.prototype_ranks:
            prototype_ranks_item: int | None
            prototype_ranks_item = prototype_ranks_item_data
            prototype_ranks.append(prototype_ranks_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rows": rows,
                "x": x,
                "y": y,
                "class_indices": class_indices,
                "values": values,
                "prototype_ranks": prototype_ranks,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rows = cast(list[int], d.pop("rows"))

        x = cast(list[float], d.pop("x"))

        y = cast(list[float], d.pop("y"))

        class_indices = []
        _class_indices = d.pop("class_indices")
        for class_indices_item_data in _class_indices:

            def _parse_class_indices_item(data: object) -> int | None:
                if data is None:
                    return data
                return cast(int | None, data)

            class_indices_item = _parse_class_indices_item(class_indices_item_data)

            class_indices.append(class_indices_item)

        values = []
        _values = d.pop("values")
        for values_item_data in _values:

            def _parse_values_item(data: object) -> float | None:
                if data is None:
                    return data
                return cast(float | None, data)

            values_item = _parse_values_item(values_item_data)

            values.append(values_item)

        prototype_ranks = []
        _prototype_ranks = d.pop("prototype_ranks")
        for prototype_ranks_item_data in _prototype_ranks:

            def _parse_prototype_ranks_item(data: object) -> int | None:
                if data is None:
                    return data
                return cast(int | None, data)

            prototype_ranks_item = _parse_prototype_ranks_item(prototype_ranks_item_data)

            prototype_ranks.append(prototype_ranks_item)

        map_preview = cls(
            rows=rows,
            x=x,
            y=y,
            class_indices=class_indices,
            values=values,
            prototype_ranks=prototype_ranks,
        )

        return map_preview
