from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Parity")


@_attrs_define(repr=False)
class Parity(Record):
    """Predictions of the caller's own library, with which the service checks that the ONNX model predicts the same.

    Attributes:
        rows (list[list[bool | float | None | str]]): Raw rows, each with its values in the order of the features; an
            infinite number is the text `Infinity` or `-Infinity`.
        predictions (list[list[float]]): Predictions of the library for each row: the scores of all classes, or one
            value for regression.
        labels (list[str] | None | Unset): Label that the library predicts for each row, spelled as in `classes`;
            default: the class of the first of the highest scores.
        n_beyond_precision (int | Unset): Number of rows that the caller left out because single precision cannot
            distinguish one of their numbers from a threshold. They are reported and not compared. Default: 0.
        n_drawn (int | Unset): Number of `rows` that are not from data, but drawn from the model's thresholds and
            categories; they are compared as all others. Default: 0.
    """

    rows: list[list[bool | float | None | str]]
    predictions: list[list[float]]
    labels: list[str] | None | Unset = UNSET
    n_beyond_precision: int | Unset = 0
    n_drawn: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        rows = []
        for rows_item_data in self.rows:
            rows_item = []
            for rows_item_item_data in rows_item_data:
                rows_item_item: bool | float | None | str
                rows_item_item = rows_item_item_data
                rows_item.append(rows_item_item)

            rows.append(rows_item)

        predictions = []
        for predictions_item_data in self.predictions:
            predictions_item = predictions_item_data

            predictions.append(predictions_item)

        labels: list[str] | None | Unset
        if isinstance(self.labels, Unset):
            labels = UNSET
        elif isinstance(self.labels, list):
            labels = self.labels

        else:
            labels = self.labels

        n_beyond_precision = self.n_beyond_precision

        n_drawn = self.n_drawn

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rows": rows,
                "predictions": predictions,
            }
        )
        if labels is not UNSET:
            field_dict["labels"] = labels
        if n_beyond_precision is not UNSET:
            field_dict["n_beyond_precision"] = n_beyond_precision
        if n_drawn is not UNSET:
            field_dict["n_drawn"] = n_drawn

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rows = []
        _rows = d.pop("rows")
        for rows_item_data in _rows:
            rows_item = []
            _rows_item = rows_item_data
            for rows_item_item_data in _rows_item:

                def _parse_rows_item_item(data: object) -> bool | float | None | str:
                    if data is None:
                        return data
                    return cast(bool | float | None | str, data)

                rows_item_item = _parse_rows_item_item(rows_item_item_data)

                rows_item.append(rows_item_item)

            rows.append(rows_item)

        predictions = []
        _predictions = d.pop("predictions")
        for predictions_item_data in _predictions:
            predictions_item = cast(list[float], predictions_item_data)

            predictions.append(predictions_item)

        def _parse_labels(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                labels_type_0 = cast(list[str], data)

                return labels_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        labels = _parse_labels(d.pop("labels", UNSET))

        n_beyond_precision = d.pop("n_beyond_precision", UNSET)

        n_drawn = d.pop("n_drawn", UNSET)

        parity = cls(
            rows=rows,
            predictions=predictions,
            labels=labels,
            n_beyond_precision=n_beyond_precision,
            n_drawn=n_drawn,
        )

        return parity
