from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="FrozenDecisions")


@_attrs_define(repr=False)
class FrozenDecisions(Record):
    """Decisions on a label audit, as they were at a moment; later ones change nothing in the report.

    Attributes:
        n_entries (int): Number of the audit's entries until that moment, the oldest ones.
        sha256 (str): SHA-256 of what these entries leave in force.
    """

    n_entries: int
    sha256: str

    def to_dict(self) -> dict[str, Any]:
        n_entries = self.n_entries

        sha256 = self.sha256

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_entries": n_entries,
                "sha256": sha256,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_entries = d.pop("n_entries")

        sha256 = d.pop("sha256")

        frozen_decisions = cls(
            n_entries=n_entries,
            sha256=sha256,
        )

        return frozen_decisions
