from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Smoothing")


@_attrs_define(repr=False)
class Smoothing(Record):
    """How pseudo-samples are drawn near the dataset's rows.

    Attributes:
        bandwidth (float | None | Unset): Standard deviation of the noise added to continuous numbers, as a share of the
            feature's standard deviation; null where none is added.
        rank_bandwidth (float | None | Unset): Share of the dataset's rows that noise moves a number past, at most; null
            where ranks are not used.
        move_probability (float | None | Unset): Probability, 0 to 1, that a category is replaced by one drawn by its
            frequency in the dataset, and that one of few numbers (with a kernel: any integer) becomes the next smaller or
            larger one; null with `born_again`.
        swap_probability (float | None | Unset): Probability, 0 to 1, that a value is replaced by that of another row;
            null except with `born_again`.
    """

    bandwidth: float | None | Unset = UNSET
    rank_bandwidth: float | None | Unset = UNSET
    move_probability: float | None | Unset = UNSET
    swap_probability: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        bandwidth: float | None | Unset
        if isinstance(self.bandwidth, Unset):
            bandwidth = UNSET
        else:
            bandwidth = self.bandwidth

        rank_bandwidth: float | None | Unset
        if isinstance(self.rank_bandwidth, Unset):
            rank_bandwidth = UNSET
        else:
            rank_bandwidth = self.rank_bandwidth

        move_probability: float | None | Unset
        if isinstance(self.move_probability, Unset):
            move_probability = UNSET
        else:
            move_probability = self.move_probability

        swap_probability: float | None | Unset
        if isinstance(self.swap_probability, Unset):
            swap_probability = UNSET
        else:
            swap_probability = self.swap_probability

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if bandwidth is not UNSET:
            field_dict["bandwidth"] = bandwidth
        if rank_bandwidth is not UNSET:
            field_dict["rank_bandwidth"] = rank_bandwidth
        if move_probability is not UNSET:
            field_dict["move_probability"] = move_probability
        if swap_probability is not UNSET:
            field_dict["swap_probability"] = swap_probability

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_bandwidth(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        bandwidth = _parse_bandwidth(d.pop("bandwidth", UNSET))

        def _parse_rank_bandwidth(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        rank_bandwidth = _parse_rank_bandwidth(d.pop("rank_bandwidth", UNSET))

        def _parse_move_probability(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        move_probability = _parse_move_probability(d.pop("move_probability", UNSET))

        def _parse_swap_probability(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        swap_probability = _parse_swap_probability(d.pop("swap_probability", UNSET))

        smoothing = cls(
            bandwidth=bandwidth,
            rank_bandwidth=rank_bandwidth,
            move_probability=move_probability,
            swap_probability=swap_probability,
        )

        return smoothing
