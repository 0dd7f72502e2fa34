from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="DriftShare")


@_attrs_define(repr=False)
class DriftShare(Record):
    """How many rows of a group are far from every prototype, beside the reference rows of the same group.

    Attributes:
        name (str): Label that the model predicts, or id of the nearest prototype's row.
        n_rows (int): Number of newer rows in the group.
        n_far (int): Number of these that are `far` by typicality, or share no leaf with a prototype.
        n_reference_rows (int): Number of reference rows in the group.
        n_reference_far (int): Number of these that are far.
    """

    name: str
    n_rows: int
    n_far: int
    n_reference_rows: int
    n_reference_far: int

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        n_rows = self.n_rows

        n_far = self.n_far

        n_reference_rows = self.n_reference_rows

        n_reference_far = self.n_reference_far

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "n_rows": n_rows,
                "n_far": n_far,
                "n_reference_rows": n_reference_rows,
                "n_reference_far": n_reference_far,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        n_rows = d.pop("n_rows")

        n_far = d.pop("n_far")

        n_reference_rows = d.pop("n_reference_rows")

        n_reference_far = d.pop("n_reference_far")

        drift_share = cls(
            name=name,
            n_rows=n_rows,
            n_far=n_far,
            n_reference_rows=n_reference_rows,
            n_reference_far=n_reference_far,
        )

        return drift_share
