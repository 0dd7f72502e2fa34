from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.odd_cell import OddCell


T = TypeVar("T", bound="Column")


@_attrs_define(repr=False)
class Column(Record):
    """One column of a dataset.

    Attributes:
        name (str): Name of the column in the uploaded file.
        type_ (str): Type of the column's values.
        role (str): Use of the column; `ignored` if the metadata name it nowhere.
        n_missing (int): Number of missing values.
        n_categories (int | None): Number of distinct categories; null for numbers and booleans.
        categories (list[str] | None): Distinct categories in alphabetical order; null for numbers and booleans, and for
            more than 1,000 categories.
        min_ (float | None): Smallest finite number; null for other types and where all values are missing or infinite.
        max_ (float | None): Largest finite number; null for other types and where all values are missing or infinite.
        title (None | str | Unset): Name to show instead; null: the name itself.
        unit (None | str | Unset): Unit of its numbers; null: none.
        description (None | str | Unset): What it means; null: not given.
        n_infinite (int | Unset): Number of infinite numbers, which `min`, `max` and `quantiles` leave out. Default: 0.
        quantiles (list[float] | None | Unset): Smallest number, then at equal steps those that each further share of
            the rows does not exceed, the last one being the largest: 101 numbers, one for each per cent; 21 where over 100
            columns are numbers, 5 where over 480 are. Missing and infinite values are left out. Of over 4,000,000 numbers,
            those of a sample of rows. Null for other types, where all values are missing or infinite, and where over 2,020
            columns are numbers.
        category_counts (list[int] | None | Unset): Number of rows of each of `categories`, in their order; null where
            these are.
        category_because (None | OddCell | Unset): First cell that is no number, such as `1_000`, in a category column
            whose other values nearly all are numbers: most likely an oversight in the file. Null for all other columns.
    """

    name: str
    type_: str
    role: str
    n_missing: int
    n_categories: int | None
    categories: list[str] | None
    min_: float | None
    max_: float | None
    title: None | str | Unset = UNSET
    unit: None | str | Unset = UNSET
    description: None | str | Unset = UNSET
    n_infinite: int | Unset = 0
    quantiles: list[float] | None | Unset = UNSET
    category_counts: list[int] | None | Unset = UNSET
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

        title: None | str | Unset
        if isinstance(self.title, Unset):
            title = UNSET
        else:
            title = self.title

        unit: None | str | Unset
        if isinstance(self.unit, Unset):
            unit = UNSET
        else:
            unit = self.unit

        description: None | str | Unset
        if isinstance(self.description, Unset):
            description = UNSET
        else:
            description = self.description

        n_infinite = self.n_infinite

        quantiles: list[float] | None | Unset
        if isinstance(self.quantiles, Unset):
            quantiles = UNSET
        elif isinstance(self.quantiles, list):
            quantiles = self.quantiles

        else:
            quantiles = self.quantiles

        category_counts: list[int] | None | Unset
        if isinstance(self.category_counts, Unset):
            category_counts = UNSET
        elif isinstance(self.category_counts, list):
            category_counts = self.category_counts

        else:
            category_counts = self.category_counts

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
        if title is not UNSET:
            field_dict["title"] = title
        if unit is not UNSET:
            field_dict["unit"] = unit
        if description is not UNSET:
            field_dict["description"] = description
        if n_infinite is not UNSET:
            field_dict["n_infinite"] = n_infinite
        if quantiles is not UNSET:
            field_dict["quantiles"] = quantiles
        if category_counts is not UNSET:
            field_dict["category_counts"] = category_counts
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

        def _parse_title(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        title = _parse_title(d.pop("title", UNSET))

        def _parse_unit(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        unit = _parse_unit(d.pop("unit", UNSET))

        def _parse_description(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        description = _parse_description(d.pop("description", UNSET))

        n_infinite = d.pop("n_infinite", UNSET)

        def _parse_quantiles(data: object) -> list[float] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                quantiles_type_0 = cast(list[float], data)

                return quantiles_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None | Unset, data)

        quantiles = _parse_quantiles(d.pop("quantiles", UNSET))

        def _parse_category_counts(data: object) -> list[int] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                category_counts_type_0 = cast(list[int], data)

                return category_counts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None | Unset, data)

        category_counts = _parse_category_counts(d.pop("category_counts", UNSET))

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

        column = cls(
            name=name,
            type_=type_,
            role=role,
            n_missing=n_missing,
            n_categories=n_categories,
            categories=categories,
            min_=min_,
            max_=max_,
            title=title,
            unit=unit,
            description=description,
            n_infinite=n_infinite,
            quantiles=quantiles,
            category_counts=category_counts,
            category_because=category_because,
        )

        return column
