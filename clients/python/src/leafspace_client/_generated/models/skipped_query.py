from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="SkippedQuery")


@_attrs_define(repr=False)
class SkippedQuery(Record):
    """A query that was not tested, and why.

    Attributes:
        query (str): The query in English.
        reason (str): Why it was not tested.
    """

    query: str
    reason: str

    def to_dict(self) -> dict[str, Any]:
        query = self.query

        reason = self.reason

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "query": query,
                "reason": reason,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        query = d.pop("query")

        reason = d.pop("reason")

        skipped_query = cls(
            query=query,
            reason=reason,
        )

        return skipped_query
