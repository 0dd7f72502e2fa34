from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="CertificateObjective")


@_attrs_define(repr=False)
class CertificateObjective(Record):
    """What a certificate speaks of.

    Attributes:
        name (str): coverage: `objective`. class_weighted_coverage (sm_wa): mean over classes that have rows of the mean
            proximity of their rows to the nearest prototype of their class. New ones may come.
        value (float): What these prototypes reach of it.
        constraint (str): What sets the bound speaks of. n_prototypes: all sets of as many; n_prototypes_per_class
            (sm_u): all sets of as many of each class. New ones may come.
    """

    name: str
    value: float
    constraint: str

    def to_dict(self) -> dict[str, Any]:
        name = self.name

        value = self.value

        constraint = self.constraint

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "name": name,
                "value": value,
                "constraint": constraint,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        name = d.pop("name")

        value = d.pop("value")

        constraint = d.pop("constraint")

        certificate_objective = cls(
            name=name,
            value=value,
            constraint=constraint,
        )

        return certificate_objective
