from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Readiness")


@_attrs_define(repr=False)
class Readiness(Record):
    """The process can do its work; ``degraded`` names what is impaired. Warm explainers answer all the same.

    Attributes:
        status (str | Unset): Always `ok`: otherwise the answer is a 503. Default: 'ok'.
        degraded (list[str] | Unset): What is impaired. `redis`: jobs start when it is back, nothing is lost; `objects`:
            uploads and whatever is not in memory wait for the storage; `disk`: it is full, or nearly, and only reading and
            deleting work; `database`: a part of it was found damaged.
    """

    status: str | Unset = "ok"
    degraded: list[str] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        status = self.status

        degraded: list[str] | Unset = UNSET
        if not isinstance(self.degraded, Unset):
            degraded = self.degraded

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if status is not UNSET:
            field_dict["status"] = status
        if degraded is not UNSET:
            field_dict["degraded"] = degraded

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        status = d.pop("status", UNSET)

        degraded = cast(list[str], d.pop("degraded", UNSET))

        readiness = cls(
            status=status,
            degraded=degraded,
        )

        return readiness
