from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="IndicatorColumn")


@_attrs_define(repr=False)
class IndicatorColumn(Record):
    """A column that is 1 where the feature has this category, else 0.

    Attributes:
        column (str): Name of the one-hot column among the model's features.
        category (str): Category of the feature that the column indicates.
    """

    column: str
    category: str

    def to_dict(self) -> dict[str, Any]:
        column = self.column

        category = self.category

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "column": column,
                "category": category,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        column = d.pop("column")

        category = d.pop("category")

        indicator_column = cls(
            column=column,
            category=category,
        )

        return indicator_column
