from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="NodeHarvestOptions")


@_attrs_define(repr=False)
class NodeHarvestOptions(Record):
    """Settings of Node Harvest; the defaults are those of its author's program.

    Attributes:
        max_depth (int | Unset): Maximum depth of nodes, and so of conditions. Default: 2.
        n_nodes (int | Unset): Maximum number of different nodes that are weighted, from the first trees on. Default:
            1000.
        min_rows (int | Unset): Minimum number of rows in a node and outside of it; a twentieth of the rows if that is
            fewer. Default: 10.
        max_total_weight (float | None | Unset): Maximum sum of all weights, lambda in the paper: the smaller, the
            larger the nodes; 1 leaves the constant prediction. Null: no maximum.
    """

    max_depth: int | Unset = 2
    n_nodes: int | Unset = 1000
    min_rows: int | Unset = 10
    max_total_weight: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        max_depth = self.max_depth

        n_nodes = self.n_nodes

        min_rows = self.min_rows

        max_total_weight: float | None | Unset
        if isinstance(self.max_total_weight, Unset):
            max_total_weight = UNSET
        else:
            max_total_weight = self.max_total_weight

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if max_depth is not UNSET:
            field_dict["max_depth"] = max_depth
        if n_nodes is not UNSET:
            field_dict["n_nodes"] = n_nodes
        if min_rows is not UNSET:
            field_dict["min_rows"] = min_rows
        if max_total_weight is not UNSET:
            field_dict["max_total_weight"] = max_total_weight

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_depth = d.pop("max_depth", UNSET)

        n_nodes = d.pop("n_nodes", UNSET)

        min_rows = d.pop("min_rows", UNSET)

        def _parse_max_total_weight(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        max_total_weight = _parse_max_total_weight(d.pop("max_total_weight", UNSET))

        node_harvest_options = cls(
            max_depth=max_depth,
            n_nodes=n_nodes,
            min_rows=min_rows,
            max_total_weight=max_total_weight,
        )

        return node_harvest_options
