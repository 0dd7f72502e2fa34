from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ImpliedAnswer")


@_attrs_define(repr=False)
class ImpliedAnswer(Record):
    """What follows for one split of the tree from another: who has five transactions has one.

    Attributes:
        node (int): Id of the node whose condition holds, or not.
        holds (bool): Whether it does.
        implied_node (int): Id of the node whose condition then holds, or not, for every row.
        implied_holds (bool): Whether that one does.
    """

    node: int
    holds: bool
    implied_node: int
    implied_holds: bool

    def to_dict(self) -> dict[str, Any]:
        node = self.node

        holds = self.holds

        implied_node = self.implied_node

        implied_holds = self.implied_holds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "node": node,
                "holds": holds,
                "implied_node": implied_node,
                "implied_holds": implied_holds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        node = d.pop("node")

        holds = d.pop("holds")

        implied_node = d.pop("implied_node")

        implied_holds = d.pop("implied_holds")

        implied_answer = cls(
            node=node,
            holds=holds,
            implied_node=implied_node,
            implied_holds=implied_holds,
        )

        return implied_answer
