from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="TreeNode")


@_attrs_define(repr=False)
class TreeNode(Record):
    """One node of a tree: a split or a leaf.

    Attributes:
        id (int): 0-based index of the node in the list; the root is 0.
        feature (None | str): Name of the feature that the split tests; null at a leaf.
        operator (None | str): Comparison that sends a row left: <=, <, >=, >, ==, !=, is, is not, in or not in; null at
            a leaf.
        value (float | None | str): Value to compare with; null at a leaf, with `in` and `not in`, and for missing
            values with `is` and `is not`.
        or_missing (bool | None): Whether missing values go left; null at a leaf.
        left (int | None): Id of the child for rows that satisfy the comparison; null at a leaf.
        right (int | None): Id of the child for all other rows; null at a leaf.
        leaf (int | None): 0-based number of the leaf within its tree; null at a split.
        values (list[float] | None): What the leaf contributes to each output of the ensemble; null at a split.
        categories (list[float | str] | None | Unset): Categories to compare with; null except with `in` and `not in`.
        transformed (bool | Unset): Whether the tested column could not be mapped back to a raw feature. Default: False.
    """

    id: int
    feature: None | str
    operator: None | str
    value: float | None | str
    or_missing: bool | None
    left: int | None
    right: int | None
    leaf: int | None
    values: list[float] | None
    categories: list[float | str] | None | Unset = UNSET
    transformed: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        feature: None | str
        feature = self.feature

        operator: None | str
        operator = self.operator

        value: float | None | str
        value = self.value

        or_missing: bool | None
        or_missing = self.or_missing

        left: int | None
        left = self.left

        right: int | None
        right = self.right

        leaf: int | None
        leaf = self.leaf

        values: list[float] | None
        if isinstance(self.values, list):
            values = self.values

        else:
            values = self.values

        categories: list[float | str] | None | Unset
        if isinstance(self.categories, Unset):
            categories = UNSET
        elif isinstance(self.categories, list):
            categories = []
            for categories_type_0_item_data in self.categories:
                categories_type_0_item: float | str
                categories_type_0_item = categories_type_0_item_data
                categories.append(categories_type_0_item)

        else:
            categories = self.categories

        transformed = self.transformed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "feature": feature,
                "operator": operator,
                "value": value,
                "or_missing": or_missing,
                "left": left,
                "right": right,
                "leaf": leaf,
                "values": values,
            }
        )
        if categories is not UNSET:
            field_dict["categories"] = categories
        if transformed is not UNSET:
            field_dict["transformed"] = transformed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        def _parse_feature(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        feature = _parse_feature(d.pop("feature"))

        def _parse_operator(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        operator = _parse_operator(d.pop("operator"))

        def _parse_value(data: object) -> float | None | str:
            if data is None:
                return data
            return cast(float | None | str, data)

        value = _parse_value(d.pop("value"))

        def _parse_or_missing(data: object) -> bool | None:
            if data is None:
                return data
            return cast(bool | None, data)

        or_missing = _parse_or_missing(d.pop("or_missing"))

        def _parse_left(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        left = _parse_left(d.pop("left"))

        def _parse_right(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        right = _parse_right(d.pop("right"))

        def _parse_leaf(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        leaf = _parse_leaf(d.pop("leaf"))

        def _parse_values(data: object) -> list[float] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                values_type_0 = cast(list[float], data)

                return values_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None, data)

        values = _parse_values(d.pop("values"))

        def _parse_categories(data: object) -> list[float | str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                categories_type_0 = []
                _categories_type_0 = data
                for categories_type_0_item_data in _categories_type_0:

                    def _parse_categories_type_0_item(data: object) -> float | str:
                        return cast(float | str, data)

                    categories_type_0_item = _parse_categories_type_0_item(categories_type_0_item_data)

                    categories_type_0.append(categories_type_0_item)

                return categories_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float | str] | None | Unset, data)

        categories = _parse_categories(d.pop("categories", UNSET))

        transformed = d.pop("transformed", UNSET)

        tree_node = cls(
            id=id,
            feature=feature,
            operator=operator,
            value=value,
            or_missing=or_missing,
            left=left,
            right=right,
            leaf=leaf,
            values=values,
            categories=categories,
            transformed=transformed,
        )

        return tree_node
