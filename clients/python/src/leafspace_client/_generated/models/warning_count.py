from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="WarningCount")


@_attrs_define(repr=False)
class WarningCount(Record):
    """How many rows have a warning.

    Attributes:
        code (str): Code of the warning, such as `unseen_category`.
        n_rows (int): Number of explained rows with at least one such warning.
    """

    code: str
    n_rows: int

    def to_dict(self) -> dict[str, Any]:
        code = self.code

        n_rows = self.n_rows

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "code": code,
                "n_rows": n_rows,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        code = d.pop("code")

        n_rows = d.pop("n_rows")

        warning_count = cls(
            code=code,
            n_rows=n_rows,
        )

        return warning_count
