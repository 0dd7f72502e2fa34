from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="StructureCount")


@_attrs_define(repr=False)
class StructureCount(Record):
    """The number of different trees among the repeats, down to a depth.

    Attributes:
        depth (int): Number of levels of splits that are compared; 1: the root's split alone.
        n_structures (int): Number of trees that differ in at least one split of these levels.
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
