from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="LeafStep")


@_attrs_define(repr=False)
class LeafStep(Record):
    """A `min_leaf_rows` that `auto` tried.

    Attributes:
        min_leaf_rows (int): Fewest reference rows of a leaf.
        n_trees_used (int): Number of trees that are left with more than one leaf and count.
        coverage (float): Share of rows with at least the minimum proximity to one of the prototypes selected with it, 0
            to 1; see `row_coverage`.
    """

    min_leaf_rows: int
    n_trees_used: int
    coverage: float

    def to_dict(self) -> dict[str, Any]:
        min_leaf_rows = self.min_leaf_rows

        n_trees_used = self.n_trees_used

        coverage = self.coverage

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "min_leaf_rows": min_leaf_rows,
                "n_trees_used": n_trees_used,
                "coverage": coverage,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        min_leaf_rows = d.pop("min_leaf_rows")

        n_trees_used = d.pop("n_trees_used")

        coverage = d.pop("coverage")

        leaf_step = cls(
            min_leaf_rows=min_leaf_rows,
            n_trees_used=n_trees_used,
            coverage=coverage,
        )

        return leaf_step
