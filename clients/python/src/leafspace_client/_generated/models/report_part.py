from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ReportPart")


@_attrs_define(repr=False)
class ReportPart(Record):
    """A part of the file.

    Attributes:
        name (str): The part.
        sha256 (str): SHA-256 of its HTML.
    """

    name: str
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        sha256 = self.sha256

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "sha256": sha256,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        sha256 = d.pop("sha256")

        report_part = cls(
            name=name,
            sha256=sha256,
        )

        return report_part
