from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ClassRowCoverage")


@_attrs_define(repr=False)
class ClassRowCoverage(Record):
    """How many rows of a class have at least the minimum proximity to a prototype of any class.

    Attributes:
        label (None | str): The class, see `labels`; null for regression, where one class has all rows.
        n_rows (int): Number of rows of the class.
        share (float | None): Share of them, 0 to 1; null without rows.
    """

    label: None | str
    n_rows: int
    share: float | None

    def to_dict(self) -> dict[str, Any]:
        label: None | str
        label = self.label

        n_rows = self.n_rows

        share: float | None
        share = self.share

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "n_rows": n_rows,
                "share": share,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        label = _parse_label(d.pop("label"))

        n_rows = d.pop("n_rows")

        def _parse_share(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        share = _parse_share(d.pop("share"))

        class_row_coverage = cls(
            label=label,
            n_rows=n_rows,
            share=share,
        )

        return class_row_coverage
