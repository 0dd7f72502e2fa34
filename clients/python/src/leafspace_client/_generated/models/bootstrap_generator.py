from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="BootstrapGenerator")


@_attrs_define(repr=False)
class BootstrapGenerator(Record):
    """The dataset's rows at a node as they are, drawn with replacement.

    Attributes:
        method (str): Rows drawn with replacement.
    """

    method: str

    def to_dict(self) -> dict[str, Any]:
        method = self.method

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "method": method,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = d.pop("method")

        bootstrap_generator = cls(
            method=method,
        )

        return bootstrap_generator
