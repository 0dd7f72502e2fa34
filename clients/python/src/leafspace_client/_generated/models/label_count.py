from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="LabelCount")


@_attrs_define(repr=False)
class LabelCount(Record):
    """How often the model predicts a label.

    Attributes:
        label (str): The label.
        n_rows (int): Number of explained rows for which the model predicts it.
    """

    label: str
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        n_rows = self.n_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "n_rows": n_rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label")

        n_rows = d.pop("n_rows")

        label_count = cls(
            label=label,
            n_rows=n_rows,
        )

        return label_count
