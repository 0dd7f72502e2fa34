from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="PathNode")


@_attrs_define(repr=False)
class PathNode(Record):
    """A condition on a row's path from the root, and whether the row satisfies it.

    Attributes:
        id (int): Id of the node in the tree.
        feature (str): Name of the raw feature.
        text (str): Condition as an English phrase, such as `income is at most 3,400`.
        holds (bool): Whether the row satisfies the condition and goes left; otherwise it goes right.
    """

    id: int
    feature: str
    text: str
    holds: bool

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        feature = self.feature

        text = self.text

        holds = self.holds

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "feature": feature,
                "text": text,
                "holds": holds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        feature = d.pop("feature")

        text = d.pop("text")

        holds = d.pop("holds")

        path_node = cls(
            id=id,
            feature=feature,
            text=text,
            holds=holds,
        )

        return path_node
