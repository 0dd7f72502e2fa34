from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="KernelGenerator")


@_attrs_define(repr=False)
class KernelGenerator(Record):
    """The dataset's rows at a node, with Gaussian noise (Zhou & Hooker).

    Attributes:
        method (str): Noise of a Gaussian kernel.
        bandwidth (float | Unset): Standard deviation of the noise of a continuous number, in standard deviations of the
            feature. A feature of whole numbers moves to neighbouring values instead. Default: 0.1.
        neighbor_probability (float | Unset): Probability, 0 to 1, that a number of at most 10 distinct values becomes
            the next smaller or larger one (with `ranks`: that it is redrawn from itself and these two, by their frequency
            in the dataset), and that a category becomes another one, drawn by its frequency. Default: 0.1.
    """

    method: str
    bandwidth: float | Unset = 0.1
    neighbor_probability: float | Unset = 0.1

    def to_dict(self) -> dict[str, Any]:
        method = self.method

        bandwidth = self.bandwidth

        neighbor_probability = self.neighbor_probability

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "method": method,
            }
        )
        if bandwidth is not UNSET:
            field_dict["bandwidth"] = bandwidth
        if neighbor_probability is not UNSET:
            field_dict["neighbor_probability"] = neighbor_probability

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        method = d.pop("method")

        bandwidth = d.pop("bandwidth", UNSET)

        neighbor_probability = d.pop("neighbor_probability", UNSET)

        kernel_generator = cls(
            method=method,
            bandwidth=bandwidth,
            neighbor_probability=neighbor_probability,
        )

        return kernel_generator
