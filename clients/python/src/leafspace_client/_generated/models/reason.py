from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Reason")


@_attrs_define(repr=False)
class Reason(Record):
    """The values of one feature that keep a row in all leaves that it shares with a prototype.

    Attributes:
        feature (str): Name of the feature.
        low (float | None): Lower end of the interval; null: there is none.
        high (float | None): Upper end of the interval; null: there is none.
        low_inclusive (bool): Whether the interval includes its lower end.
        high_inclusive (bool): Whether the interval includes its upper end.
        or_missing (bool): Whether a missing value also keeps the row in the shared leaves. It is false where the rows
            from which the prototypes were chosen have no missing value of this feature, unless the explained row has one.
        is_missing (bool): Whether only a missing value keeps the row in the shared leaves: both rows miss the value.
            Then there is no interval and no category, and `or_missing` is false.
        category (float | None | str): The only category that keeps the row in the shared leaves; null: there is none.
        excluded_categories (list[float | str]): Categories that do not keep the row in the shared leaves; of a number,
            excluded values within the interval.
        share_of_trees (float): Share of the shared trees that test the feature on the path to the shared leaf, 0 to 1.
        transformed (bool): Whether the feature could not be mapped back to a raw one.
        exact (bool): False where a tree tests a set of values, which is not listed here, and where ends were mapped
            back through scaling: then they hold up to the rounding of single precision, on either side.
        text (str | Unset): The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing
            allowed)`, `color is G or H` or `income is missing`. It names the remaining categories or the excluded ones,
            whichever are fewer, and adds `(transformed)` to the names of transformed features. Empty in explanation sets
            that an earlier release made. Default: ''.
    """

    feature: str
    low: float | None
    high: float | None
    low_inclusive: bool
    high_inclusive: bool
    or_missing: bool
    is_missing: bool
    category: float | None | str
    excluded_categories: list[float | str]
    share_of_trees: float
    transformed: bool
    exact: bool
    text: str | Unset = ""

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        low: float | None
        low = self.low

        high: float | None
        high = self.high

        low_inclusive = self.low_inclusive

        high_inclusive = self.high_inclusive

        or_missing = self.or_missing

        is_missing = self.is_missing

        category: float | None | str
        category = self.category

        excluded_categories = []
        for excluded_categories_item_data in self.excluded_categories:
            excluded_categories_item: float | str
            excluded_categories_item = excluded_categories_item_data
            excluded_categories.append(excluded_categories_item)

        share_of_trees = self.share_of_trees

        transformed = self.transformed

        exact = self.exact

        text = self.text

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "low": low,
                "high": high,
                "low_inclusive": low_inclusive,
                "high_inclusive": high_inclusive,
                "or_missing": or_missing,
                "is_missing": is_missing,
                "category": category,
                "excluded_categories": excluded_categories,
                "share_of_trees": share_of_trees,
                "transformed": transformed,
                "exact": exact,
            }
        )
        if text is not UNSET:
            field_dict["text"] = text

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        def _parse_low(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        low = _parse_low(d.pop("low"))

        def _parse_high(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        high = _parse_high(d.pop("high"))

        low_inclusive = d.pop("low_inclusive")

        high_inclusive = d.pop("high_inclusive")

        or_missing = d.pop("or_missing")

        is_missing = d.pop("is_missing")

        def _parse_category(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        category = _parse_category(d.pop("category"))

        excluded_categories = []
        _excluded_categories = d.pop("excluded_categories")
        for excluded_categories_item_data in _excluded_categories:

            def _parse_excluded_categories_item(data: object) -> float | str:
                return cast(float | str, data)

            excluded_categories_item = _parse_excluded_categories_item(excluded_categories_item_data)

            excluded_categories.append(excluded_categories_item)

        share_of_trees = d.pop("share_of_trees")

        transformed = d.pop("transformed")

        exact = d.pop("exact")

        text = d.pop("text", UNSET)

        reason = cls(
            feature=feature,
            low=low,
            high=high,
            low_inclusive=low_inclusive,
            high_inclusive=high_inclusive,
            or_missing=or_missing,
            is_missing=is_missing,
            category=category,
            excluded_categories=excluded_categories,
            share_of_trees=share_of_trees,
            transformed=transformed,
            exact=exact,
            text=text,
        )

        return reason
