from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="LabelChange")


@_attrs_define(repr=False)
class LabelChange(Record):
    """Rows for which two models predict different labels.

    Attributes:
        label (str): Label that the model predicts.
        other_label (str): Label that the other model predicts.
        n_rows (int): Number of such rows.
    """

    label: str
    other_label: str
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        other_label = self.other_label

        n_rows = self.n_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "other_label": other_label,
                "n_rows": n_rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label")

        other_label = d.pop("other_label")

        n_rows = d.pop("n_rows")

        label_change = cls(
            label=label,
            other_label=other_label,
            n_rows=n_rows,
        )

        return label_change
