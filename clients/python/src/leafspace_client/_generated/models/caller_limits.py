from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="CallerLimits")


@_attrs_define(repr=False)
class CallerLimits(Record):
    """What one caller may send.

    Attributes:
        max_model_bytes (int): Size of an uploaded model, in bytes, at most.
        max_dataset_bytes (int): Size of an uploaded dataset, in bytes, at most.
        max_json_bytes (int): Size of a JSON body, in bytes, at most.
        requests_per_second (float): Requests per second of one caller, without calls for explanations, over some
            seconds; 0: as many as they like.
        explanations_per_second (float): Calls for explanations per second of one caller, over some seconds; 0: as many
            as they like.
    """

    max_model_bytes: int
    max_dataset_bytes: int
    max_json_bytes: int
    requests_per_second: float
    explanations_per_second: float

    def to_dict(self) -> dict[str, Any]:
        max_model_bytes = self.max_model_bytes

        max_dataset_bytes = self.max_dataset_bytes

        max_json_bytes = self.max_json_bytes

        requests_per_second = self.requests_per_second

        explanations_per_second = self.explanations_per_second

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "max_model_bytes": max_model_bytes,
                "max_dataset_bytes": max_dataset_bytes,
                "max_json_bytes": max_json_bytes,
                "requests_per_second": requests_per_second,
                "explanations_per_second": explanations_per_second,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        max_model_bytes = d.pop("max_model_bytes")

        max_dataset_bytes = d.pop("max_dataset_bytes")

        max_json_bytes = d.pop("max_json_bytes")

        requests_per_second = d.pop("requests_per_second")

        explanations_per_second = d.pop("explanations_per_second")

        caller_limits = cls(
            max_model_bytes=max_model_bytes,
            max_dataset_bytes=max_dataset_bytes,
            max_json_bytes=max_json_bytes,
            requests_per_second=requests_per_second,
            explanations_per_second=explanations_per_second,
        )

        return caller_limits
