from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="FieldProblem")


@_attrs_define(repr=False)
class FieldProblem(Record):
    """What is wrong with one field.

    Attributes:
        pointer (str): JSON Pointer to the field (RFC 6901).
        detail (str): What is wrong with its value.
    """

    pointer: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        pointer = self.pointer

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "pointer": pointer,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pointer = d.pop("pointer")

        detail = d.pop("detail")

        field_problem = cls(
            pointer=pointer,
            detail=detail,
        )

        return field_problem
