from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ReportInput")


@_attrs_define(repr=False)
class ReportInput(Record):
    """Something that the report shows.

    Attributes:
        noun (str): What it is, such as `prototype_sets`.
        id (str): Its id.
        sha256 (None | str): SHA-256 of its content: a model's or dataset's file, an artefact's result; null of an
            explainer, which is what it is made of.
    """

    noun: str
    id: str
    sha256: None | str

    def to_dict(self) -> dict[str, Any]:
        noun = self.noun

        id = self.id

        sha256: None | str
        sha256 = self.sha256

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "noun": noun,
                "id": id,
                "sha256": sha256,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        noun = d.pop("noun")

        id = d.pop("id")

        def _parse_sha256(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        sha256 = _parse_sha256(d.pop("sha256"))

        report_input = cls(
            noun=noun,
            id=id,
            sha256=sha256,
        )

        return report_input
