from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="DecisionCounts")


@_attrs_define(repr=False)
class DecisionCounts(Record):
    """How far the review of an audit has come.

    Attributes:
        label_audit (str): Id of the audit.
        n_suggested (int): Number of rows for which another label is suggested.
        n_suggested_decided (int): Number of these with a decision in force.
        n_decided (int): Number of rows with a decision in force.
        n_accepted (int): Number of rows whose suggested label was accepted.
        n_kept (int): Number of rows that keep their label because it is right.
        n_relabelled (int): Number of rows that were given another label than the suggested one.
        n_unsure (int): Number of rows that nobody is sure of.
        object_ (Literal['decision_counts'] | Unset): Type of this object. Default: 'decision_counts'.
    """

    label_audit: str
    n_suggested: int
    n_suggested_decided: int
    n_decided: int
    n_accepted: int
    n_kept: int
    n_relabelled: int
    n_unsure: int
    object_: Literal["decision_counts"] | Unset = "decision_counts"

    def to_dict(self) -> dict[str, Any]:
        label_audit = self.label_audit

        n_suggested = self.n_suggested

        n_suggested_decided = self.n_suggested_decided

        n_decided = self.n_decided

        n_accepted = self.n_accepted

        n_kept = self.n_kept

        n_relabelled = self.n_relabelled

        n_unsure = self.n_unsure

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label_audit": label_audit,
                "n_suggested": n_suggested,
                "n_suggested_decided": n_suggested_decided,
                "n_decided": n_decided,
                "n_accepted": n_accepted,
                "n_kept": n_kept,
                "n_relabelled": n_relabelled,
                "n_unsure": n_unsure,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        label_audit = d.pop("label_audit")

        n_suggested = d.pop("n_suggested")

        n_suggested_decided = d.pop("n_suggested_decided")

        n_decided = d.pop("n_decided")

        n_accepted = d.pop("n_accepted")

        n_kept = d.pop("n_kept")

        n_relabelled = d.pop("n_relabelled")

        n_unsure = d.pop("n_unsure")

        object_ = cast(Literal["decision_counts"] | Unset, d.pop("object", UNSET))
        if object_ != "decision_counts" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'decision_counts', got '{object_}'")

        decision_counts = cls(
            label_audit=label_audit,
            n_suggested=n_suggested,
            n_suggested_decided=n_suggested_decided,
            n_decided=n_decided,
            n_accepted=n_accepted,
            n_kept=n_kept,
            n_relabelled=n_relabelled,
            n_unsure=n_unsure,
            object_=object_,
        )

        return decision_counts
