from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="SearchedRows")


@_attrs_define(repr=False)
class SearchedRows(Record):
    """The reference rows that `nearest_rows` searches, and the memory that this takes.

    Attributes:
        n_rows (int): Number of rows.
        mapped_bytes (int): Size of the file that is mapped, in bytes: the parts in use are in memory while there is
            room.
        held_bytes (int): Memory that is held beside it in each process that answers, in bytes at most: sums of a
            search, and the groups of rows by a few columns.
    """

    n_rows: int
    mapped_bytes: int
    held_bytes: int

    def to_dict(self) -> dict[str, Any]:
        n_rows = self.n_rows

        mapped_bytes = self.mapped_bytes

        held_bytes = self.held_bytes

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "mapped_bytes": mapped_bytes,
                "held_bytes": held_bytes,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        mapped_bytes = d.pop("mapped_bytes")

        held_bytes = d.pop("held_bytes")

        searched_rows = cls(
            n_rows=n_rows,
            mapped_bytes=mapped_bytes,
            held_bytes=held_bytes,
        )

        return searched_rows
