from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Liveness")


@_attrs_define(repr=False)
class Liveness(Record):
    """The process answers.

    Attributes:
        status (str | Unset): Always `ok`: a process that is not alive does not answer. Default: 'ok'.
    """

    status: str | Unset = "ok"

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if status is not UNSET:
            field_dict["status"] = status

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = d.pop("status", UNSET)

        liveness = cls(
            status=status,
        )

        return liveness
