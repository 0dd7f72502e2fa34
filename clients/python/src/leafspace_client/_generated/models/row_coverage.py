from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.class_row_coverage import ClassRowCoverage


T = TypeVar("T", bound="RowCoverage")


@_attrs_define(repr=False)
class RowCoverage(Record):
    """How many of the dataset's rows have at least the minimum proximity to a prototype, of whatever class.

    Attributes:
        share (float): Share of all rows, 0 to 1.
        minimum_proximity (float): Proximity that a row must have to one of the prototypes: 1 %.
        minimum_trees (int): Number of trees that count in which it must share a leaf with that prototype: 2, or 1 if
            the model has a single tree.
        by_class (list[ClassRowCoverage]): The same for each class, in the order of `classes`.
    """

    share: float
    minimum_proximity: float
    minimum_trees: int
    by_class: list[ClassRowCoverage]

    def to_dict(self) -> dict[str, Any]:
        share = self.share

        minimum_proximity = self.minimum_proximity

        minimum_trees = self.minimum_trees

        by_class = []
        for by_class_item_data in self.by_class:
            by_class_item = by_class_item_data.to_dict()
            by_class.append(by_class_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "share": share,
                "minimum_proximity": minimum_proximity,
                "minimum_trees": minimum_trees,
                "by_class": by_class,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.class_row_coverage import ClassRowCoverage  # noqa: PLC0415

        d = dict(src_dict)
        share = d.pop("share")

        minimum_proximity = d.pop("minimum_proximity")

        minimum_trees = d.pop("minimum_trees")

        by_class = []
        _by_class = d.pop("by_class")
        for by_class_item_data in _by_class:
            by_class_item = ClassRowCoverage.from_dict(by_class_item_data)

            by_class.append(by_class_item)

        row_coverage = cls(
            share=share,
            minimum_proximity=minimum_proximity,
            minimum_trees=minimum_trees,
            by_class=by_class,
        )

        return row_coverage
