from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ModelColumn")


@_attrs_define(repr=False)
class ModelColumn(Record):
    """How one column that the trees read is computed from a raw feature: ``base * scale + offset``.

    ``base`` is the raw value (identity, affine, monotone), 1 where the feature is ``category`` and else 0 (indicator),
    or the code of its category (ordinal).

        Attributes:
            name (str): Name of the raw feature; where the column cannot be mapped back, what it is, such as component 2 of
                5 of age, income.
            kind (str): How it is computed: identity, affine, monotone, indicator, ordinal or transformed.
            feature (None | str): Name of the raw feature. For a transformed column: the only feature that it depends on, or
                null if it depends on several.
            scale (float): Factor in `base * scale + offset`; 1 if nothing is scaled.
            offset (float): Summand in `base * scale + offset`; 0 if nothing is shifted.
            imputed (float | None | str): Raw value that replaces a missing one; null if missing values are not replaced.
            category (float | None | str): Category that an `indicator` indicates; null with `indicator` means missing. Null
                for other kinds.
            categories (list[float | None | str]): Categories of an `ordinal`; empty for other kinds.
            codes (list[float | None]): Code of each of `categories`; a null code reaches the trees as a missing value.
            default_code (float | None): Code of every other category of an `ordinal`; null: they reach the trees as missing
                values.
            transformed (bool): Whether the column could not be mapped back to a raw feature.
            function (None | str | Unset): Function of the raw value that a `monotone` column is, such as log(income + 1).
                All thresholds on it are shown as thresholds on the raw value. Null for other kinds.
    """

    name: str
    kind: str
    feature: None | str
    scale: float
    offset: float
    imputed: float | None | str
    category: float | None | str
    categories: list[float | None | str]
    codes: list[float | None]
    default_code: float | None
    transformed: bool
    function: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        kind = self.kind

        feature: None | str
        feature = self.feature

        scale = self.scale

        offset = self.offset

        imputed: float | None | str
        imputed = self.imputed

        category: float | None | str
        category = self.category

        categories = []
        for categories_item_data in self.categories:
            categories_item: float | None | str
            categories_item = categories_item_data
            categories.append(categories_item)

        codes = []
        for codes_item_data in self.codes:
            codes_item: float | None
            codes_item = codes_item_data
            codes.append(codes_item)

        default_code: float | None
        default_code = self.default_code

        transformed = self.transformed

        function: None | str | Unset
        if isinstance(self.function, Unset):
            function = UNSET
        else:
            function = self.function

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "kind": kind,
                "feature": feature,
                "scale": scale,
                "offset": offset,
                "imputed": imputed,
                "category": category,
                "categories": categories,
                "codes": codes,
                "default_code": default_code,
                "transformed": transformed,
            }
        )
        if function is not UNSET:
            field_dict["function"] = function

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        kind = d.pop("kind")

        def _parse_feature(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        feature = _parse_feature(d.pop("feature"))

        scale = d.pop("scale")

        offset = d.pop("offset")

        def _parse_imputed(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        imputed = _parse_imputed(d.pop("imputed"))

        def _parse_category(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        category = _parse_category(d.pop("category"))

        categories = []
        _categories = d.pop("categories")
        for categories_item_data in _categories:

            def _parse_categories_item(data: object) -> float | None | str:
                if data is None:
                    return data
                return cast(float | None | str, data)

            categories_item = _parse_categories_item(categories_item_data)

            categories.append(categories_item)

        codes = []
        _codes = d.pop("codes")
        for codes_item_data in _codes:

            def _parse_codes_item(data: object) -> float | None:
                if data is None:
                    return data
                return cast(float | None, data)

            codes_item = _parse_codes_item(codes_item_data)

            codes.append(codes_item)

        def _parse_default_code(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        default_code = _parse_default_code(d.pop("default_code"))

        transformed = d.pop("transformed")

        def _parse_function(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        function = _parse_function(d.pop("function", UNSET))

        model_column = cls(
            name=name,
            kind=kind,
            feature=feature,
            scale=scale,
            offset=offset,
            imputed=imputed,
            category=category,
            categories=categories,
            codes=codes,
            default_code=default_code,
            transformed=transformed,
            function=function,
        )

        return model_column
