from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="DecisionTreeOptions")


@_attrs_define(repr=False)
class DecisionTreeOptions(Record):
    """Settings of a small tree.

    Attributes:
        max_depth (int | Unset): Maximum depth of the tree; 2 gives up to four rules. Default: 2.
    """

    max_depth: int | Unset = 2

    def to_dict(self) -> dict[str, Any]:
        max_depth = self.max_depth

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_depth = d.pop("max_depth", UNSET)

        decision_tree_options = cls(
            max_depth=max_depth,
        )

        return decision_tree_options
