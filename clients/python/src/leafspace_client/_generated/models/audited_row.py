from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="AuditedRow")


@_attrs_define(repr=False)
class AuditedRow(Record):
    """How a row's label compares with those of the rows that vote on it.

    Attributes:
        rank (int): 1-based rank; the first row is the most suspect.
        row (int): 0-based index of the row in the dataset.
        row_id (str): Id of the row: its text in the dataset's row_id column, or its 0-based index without one.
        label (str): Label of the row in the dataset's target.
        agreement (float | None): Share of the votes that are for the row's label, 0 to 1: of the proximities to all
            other rows, or of the nearest rows; null if no other row shares a leaf with it.
        n_neighbors (int | None): Number of nearest rows that share a leaf with it; null where all rows vote.
        disagreeing_proximity (float): Sum of the proximities to the rows with another label that vote on it.
        suggested_label (None | str): Label with the largest sum of proximities among the rows that vote (ties: the
            earlier class), where their mean over the rows of that label is larger than that of the row's own, too;
            otherwise null.
        predicted_label (str): Label that the model predicts for the row.
        score (float | None | Unset): Probability that the model gives the row's label, 0 to 1; null where scores were
            not used.
        support (float | None | Unset): What rows are ranked by, lowest first, 0 to 1: `agreement` times `score`, or
            `agreement` where scores were not used (ties: the lower agreement, then more votes or more proximity to
            disagreeing neighbours, then the lower row); null if no other row shares a leaf with it, which ranks last.
    """

    rank: int
    row: int
    row_id: str
    label: str
    agreement: float | None
    n_neighbors: int | None
    disagreeing_proximity: float
    suggested_label: None | str
    predicted_label: str
    score: float | None | Unset = UNSET
    support: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        rank = self.rank

        row = self.row

        row_id = self.row_id

        label = self.label

        agreement: float | None
        agreement = self.agreement

        n_neighbors: int | None
        n_neighbors = self.n_neighbors

        disagreeing_proximity = self.disagreeing_proximity

        suggested_label: None | str
        suggested_label = self.suggested_label

        predicted_label = self.predicted_label

        score: float | None | Unset
        if isinstance(self.score, Unset):
            score = UNSET
        else:
            score = self.score

        support: float | None | Unset
        if isinstance(self.support, Unset):
            support = UNSET
        else:
            support = self.support

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "rank": rank,
                "row": row,
                "row_id": row_id,
                "label": label,
                "agreement": agreement,
                "n_neighbors": n_neighbors,
                "disagreeing_proximity": disagreeing_proximity,
                "suggested_label": suggested_label,
                "predicted_label": predicted_label,
            }
        )
        if score is not UNSET:
            field_dict["score"] = score
        if support is not UNSET:
            field_dict["support"] = support

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        rank = d.pop("rank")

        row = d.pop("row")

        row_id = d.pop("row_id")

        label = d.pop("label")

        def _parse_agreement(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        agreement = _parse_agreement(d.pop("agreement"))

        def _parse_n_neighbors(data: object) -> int | None:
            if data is None:
                return data
            return cast(int | None, data)

        n_neighbors = _parse_n_neighbors(d.pop("n_neighbors"))

        disagreeing_proximity = d.pop("disagreeing_proximity")

        def _parse_suggested_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        suggested_label = _parse_suggested_label(d.pop("suggested_label"))

        predicted_label = d.pop("predicted_label")

        def _parse_score(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        score = _parse_score(d.pop("score", UNSET))

        def _parse_support(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        support = _parse_support(d.pop("support", UNSET))

        audited_row = cls(
            rank=rank,
            row=row,
            row_id=row_id,
            label=label,
            agreement=agreement,
            n_neighbors=n_neighbors,
            disagreeing_proximity=disagreeing_proximity,
            suggested_label=suggested_label,
            predicted_label=predicted_label,
            score=score,
            support=support,
        )

        return audited_row
