from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.path_leaf import PathLeaf
    from ..models.path_node import PathNode


T = TypeVar("T", bound="ApproximationPath")


@_attrs_define(repr=False)
class ApproximationPath(Record):
    """A row's path in the approximation tree.

    Attributes:
        nodes (list[PathNode]): Conditions on the path, from the root.
        leaf (PathLeaf): The leaf that a row reaches in the approximation tree.
        agrees (bool | Unset): Whether the leaf has the label that the model predicts; absent for regression.
    """

    nodes: list[PathNode]
    leaf: PathLeaf
    agrees: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        nodes = []
        for nodes_item_data in self.nodes:
            nodes_item = nodes_item_data.to_dict()
            nodes.append(nodes_item)

        leaf = self.leaf.to_dict()

        agrees = self.agrees

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "nodes": nodes,
                "leaf": leaf,
            }
        )
        if agrees is not UNSET:
            field_dict["agrees"] = agrees

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.path_leaf import PathLeaf  # noqa: PLC0415
        from ..models.path_node import PathNode  # noqa: PLC0415

        d = dict(src_dict)
        nodes = []
        _nodes = d.pop("nodes")
        for nodes_item_data in _nodes:
            nodes_item = PathNode.from_dict(nodes_item_data)

            nodes.append(nodes_item)

        leaf = PathLeaf.from_dict(d.pop("leaf"))

        agrees = d.pop("agrees", UNSET)

        approximation_path = cls(
            nodes=nodes,
            leaf=leaf,
            agrees=agrees,
        )

        return approximation_path
