from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.difference import Difference


T = TypeVar("T", bound="Contrast")


@_attrs_define(repr=False)
class Contrast(Record):
    """The nearest prototype of another class, and what the trees that tell the two apart ask most often.

    Attributes:
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (float | str): Class of the prototype.
        proximity (float): Proximity to the row, 0 to 1; where it is 0, this is the prototype of its class selected
            first.
        predicted (str | Unset): Class that the model predicts for the prototype; absent where that is its `label`.
        target (float | str | Unset): A number or a text, such as a predicted value or label.
        differences (list[Difference] | Unset): Features at which the trees part the two rows, by descending share of
            trees; at most `n_reasons`. Absent where the prototype set keeps no reference rows, and with them no paths.
    """

    row_id: str
    label: float | str
    proximity: float
    predicted: str | Unset = UNSET
    target: float | str | Unset = UNSET
    differences: list[Difference] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        row_id = self.row_id

        label: float | str
        label = self.label

        proximity = self.proximity

        predicted = self.predicted

        target: float | str | Unset
        if isinstance(self.target, Unset):
            target = UNSET
        else:
            target = self.target

        differences: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.differences, Unset):
            differences = []
            for differences_item_data in self.differences:
                differences_item = differences_item_data.to_dict()
                differences.append(differences_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "label": label,
                "proximity": proximity,
            }
        )
        if predicted is not UNSET:
            field_dict["predicted"] = predicted
        if target is not UNSET:
            field_dict["target"] = target
        if differences is not UNSET:
            field_dict["differences"] = differences

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.difference import Difference  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        def _parse_label(data: object) -> float | str:
            return cast(float | str, data)

        label = _parse_label(d.pop("label"))

        proximity = d.pop("proximity")

        predicted = d.pop("predicted", UNSET)

        def _parse_target(data: object) -> float | str | Unset:
            if isinstance(data, Unset):
                return data
            return cast(float | str | Unset, data)

        target = _parse_target(d.pop("target", UNSET))

        _differences = d.pop("differences", UNSET)
        differences: list[Difference] | Unset = UNSET
        if _differences is not UNSET:
            differences = []
            for differences_item_data in _differences:
                differences_item = Difference.from_dict(differences_item_data)

                differences.append(differences_item)

        contrast = cls(
            row_id=row_id,
            label=label,
            proximity=proximity,
            predicted=predicted,
            target=target,
            differences=differences,
        )

        return contrast
