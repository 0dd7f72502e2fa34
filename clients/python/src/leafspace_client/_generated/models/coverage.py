from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Coverage")


@_attrs_define(repr=False)
class Coverage(Record):
    """The dataset's rows for which this prototype is the nearest one of their class (`k_medoids`: of all).

    Attributes:
        n_rows (int): Number of these rows.
        share (float): Share of all rows of the dataset, 0 to 1.
    """

    n_rows: int
    share: float

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        share = self.share

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "share": share,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        share = d.pop("share")

        coverage = cls(
            n_rows=n_rows,
            share=share,
        )

        return coverage
