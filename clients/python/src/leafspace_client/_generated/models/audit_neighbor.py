from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="AuditNeighbor")


@_attrs_define(repr=False)
class AuditNeighbor(Record):
    """One of the rows nearest to an audited row.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (str): Label of the row in the dataset's target.
        predicted_label (str): Label that the model predicts for the row.
        proximity (float): Share of the trees, by weight, in which both rows reach the same leaf: above 0, at most 1.
    """

    row: int
    row_id: str
    label: str
    predicted_label: str
    proximity: float

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        label = self.label

        predicted_label = self.predicted_label

        proximity = self.proximity

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "label": label,
                "predicted_label": predicted_label,
                "proximity": proximity,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        label = d.pop("label")

        predicted_label = d.pop("predicted_label")

        proximity = d.pop("proximity")

        audit_neighbor = cls(
            row=row,
            row_id=row_id,
            label=label,
            predicted_label=predicted_label,
            proximity=proximity,
        )

        return audit_neighbor
