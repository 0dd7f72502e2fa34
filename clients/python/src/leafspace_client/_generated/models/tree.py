from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.tree_node import TreeNode


T = TypeVar("T", bound="Tree")


@_attrs_define(repr=False)
class Tree(Record):
    """One tree of a model, for drawing.

    Attributes:
        model (str): Id of the model.
        tree (int): 0-based index of the tree in the model.
        nodes (list[TreeNode]): Nodes of the tree; the root comes first.
        object_ (Literal['tree'] | Unset): Type of this object. Default: 'tree'.
    """

    model: str
    tree: int
    nodes: list[TreeNode]
    object_: Literal["tree"] | Unset = "tree"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        tree = self.tree

        nodes = []
        for nodes_item_data in self.nodes:
            nodes_item = nodes_item_data.to_dict()
            nodes.append(nodes_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "tree": tree,
                "nodes": nodes,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.tree_node import TreeNode  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        tree = d.pop("tree")

        nodes = []
        _nodes = d.pop("nodes")
        for nodes_item_data in _nodes:
            nodes_item = TreeNode.from_dict(nodes_item_data)

            nodes.append(nodes_item)

        object_ = cast(Literal["tree"] | Unset, d.pop("object", UNSET))
        if object_ != "tree" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'tree', got '{object_}'")

        tree = cls(
            model=model,
            tree=tree,
            nodes=nodes,
            object_=object_,
        )

        return tree
