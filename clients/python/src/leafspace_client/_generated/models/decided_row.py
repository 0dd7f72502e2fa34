from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DecidedRow")


@_attrs_define(repr=False)
class DecidedRow(Record):
    """A row of the export: its label before and after the review.

    Attributes:
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (str): Label of the row in the dataset's target.
        new_label (str): Label after the review; the same where no decision changed it.
        decision (None | str): The decision in force; null without one.
        note (None | str): Reason; null without one.
        key (None | str): Id of the API key that decided; null without one.
        decided_at (datetime.datetime | None): Time of the decision, in UTC (RFC 3339); null without one.
    """

    row: int
    row_id: str
    label: str
    new_label: str
    decision: None | str
    note: None | str
    key: None | str
    decided_at: datetime.datetime | None

    def to_dict(self) -> dict[str, Any]:
        row = self.row

        row_id = self.row_id

        label = self.label

        new_label = self.new_label

        decision: None | str
        decision = self.decision

        note: None | str
        note = self.note

        key: None | str
        key = self.key

        decided_at: None | str
        if isinstance(self.decided_at, datetime.datetime):
            decided_at = self.decided_at.isoformat()
        else:
            decided_at = self.decided_at

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row": row,
                "row_id": row_id,
                "label": label,
                "new_label": new_label,
                "decision": decision,
                "note": note,
                "key": key,
                "decided_at": decided_at,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        row = d.pop("row")

        row_id = d.pop("row_id")

        label = d.pop("label")

        new_label = d.pop("new_label")

        def _parse_decision(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        decision = _parse_decision(d.pop("decision"))

        def _parse_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        note = _parse_note(d.pop("note"))

        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))

        def _parse_decided_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                decided_at_type_0 = datetime.datetime.fromisoformat(data)

                return decided_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        decided_at = _parse_decided_at(d.pop("decided_at"))

        decided_row = cls(
            row=row,
            row_id=row_id,
            label=label,
            new_label=new_label,
            decision=decision,
            note=note,
            key=key,
            decided_at=decided_at,
        )

        return decided_row
