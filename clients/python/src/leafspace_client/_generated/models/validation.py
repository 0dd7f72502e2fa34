from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record

T = TypeVar("T", bound="Validation")


@_attrs_define(repr=False)
class Validation(Record):
    """How the number of prototypes was found on the rows of `evaluation_dataset`, by the one standard error rule.

    Attributes:
        measure (str): Score of the nearest prototype's label or value: against the target, or against the model where
            the dataset has none (`balanced_fidelity`, `r2_of_model`). Rows that share no leaf with any prototype count as
            wrong, or are predicted by the mean. Measures may be added.
        scores (list[float]): The score of the first prototype, of the first two, and so on.
        best_n_prototypes (int): Number of prototypes of the best score (ties: the smallest).
        standard_error (float): Standard error of the best score: the smallest number of prototypes whose score is no
            further below the best one is taken.
    """

    measure: str
    scores: list[float]
    best_n_prototypes: int
    standard_error: float

    def to_dict(self) -> dict[str, Any]:
        measure = self.measure

        scores = self.scores

        best_n_prototypes = self.best_n_prototypes

        standard_error = self.standard_error

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "measure": measure,
                "scores": scores,
                "best_n_prototypes": best_n_prototypes,
                "standard_error": standard_error,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        measure = d.pop("measure")

        scores = cast(list[float], d.pop("scores"))

        best_n_prototypes = d.pop("best_n_prototypes")

        standard_error = d.pop("standard_error")

        validation = cls(
            measure=measure,
            scores=scores,
            best_n_prototypes=best_n_prototypes,
            standard_error=standard_error,
        )

        return validation
