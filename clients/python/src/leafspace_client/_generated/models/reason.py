from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.reason_interval import ReasonInterval


T = TypeVar("T", bound="Reason")


@_attrs_define(repr=False)
class Reason(Record):
    """A feature that shared trees test, and the values that keep a row in their leaves.

    Attributes:
        feature (str): Name of the feature.
        text (str): The reason as an English phrase, such as `income is above 1,200 and at most 3,400 (missing
            allowed)`, `color is G or H` or `income is missing`. It names the remaining categories or the excluded ones,
            whichever are fewer, and adds `(transformed)` to the names of transformed features. Ends of more than 9 digits
            are rounded to 6 so that the printed interval lies inside the exact one, but for the next few numbers, where it
            then holds for both rows; ends nearer to 0 than data are printed as 0.
        share_of_trees (float): Share of the shared trees, by the weight that each has in the proximity, that test the
            feature on the path to the shared leaf, 0 to 1, rounded to 4 decimals.
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

        reason = cls(
            feature=feature,
            text=text,
            share_of_trees=share_of_trees,
            value=value,
            prototype_value=prototype_value,
            interval=interval,
        )

        return reason
