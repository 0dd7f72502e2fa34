from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ShareInterval")


@_attrs_define(repr=False)
class ShareInterval(Record):
    """What chance leaves open about a share, or about the difference of two.

    Attributes:
        low (float): Lower end.
        high (float): Upper end.
    """

    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        low = self.low

        high = self.high

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "low": low,
                "high": high,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        low = d.pop("low")

        high = d.pop("high")

        share_interval = cls(
            low=low,
            high=high,
        )

        return share_interval
