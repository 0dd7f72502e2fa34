from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="CertificateObjective")


@_attrs_define(repr=False)
class CertificateObjective(Record):
    """The objective and constraint that certificates refer to.

    Attributes:
        name (str): `coverage`: the field `objective`. `class_weighted_coverage` (`sm_wa`): mean over the classes of the
            mean proximity of their rows to the nearest prototype of their class. Objectives may be added.
        value (float): Value of this objective for the selected prototypes.
        constraint (str): Sets that the bound holds for: those of equally many prototypes (`n_prototypes`), or of
            equally many of each class (`n_prototypes_per_class`, with `sm_u`). Constraints may be added.
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
