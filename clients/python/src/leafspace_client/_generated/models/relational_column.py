from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.odd_cell import OddCell


T = TypeVar("T", bound="RelationalColumn")


@_attrs_define(repr=False)
class RelationalColumn(Record):
    """One column of a table.

    Attributes:
        name (str): Name of the column in the uploaded file.
        type_ (str): Type of the column's values; of keys: category.
        role (str): Use of the column. Keys, times (also the cutoff) and the target are never tested by value.
        n_missing (int): Number of missing values.
        n_categories (int | None): Number of distinct categories; null for numbers, booleans, keys and times.
        categories (list[str] | None): Distinct categories in alphabetical order; null for numbers, booleans, keys,
            times, and more than 1,000 categories.
        min_ (float | None): Smallest number; null for other types and where all values are missing.
        max_ (float | None): Largest number; null for other types and where all values are missing.
        category_because (None | OddCell | Unset): First cell that is no number in a category column whose other values
            nearly all are numbers: most likely an oversight in the file. Null for all other columns.
    """

    name: str
    type_: str
    role: str
    n_missing: int
    n_categories: int | None
    categories: list[str] | None
    min_: float | None
    max_: float | None
    category_because: None | OddCell | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.odd_cell import OddCell  # noqa: PLC0415

        name = self.name

        type_ = self.type_

        role = self.role

        n_missing = self.n_missing

        n_categories: int | None
        n_categories = self.n_categories

        categories: list[str] | None
        if isinstance(self.categories, list):
            categories = self.categories

        else:
            categories = self.categories

        min_: float | None
        min_ = self.min_

        max_: float | None
        max_ = self.max_

        category_because: dict[str, Any] | None | Unset
        if isinstance(self.category_because, Unset):
            category_because = UNSET
        elif isinstance(self.category_because, OddCell):
            category_because = self.category_because.to_dict()
        else:
            category_because = self.category_because

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "type": type_,
                "role": role,
                "n_missing": n_missing,
                "n_categories": n_categories,
                "categories": categories,
                "min": min_,
                "max": max_,
            }
        )
        if category_because is not UNSET:
            field_dict["category_because"] = category_because

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.odd_cell import OddCell  # noqa: PLC0415

        d = dict(src_dict)
        name = d.pop("name")

        type_ = d.pop("type")

        role = d.pop("role")

        n_missing = d.pop("n_missing")

        def _parse_n_categories(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_categories = _parse_n_categories(d.pop("n_categories"))

        def _parse_categories(data: object) -> list[str] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                categories_type_0 = cast(list[str], data)

                return categories_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None, data)

        categories = _parse_categories(d.pop("categories"))

        def _parse_min_(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        min_ = _parse_min_(d.pop("min"))

        def _parse_max_(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        max_ = _parse_max_(d.pop("max"))

        def _parse_category_because(data: object) -> None | OddCell | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                category_because_type_0 = OddCell.from_dict(data)

                return category_because_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | OddCell | Unset, data)

        category_because = _parse_category_because(d.pop("category_because", UNSET))

        relational_column = cls(
            name=name,
            type_=type_,
            role=role,
            n_missing=n_missing,
            n_categories=n_categories,
            categories=categories,
            min_=min_,
            max_=max_,
            category_because=category_because,
        )

        return relational_column
