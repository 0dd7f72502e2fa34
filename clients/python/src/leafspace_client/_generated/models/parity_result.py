from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ParityResult")


@_attrs_define(repr=False)
class ParityResult(Record):
    """How closely the registered model reproduced the predictions that the caller sent.

    Attributes:
        n_rows (int): Number of rows that were compared.
        max_difference (float): Largest absolute difference between two scores or values.
        label_mismatches (int | Unset): Number of rows with different labels. The scores of both labels were equal up to
            rounding, or lay on a cut-off; otherwise the model would have been refused. Default: 0.
        n_beyond_precision (int | Unset): Number of rows that the caller left out because single precision cannot
            distinguish one of their numbers from a threshold. Default: 0.
        n_drawn (int | Unset): How many of the `n_rows` rows the caller drew from the model's thresholds and categories;
            the others are rows of data. Default: 0.
    """

    n_rows: int
    max_difference: float
    label_mismatches: int | Unset = 0
    n_beyond_precision: int | Unset = 0
    n_drawn: int | Unset = 0

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        max_difference = self.max_difference

        label_mismatches = self.label_mismatches

        n_beyond_precision = self.n_beyond_precision

        n_drawn = self.n_drawn

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "max_difference": max_difference,
            }
        )
        if label_mismatches is not UNSET:
            field_dict["label_mismatches"] = label_mismatches
        if n_beyond_precision is not UNSET:
            field_dict["n_beyond_precision"] = n_beyond_precision
        if n_drawn is not UNSET:
            field_dict["n_drawn"] = n_drawn

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        max_difference = d.pop("max_difference")

        label_mismatches = d.pop("label_mismatches", UNSET)

        n_beyond_precision = d.pop("n_beyond_precision", UNSET)

        n_drawn = d.pop("n_drawn", UNSET)

        parity_result = cls(
            n_rows=n_rows,
            max_difference=max_difference,
            label_mismatches=label_mismatches,
            n_beyond_precision=n_beyond_precision,
            n_drawn=n_drawn,
        )

        return parity_result
