from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="StopReason")


@_attrs_define(repr=False)
class StopReason(Record):
    """Why the selection ended, before any swaps.

    Attributes:
        reason (str): Code: n_prototypes, coverage, max_prototypes, validate, alpha, no_gain or no_improvement; codes
            may be added.
        detail (str): The reason as an English sentence.
    """

    reason: str
    detail: str

    def to_dict(self) -> dict[str, Any]:
        reason = self.reason

        detail = self.detail

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "reason": reason,
                "detail": detail,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        reason = d.pop("reason")

        detail = d.pop("detail")

        stop_reason = cls(
            reason=reason,
            detail=detail,
        )

        return stop_reason
