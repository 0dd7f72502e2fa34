from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="LabelDecision")


@_attrs_define(repr=False)
class LabelDecision(Record):
    """An entry in the record of decisions; the newest one of a row is in force.

    Attributes:
        id (str): Id of the entry; in double quotes it is the entity tag, for `If-Match`.
        label_audit (str): Id of the audit.
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        decision (str): `accept`: the suggested label is right; `keep`: the row's own label is right; `relabel`: another
            label is right, which is named; `unsure`: nobody can say, and the row keeps its label. `withdrawn`: the entry
            before is not in force any more.
        label (str): Label of the row in the dataset's target.
        new_label (str): Label that the row has with this decision.
        note (None | str): Reason; null without one.
        replaces (None | str): Id of the row's entry before this one; null for its first.
        is_latest (bool): Whether it is the row's newest entry.
        key (None | str): Id of the API key that decided; null where none was required.
        created_at (datetime.datetime): Time of creation, in UTC (RFC 3339).
        object_ (Literal['label_decision'] | Unset): Type of this object. Default: 'label_decision'.
    """

    id: str
    label_audit: str
    row: int
    row_id: str
    decision: str
    label: str
    new_label: str
    note: None | str
    replaces: None | str
    is_latest: bool
    key: None | str
    created_at: datetime.datetime
    object_: Literal["label_decision"] | Unset = "label_decision"

    def to_dict(self) -> dict[str, Any]:
        id = self.id

        label_audit = self.label_audit

        row = self.row

        row_id = self.row_id

        decision = self.decision

        label = self.label

        new_label = self.new_label

        note: None | str
        note = self.note

        replaces: None | str
        replaces = self.replaces

        is_latest = self.is_latest

        key: None | str
        key = self.key

        created_at = self.created_at.isoformat()

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "label_audit": label_audit,
                "row": row,
                "row_id": row_id,
                "decision": decision,
                "label": label,
                "new_label": new_label,
                "note": note,
                "replaces": replaces,
                "is_latest": is_latest,
                "key": key,
                "created_at": created_at,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        id = d.pop("id")

        label_audit = d.pop("label_audit")

        row = d.pop("row")

        row_id = d.pop("row_id")

        decision = d.pop("decision")

        label = d.pop("label")

        new_label = d.pop("new_label")

        def _parse_note(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        note = _parse_note(d.pop("note"))

        def _parse_replaces(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        replaces = _parse_replaces(d.pop("replaces"))

        is_latest = d.pop("is_latest")

        def _parse_key(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        key = _parse_key(d.pop("key"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        object_ = cast(Literal["label_decision"] | Unset, d.pop("object", UNSET))
        if object_ != "label_decision" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'label_decision', got '{object_}'")

        label_decision = cls(
            id=id,
            label_audit=label_audit,
            row=row,
            row_id=row_id,
            decision=decision,
            label=label,
            new_label=new_label,
            note=note,
            replaces=replaces,
            is_latest=is_latest,
            key=key,
            created_at=created_at,
            object_=object_,
        )

        return label_decision
