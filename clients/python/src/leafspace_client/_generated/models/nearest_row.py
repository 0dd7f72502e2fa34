from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.reason import Reason


T = TypeVar("T", bound="NearestRow")


@_attrs_define(repr=False)
class NearestRow(Record):
    """A reference row near the row, as the model sees it.

    Attributes:
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        proximity (float): Share of trees, by weight, in which it has the same leaf as the row.
        reasons (list[Reason]): Reasons for the proximity, one for each shown feature that shared trees test, by
            descending share of trees; at most `n_reasons`. Empty below the minimum proximity (see `row_coverage` of
            prototype sets), and where the status is `abstained`.
        label (float | str | Unset): Class that the model predicts for it; absent for regression.
        value (float | Unset): Value that the model predicts for it; absent for classification.
        target (float | str | Unset): A number or a text, such as a predicted value or label.
    """

    row_id: str
    proximity: float
    reasons: list[Reason]
    label: float | str | Unset = UNSET
    value: float | Unset = UNSET
    target: float | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        row_id = self.row_id

        proximity = self.proximity

        reasons = []
        for reasons_item_data in self.reasons:
            reasons_item = reasons_item_data.to_dict()
            reasons.append(reasons_item)

        label: float | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        value = self.value

        target: float | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "proximity": proximity,
                "reasons": reasons,
            }
        )
        if label is not UNSET:
            field_dict["label"] = label
        if value is not UNSET:
            field_dict["value"] = value
        if target is not UNSET:
            field_dict["target"] = target

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.reason import Reason  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        proximity = d.pop("proximity")

        reasons = []
        _reasons = d.pop("reasons")
        for reasons_item_data in _reasons:
            reasons_item = Reason.from_dict(reasons_item_data)

            reasons.append(reasons_item)

        def _parse_label(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        value = d.pop("value", UNSET)

        def _parse_target(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        nearest_row = cls(
            row_id=row_id,
            proximity=proximity,
            reasons=reasons,
            label=label,
            value=value,
            target=target,
        )

        return nearest_row
