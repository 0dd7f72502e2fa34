from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FieldProblem")


@_attrs_define(repr=False)
class FieldProblem(Record):
    """What is wrong with one field, or with one row.

    Attributes:
        pointer (str): JSON Pointer to the field (RFC 6901).
        detail (str): What is wrong with its value.
        code (None | str | Unset): Stable, machine-readable name of a row's problem; null for other fields.
    """

    pointer: str
    detail: str
    code: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        pointer = self.pointer

        detail = self.detail

        code: None | str | Unset
        if isinstance(self.code, Unset):
            code = UNSET
        else:
            code = self.code

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "pointer": pointer,
                "detail": detail,
            }
        )
        if code is not UNSET:
            field_dict["code"] = code

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        pointer = d.pop("pointer")

        detail = d.pop("detail")

        def _parse_code(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        code = _parse_code(d.pop("code", UNSET))

        field_problem = cls(
            pointer=pointer,
            detail=detail,
            code=code,
        )

        return field_problem
