from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ReasonInterval")


@_attrs_define(repr=False)
class ReasonInterval(Record):
    """The values of one feature that keep a row in all leaves that it shares with a prototype.

    Attributes:
        low (float | Unset): Lower end of the interval; absent: there is none.
        low_inclusive (bool | Unset): Whether the interval includes its lower end.
        high (float | Unset): Upper end of the interval; absent: there is none.
        high_inclusive (bool | Unset): Whether the interval includes its upper end.
        or_missing (bool | Unset): True where a missing value also keeps the row in the shared leaves. It is absent
            where the rows from which the prototypes were chosen have no missing value of this feature, unless the explained
            row has one.
        is_missing (bool | Unset): True where only a missing value keeps the row in the shared leaves: both rows miss
            the value. Then there is no interval and no category.
        category (float | str | Unset): A number or a text, such as a predicted value or label.
        categories (list[float | str] | Unset): The only categories that keep the row in the shared leaves, two or more:
            all others, unseen ones too, do not. Absent where other categories do.
        excluded_categories (list[float | str] | Unset): Categories that do not keep the row in the shared leaves; of a
            number, excluded values within the interval.
        transformed (bool | Unset): True where the feature could not be mapped back to a raw one.
        exact (bool | Unset): False where a tree tests a set of raw numbers, and where ends were mapped back through
            scaling: then they hold up to the rounding of single precision, on either side. Else absent.
    """

    low: float | Unset = UNSET
    low_inclusive: bool | Unset = UNSET
    high: float | Unset = UNSET
    high_inclusive: bool | Unset = UNSET
    or_missing: bool | Unset = UNSET
    is_missing: bool | Unset = UNSET
    category: float | str | Unset = UNSET
    categories: list[float | str] | Unset = UNSET
    excluded_categories: list[float | str] | Unset = UNSET
    transformed: bool | Unset = UNSET
    exact: bool | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        low = self.low

        low_inclusive = self.low_inclusive

        high = self.high

        high_inclusive = self.high_inclusive

        or_missing = self.or_missing

        is_missing = self.is_missing

        category: float | str | Unset
        if isinstance(self.category, Unset):
            category = UNSET
        else:
            category = self.category

        categories: list[float | str] | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = []
            for categories_item_data in self.categories:
                categories_item: float | str
                categories_item = categories_item_data
                categories.append(categories_item)

        excluded_categories: list[float | str] | Unset = UNSET
        if not isinstance(self.excluded_categories, Unset):
            excluded_categories = []
            for excluded_categories_item_data in self.excluded_categories:
                excluded_categories_item: float | str
                excluded_categories_item = excluded_categories_item_data
                excluded_categories.append(excluded_categories_item)

        transformed = self.transformed

        exact = self.exact

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if low is not UNSET:
            field_dict["low"] = low
        if low_inclusive is not UNSET:
            field_dict["low_inclusive"] = low_inclusive
        if high is not UNSET:
            field_dict["high"] = high
        if high_inclusive is not UNSET:
            field_dict["high_inclusive"] = high_inclusive
        if or_missing is not UNSET:
            field_dict["or_missing"] = or_missing
        if is_missing is not UNSET:
            field_dict["is_missing"] = is_missing
        if category is not UNSET:
            field_dict["category"] = category
        if categories is not UNSET:
            field_dict["categories"] = categories
        if excluded_categories is not UNSET:
            field_dict["excluded_categories"] = excluded_categories
        if transformed is not UNSET:
            field_dict["transformed"] = transformed
        if exact is not UNSET:
            field_dict["exact"] = exact

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        low = d.pop("low", UNSET)

        low_inclusive = d.pop("low_inclusive", UNSET)

        high = d.pop("high", UNSET)

        high_inclusive = d.pop("high_inclusive", UNSET)

        or_missing = d.pop("or_missing", UNSET)

        is_missing = d.pop("is_missing", UNSET)

        def _parse_category(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        category = _parse_category(d.pop("category", UNSET))

        _categories = d.pop("categories", UNSET)
        categories: list[float | str] | Unset = UNSET
        if _categories is not UNSET:
            categories = []
            for categories_item_data in _categories:

                def _parse_categories_item(data: object) -> float | str:
                    return cast(float | str, data)

                categories_item = _parse_categories_item(categories_item_data)

                categories.append(categories_item)

        _excluded_categories = d.pop("excluded_categories", UNSET)
        excluded_categories: list[float | str] | Unset = UNSET
        if _excluded_categories is not UNSET:
            excluded_categories = []
            for excluded_categories_item_data in _excluded_categories:

                def _parse_excluded_categories_item(data: object) -> float | str:
                    return cast(float | str, data)

                excluded_categories_item = _parse_excluded_categories_item(excluded_categories_item_data)

                excluded_categories.append(excluded_categories_item)

        transformed = d.pop("transformed", UNSET)

        exact = d.pop("exact", UNSET)

        reason_interval = cls(
            low=low,
            low_inclusive=low_inclusive,
            high=high,
            high_inclusive=high_inclusive,
            or_missing=or_missing,
            is_missing=is_missing,
            category=category,
            categories=categories,
            excluded_categories=excluded_categories,
            transformed=transformed,
            exact=exact,
        )

        return reason_interval
