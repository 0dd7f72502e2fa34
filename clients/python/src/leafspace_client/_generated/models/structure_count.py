from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="StructureCount")


@_attrs_define(repr=False)
class StructureCount(Record):
    """How many different trees came of the repeats, down to a depth.

    Attributes:
        depth (int): Levels of questions that count: 1 for the root's alone.
        n_structures (int): Trees differ where some question does.
    """

    depth: int
    n_structures: int

    def to_dict(self) -> dict[str, Any]:
        depth = self.depth

        n_structures = self.n_structures

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "depth": depth,
                "n_structures": n_structures,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        depth = d.pop("depth")

        n_structures = d.pop("n_structures")

        structure_count = cls(
            depth=depth,
            n_structures=n_structures,
        )

        return structure_count
