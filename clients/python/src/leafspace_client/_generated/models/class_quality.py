from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="ClassQuality")


@_attrs_define(repr=False)
class ClassQuality(Record):
    """How well the prototypes of one class represent its rows.

    Attributes:
        label (None | str): The class; null for regression, where one class holds all rows.
        n_rows (int): Number of rows of the class.
        n_prototypes (int): Number of prototypes of the class.
        coverage (float | None): Share of its rows that are covered, 0 to 1; null without rows.
        hubness_entropy (float | None): Normalised entropy of its covered rows over its prototypes: 1 if all cover
            equally many, 0 if one (a hub) covers all; null with fewer than two prototypes or without covered rows.
    """

    label: None | str
    n_rows: int
    n_prototypes: int
    coverage: float | None
    hubness_entropy: float | None

    def to_dict(self) -> dict[str, Any]:
        label: None | str
        label = self.label

        n_rows = self.n_rows

        n_prototypes = self.n_prototypes

        coverage: float | None
        coverage = self.coverage

        hubness_entropy: float | None
        hubness_entropy = self.hubness_entropy

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "label": label,
                "n_rows": n_rows,
                "n_prototypes": n_prototypes,
                "coverage": coverage,
                "hubness_entropy": hubness_entropy,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_label(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        label = _parse_label(d.pop("label"))

        n_rows = d.pop("n_rows")

        n_prototypes = d.pop("n_prototypes")

        def _parse_coverage(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        coverage = _parse_coverage(d.pop("coverage"))

        def _parse_hubness_entropy(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        hubness_entropy = _parse_hubness_entropy(d.pop("hubness_entropy"))

        class_quality = cls(
            label=label,
            n_rows=n_rows,
            n_prototypes=n_prototypes,
            coverage=coverage,
            hubness_entropy=hubness_entropy,
        )

        return class_quality
