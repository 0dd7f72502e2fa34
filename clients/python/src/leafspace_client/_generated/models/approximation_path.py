from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.path_leaf import PathLeaf
    from ..models.path_node import PathNode


T = TypeVar("T", bound="ApproximationPath")


@_attrs_define(repr=False)
class ApproximationPath(Record):
    """An instance's path in the approximation tree.

    Attributes:
        agrees (bool | None): Whether the leaf has the label that the model predicts; null for regression.
        nodes (list[PathNode]): Conditions on the path, from the root.
        leaf (PathLeaf): The leaf that a row reaches in the approximation tree.
    """

    agrees: bool | None
    nodes: list[PathNode]
    leaf: PathLeaf

    def to_dict(self) -> dict[str, Any]:
        agrees: bool | None
        agrees = self.agrees

        nodes = []
        for nodes_item_data in self.nodes:
            nodes_item = nodes_item_data.to_dict()
            nodes.append(nodes_item)

        leaf = self.leaf.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "agrees": agrees,
                "nodes": nodes,
                "leaf": leaf,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.path_leaf import PathLeaf  # noqa: PLC0415
        from ..models.path_node import PathNode  # noqa: PLC0415

        d = dict(src_dict)

        def _parse_agrees(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        agrees = _parse_agrees(d.pop("agrees"))

        nodes = []
        _nodes = d.pop("nodes")
        for nodes_item_data in _nodes:
            nodes_item = PathNode.from_dict(nodes_item_data)

            nodes.append(nodes_item)

        leaf = PathLeaf.from_dict(d.pop("leaf"))

        approximation_path = cls(
            agrees=agrees,
            nodes=nodes,
            leaf=leaf,
        )

        return approximation_path
