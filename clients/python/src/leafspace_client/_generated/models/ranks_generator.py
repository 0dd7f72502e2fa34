from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RanksGenerator")


@_attrs_define(repr=False)
class RanksGenerator(Record):
    """The dataset's rows at a node, each number moved to nearby ranks: noise has the scale that the data have there.

    Attributes:
        method (str | Unset): Noise of ranks. Default: 'ranks'.
        bandwidth (float | Unset): Share of the dataset's rows that noise moves a number past, at most, in either
            direction; drawn uniformly. Default: 0.1.
        neighbor_probability (float | Unset): Probability, 0 to 1, that a number of at most 10 distinct values becomes
            the next smaller or larger one (with `ranks`: that it is redrawn from itself and these two, by their frequency
            in the dataset), and that a category becomes another one, drawn by its frequency. Default: 0.1.
    """

    method: str | Unset = "ranks"
    bandwidth: float | Unset = 0.1
    neighbor_probability: float | Unset = 0.1

    def to_dict(self) -> dict[str, Any]:
        method = self.method

        bandwidth = self.bandwidth

        neighbor_probability = self.neighbor_probability

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if method is not UNSET:
            field_dict["method"] = method
        if bandwidth is not UNSET:
            field_dict["bandwidth"] = bandwidth
        if neighbor_probability is not UNSET:
            field_dict["neighbor_probability"] = neighbor_probability

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = d.pop("method", UNSET)

        bandwidth = d.pop("bandwidth", UNSET)

        neighbor_probability = d.pop("neighbor_probability", UNSET)

        ranks_generator = cls(
            method=method,
            bandwidth=bandwidth,
            neighbor_probability=neighbor_probability,
        )

        return ranks_generator
