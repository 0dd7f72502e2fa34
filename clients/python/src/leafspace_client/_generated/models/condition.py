from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Condition")


@_attrs_define(repr=False)
class Condition(Record):
    """A condition of a rule on one feature of a raw row.

    Attributes:
        feature (str): Name of the raw feature.
        column (str): Name of the model's feature that is read: `feature` itself, except for one-hot columns that were
            declared as one feature, where `is` means a value over 0.5.
        operator (str): Comparison: `<=` or `>` for numbers (in double precision); `is`, `is not`, `is one of` or `is
            none of` for categories; `is missing` or `is not missing`. Operators may be added.
        value (float | list[str] | None | str): Value to compare with: a list with `is one of` and `is none of`; null
            with `is missing` and `is not missing`.
        or_missing (bool): Whether a missing value satisfies the condition, too. It is false where no row of the dataset
            misses the feature: then a missing value satisfies no condition on it. It is also false with `is missing` and
            `is not missing`, which decide this themselves.
    """

    feature: str
    column: str
    operator: str
    value: float | list[str] | None | str
    or_missing: bool

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        column = self.column

        operator = self.operator

        value: float | list[str] | None | str
        if isinstance(self.value, list):
            value = self.value

        else:
            value = self.value

        or_missing = self.or_missing

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "column": column,
                "operator": operator,
                "value": value,
                "or_missing": or_missing,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        column = d.pop("column")

        operator = d.pop("operator")

        def _parse_value(data: object) -> float | list[str] | None | str:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                componentsschemas_condition_value_type_2 = cast(list[str], data)

                return componentsschemas_condition_value_type_2
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(float | list[str] | None | str, data)

        value = _parse_value(d.pop("value"))

        or_missing = d.pop("or_missing")

        condition = cls(
            feature=feature,
            column=column,
            operator=operator,
            value=value,
            or_missing=or_missing,
        )

        return condition
