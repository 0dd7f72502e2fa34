from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="LabelDecisionRequest")


@_attrs_define(repr=False)
class LabelDecisionRequest(Record):
    """What a person decided about the label of a row.

    Attributes:
        decision (str): `accept`: the suggested label is right; `keep`: the row's own label is right; `relabel`: another
            label is right, which is named; `unsure`: nobody can say, and the row keeps its label.
        label (None | str | Unset): The right label, one of the audit's classes; for `relabel` alone.
        note (None | str | Unset): Reason, for later readers: at most 500 characters.
    """

    decision: str
    label: None | str | Unset = UNSET
    note: None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        decision = self.decision

        label: None | str | Unset
        if isinstance(self.label, Unset):
            label = UNSET
        else:
            label = self.label

        note: None | str | Unset
        if isinstance(self.note, Unset):
            note = UNSET
        else:
            note = self.note

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "decision": decision,
            }
        )
        if label is not UNSET:
            field_dict["label"] = label
        if note is not UNSET:
            field_dict["note"] = note

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        decision = d.pop("decision")

        def _parse_label(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        label = _parse_label(d.pop("label", UNSET))

        def _parse_note(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        note = _parse_note(d.pop("note", UNSET))

        label_decision_request = cls(
            decision=decision,
            label=label,
            note=note,
        )

        return label_decision_request
