from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ParityResult")


@_attrs_define
class ParityResult:
    """How closely the registered model agreed with the rows the caller sent.

    Attributes:
        n_rows (int):
        max_difference (float): Largest absolute difference of a score or value.
    """

    n_rows: int
    max_difference: float

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        max_difference = self.max_difference

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "max_difference": max_difference,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        max_difference = d.pop("max_difference")

        parity_result = cls(
            n_rows=n_rows,
            max_difference=max_difference,
        )

        return parity_result
