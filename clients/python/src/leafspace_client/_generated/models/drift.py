from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

if TYPE_CHECKING:
    from ..models.drift_share import DriftShare


T = TypeVar("T", bound="Drift")


@_attrs_define(repr=False)
class Drift(Record):
    """Newer rows beside the reference rows: predicted labels, and proximity to the nearest prototype.

    Attributes:
        n_refused (int): Number of newer rows that the model does not accept.
        total (DriftShare): A group of rows: how many there are, and how many of them are far, beside the reference rows
            of the group.
        by_label (list[DriftShare]): By predicted label, in the order of the classes.
        by_prototype (list[DriftShare]): By nearest prototype, in the order of their ranks; rows that share no leaf with
            any are in none.
        n_comparisons (int): Number of shares that are compared: those of both sides that have rows. By this number,
            chance alone has as many occasions to make some differ.
        summary (str): What these comparisons support, and what they do not see, in words.
    """

    n_refused: int
    total: DriftShare
    by_label: list[DriftShare]
    by_prototype: list[DriftShare]
    n_comparisons: int
    summary: str

    def to_dict(self) -> dict[str, Any]:
        n_refused = self.n_refused

        total = self.total.to_dict()

        by_label = []
        for by_label_item_data in self.by_label:
            by_label_item = by_label_item_data.to_dict()
            by_label.append(by_label_item)

        by_prototype = []
        for by_prototype_item_data in self.by_prototype:
            by_prototype_item = by_prototype_item_data.to_dict()
            by_prototype.append(by_prototype_item)

        n_comparisons = self.n_comparisons

        summary = self.summary

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_refused": n_refused,
                "total": total,
                "by_label": by_label,
                "by_prototype": by_prototype,
                "n_comparisons": n_comparisons,
                "summary": summary,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.drift_share import DriftShare  # noqa: PLC0415

        d = dict(src_dict)
        n_refused = d.pop("n_refused")

        total = DriftShare.from_dict(d.pop("total"))

        by_label = []
        _by_label = d.pop("by_label")
        for by_label_item_data in _by_label:
            by_label_item = DriftShare.from_dict(by_label_item_data)

            by_label.append(by_label_item)

        by_prototype = []
        _by_prototype = d.pop("by_prototype")
        for by_prototype_item_data in _by_prototype:
            by_prototype_item = DriftShare.from_dict(by_prototype_item_data)

            by_prototype.append(by_prototype_item)

        n_comparisons = d.pop("n_comparisons")

        summary = d.pop("summary")

        drift = cls(
            n_refused=n_refused,
            total=total,
            by_label=by_label,
            by_prototype=by_prototype,
            n_comparisons=n_comparisons,
            summary=summary,
        )

        return drift
