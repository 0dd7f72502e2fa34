from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ExplanationSetSizes")


@_attrs_define(repr=False)
class ExplanationSetSizes(Record):
    """Sizes of the explanations in bytes.

    Attributes:
        json_lines (int): Size of the JSON lines, in bytes.
        json_lines_compressed (int): Size of the JSON lines compressed by zstd, in bytes.
        parquet (int): Size of the Parquet file, in bytes.
    """

    json_lines: int
    json_lines_compressed: int
    parquet: int

    def to_dict(self) -> dict[str, Any]:
        json_lines = self.json_lines

        json_lines_compressed = self.json_lines_compressed

        parquet = self.parquet

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "json_lines": json_lines,
                "json_lines_compressed": json_lines_compressed,
                "parquet": parquet,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        json_lines = d.pop("json_lines")

        json_lines_compressed = d.pop("json_lines_compressed")

        parquet = d.pop("parquet")

        explanation_set_sizes = cls(
            json_lines=json_lines,
            json_lines_compressed=json_lines_compressed,
            parquet=parquet,
        )

        return explanation_set_sizes
