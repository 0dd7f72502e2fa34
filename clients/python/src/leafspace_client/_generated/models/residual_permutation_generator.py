from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ResidualPermutationGenerator")


@_attrs_define(repr=False)
class ResidualPermutationGenerator(Record):
    """The dataset's rows at a node, in which residuals of continuous numbers are exchanged between rows.

    Attributes:
        method (str): Each continuous number is what the other numbers predict by least squares, and the residual of
            another row.
        neighbor_probability (float | Unset): Probability, 0 to 1, that a number of at most 10 distinct values becomes
            the next smaller or larger one (with `ranks`: that it is redrawn from itself and these two, by their frequency
            in the dataset), and that a category becomes another one, drawn by its frequency. Default: 0.1.
    """

    method: str
    neighbor_probability: float | Unset = 0.1

    def to_dict(self) -> dict[str, Any]:
        method = self.method

        neighbor_probability = self.neighbor_probability

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "method": method,
            }
        )
        if neighbor_probability is not UNSET:
            field_dict["neighbor_probability"] = neighbor_probability

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = d.pop("method")

        neighbor_probability = d.pop("neighbor_probability", UNSET)

        residual_permutation_generator = cls(
            method=method,
            neighbor_probability=neighbor_probability,
        )

        return residual_permutation_generator
