from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.reason_interval import ReasonInterval


T = TypeVar("T", bound="Difference")


@_attrs_define(repr=False)
class Difference(Record):
    """A feature at which trees part a row from a prototype: at it, their paths in a tree go different ways first.

    Attributes:
        feature (str): Name of the feature.
        text (str): What the trees that separate the two rows test at this feature, as an English phrase, such as
            `whether income is above 45,000; it is 31,000 here`. The answer is yes for the prototype and no for the row. It
            is not claimed that the prediction changes with this feature alone, nor that it changes with no other.
        share_of_trees (float): Among the trees that separate the two rows, the share, by weight, of those that do so at
            this feature, 0 to 1, rounded to 4 decimals. Over all features, hidden ones included, these shares add up to 1.
        value (bool | float | None | str | Unset): Value of the row; null if it is missing. Absent, as is
            `prototype_value`, where the feature could not be mapped back to a raw one.
        prototype_value (bool | float | None | str | Unset): Value of the prototype, or of the reference row; null if it
            is missing.
        interval (ReasonInterval | Unset): The values of one feature that keep a row in all leaves that it shares with a
            prototype.
    """

    feature: str
    text: str
    share_of_trees: float
    value: bool | float | None | str | Unset = UNSET
    prototype_value: bool | float | None | str | Unset = UNSET
    interval: ReasonInterval | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        text = self.text

        share_of_trees = self.share_of_trees

        value: bool | float | None | str | Unset
        if isinstance(self.value, Unset):
            value = UNSET
        else:
            value = self.value

        prototype_value: bool | float | None | str | Unset
        if isinstance(self.prototype_value, Unset):
            prototype_value = UNSET
        else:
            prototype_value = self.prototype_value

        interval: dict[str, Any] | Unset = UNSET
        if not isinstance(self.interval, Unset):
            interval = self.interval.to_dict()

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "text": text,
                "share_of_trees": share_of_trees,
            }
        )
        if value is not UNSET:
            field_dict["value"] = value
        if prototype_value is not UNSET:
            field_dict["prototype_value"] = prototype_value
        if interval is not UNSET:
            field_dict["interval"] = interval

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reason_interval import ReasonInterval  # noqa: PLC0415

        d = dict(src_dict)
        feature = d.pop("feature")

        text = d.pop("text")

        share_of_trees = d.pop("share_of_trees")

        def _parse_value(data: object) -> bool | float | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | float | None | str | Unset, data)

        value = _parse_value(d.pop("value", UNSET))

        def _parse_prototype_value(data: object) -> bool | float | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(bool | float | None | str | Unset, data)

        prototype_value = _parse_prototype_value(d.pop("prototype_value", UNSET))

        _interval = d.pop("interval", UNSET)
        interval: ReasonInterval | Unset
        if isinstance(_interval, Unset):
            interval = UNSET
        else:
            interval = ReasonInterval.from_dict(_interval)

        difference = cls(
            feature=feature,
            text=text,
            share_of_trees=share_of_trees,
            value=value,
            prototype_value=prototype_value,
            interval=interval,
        )

        return difference
