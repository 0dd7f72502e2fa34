from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Provenance")


@_attrs_define(repr=False)
class Provenance(Record):
    """What the explanations were computed from.

    Attributes:
        model_sha256 (str): SHA-256 of the model's uploaded file, in hexadecimal.
        dataset_sha256 (str): SHA-256 of the reference dataset's uploaded file, in hexadecimal.
        prototype_set (str): Id of the prototype set.
        numerics (str): Precision in which the model takes numbers, `float32` or `float64`; it may add up in a higher
            one.
        service (str): Version of the service.
    """

    model_sha256: str
    dataset_sha256: str
    prototype_set: str
    numerics: str
    service: str

    def to_dict(self) -> dict[str, Any]:
        model_sha256 = self.model_sha256

        dataset_sha256 = self.dataset_sha256

        prototype_set = self.prototype_set

        numerics = self.numerics

        service = self.service

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model_sha256": model_sha256,
                "dataset_sha256": dataset_sha256,
                "prototype_set": prototype_set,
                "numerics": numerics,
                "service": service,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        model_sha256 = d.pop("model_sha256")

        dataset_sha256 = d.pop("dataset_sha256")

        prototype_set = d.pop("prototype_set")

        numerics = d.pop("numerics")

        service = d.pop("service")

        provenance = cls(
            model_sha256=model_sha256,
            dataset_sha256=dataset_sha256,
            prototype_set=prototype_set,
            numerics=numerics,
            service=service,
        )

        return provenance
