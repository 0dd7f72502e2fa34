from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="RelationalTree")


@_attrs_define(repr=False)
class RelationalTree(Record):
    """The size of one tree.

    Attributes:
        n_nodes (int): Number of tests.
        n_leaves (int): Number of leaves.
        depth (int): Number of tests on the longest path.
    """

    n_nodes: int
    n_leaves: int
    depth: int

    def to_dict(self) -> dict[str, Any]:
        n_nodes = self.n_nodes

        n_leaves = self.n_leaves

        depth = self.depth

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_nodes": n_nodes,
                "n_leaves": n_leaves,
                "depth": depth,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_nodes = d.pop("n_nodes")

        n_leaves = d.pop("n_leaves")

        depth = d.pop("depth")

        relational_tree = cls(
            n_nodes=n_nodes,
            n_leaves=n_leaves,
            depth=depth,
        )

        return relational_tree
