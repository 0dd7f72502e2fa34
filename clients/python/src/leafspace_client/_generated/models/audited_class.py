from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="AuditedClass")


@_attrs_define(repr=False)
class AuditedClass(Record):
    """The rows of one label.

    Attributes:
        label (str): The label.
        n_rows (int): Number of audited rows that have it.
        n_suggested (int): Number of these for which another label is suggested.
    """

    label: str
    n_rows: int
    n_suggested: int

    def to_dict(self) -> dict[str, Any]:
        label = self.label

        n_rows = self.n_rows

        n_suggested = self.n_suggested

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "n_rows": n_rows,
                "n_suggested": n_suggested,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label = d.pop("label")

        n_rows = d.pop("n_rows")

        n_suggested = d.pop("n_suggested")

        audited_class = cls(
            label=label,
            n_rows=n_rows,
            n_suggested=n_suggested,
        )

        return audited_class
