from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Difference")


@_attrs_define(repr=False)
class Difference(Record):
    """A feature at which trees separate a row from a prototype of another class.

    Attributes:
        feature (str): Name of the feature.
        text (str): What separates the two, as an English phrase.
        value (bool | float | None | str): Value of the row; null if it is missing.
        prototype_value (bool | float | None | str): Value of the prototype; null if it is missing.
        share_of_trees (float): Share of the trees that separate the two at this feature, 0 to 1.
    """

    feature: str
    text: str
    value: bool | float | None | str
    prototype_value: bool | float | None | str
    share_of_trees: float

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        text = self.text

        value: bool | float | None | str
        value = self.value

        prototype_value: bool | float | None | str
        prototype_value = self.prototype_value

        share_of_trees = self.share_of_trees

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "text": text,
                "value": value,
                "prototype_value": prototype_value,
                "share_of_trees": share_of_trees,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        text = d.pop("text")

        def _parse_value(data: object) -> bool | float | None | str:
            if data is None:
                return data
            return cast(bool | float | None | str, data)

        value = _parse_value(d.pop("value"))

        def _parse_prototype_value(data: object) -> bool | float | None | str:
            if data is None:
                return data
            return cast(bool | float | None | str, data)

        prototype_value = _parse_prototype_value(d.pop("prototype_value"))

        share_of_trees = d.pop("share_of_trees")

        difference = cls(
            feature=feature,
            text=text,
            value=value,
            prototype_value=prototype_value,
            share_of_trees=share_of_trees,
        )

        return difference
