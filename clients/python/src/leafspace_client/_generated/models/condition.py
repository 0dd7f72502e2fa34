from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Condition")


@_attrs_define(repr=False)
class Condition(Record):
    """What a rule asks of one feature of a raw row.

    Attributes:
        feature (str):
        column (str): The model's feature that is read: `feature` itself, but for one-hot columns that were declared to
            belong together, where `is` means a value over 0.5.
        operator (str): <= or > (of numbers, compared as they are, in double precision), is, is not, is one of, is none
            of (of categories), is missing, is not missing; new ones may come.
        value (float | list[str] | None | str): A list with `is one of` and `is none of`; null with `is missing` and `is
            not missing`.
        or_missing (bool): A missing value fulfils the condition as well. False where no row of the dataset misses the
            feature: a missing value then fulfils no condition on it. (It is also false with `is missing` and `is not
            missing`, which say themselves whether a missing value fulfils them.)
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
                value_type_2 = cast(list[str], data)

                return value_type_2
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
