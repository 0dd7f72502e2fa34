from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="Evaluation")


@_attrs_define(repr=False)
class Evaluation(Record):
    """How well the nearest of the first ``n_prototypes`` predicts.

    Attributes:
        n_prototypes (int): Number of prototypes that were used: the first ones of the set.
        unassigned (float): Share of rows that share no leaf with any of these prototypes, 0 to 1.
        balanced_accuracy (float | None | Unset): Mean over the classes of the share of their rows that are predicted
            rightly, 0 to 1; null for regression or without a target.
        accuracy (float | None | Unset): Share of rows with the right label, 0 to 1; null for regression or without a
            target.
        fidelity (float | None | Unset): Share of rows with the label that the model predicts, 0 to 1, to be compared
            with `baseline.constant`; null for regression.
        balanced_fidelity (float | None | Unset): Mean over the labels that the model predicts of the share of their
            rows with the same label, 0 to 1; null for regression.
        r2 (float | None | Unset): Coefficient of determination of the rows with a prediction, at most 1; null for
            classification, without such rows and where their values are all alike.
        mean_absolute_error (float | None | Unset): Mean absolute error of the same rows, in units of the target; null
            for classification.
    """

    n_prototypes: int
    unassigned: float
    balanced_accuracy: float | None | Unset = UNSET
    accuracy: float | None | Unset = UNSET
    fidelity: float | None | Unset = UNSET
    balanced_fidelity: float | None | Unset = UNSET
    r2: float | None | Unset = UNSET
    mean_absolute_error: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        n_prototypes = self.n_prototypes

        unassigned = self.unassigned

        balanced_accuracy: float | None | Unset
        if isinstance(self.balanced_accuracy, Unset):
            balanced_accuracy = UNSET
        else:
            balanced_accuracy = self.balanced_accuracy

        accuracy: float | None | Unset
        if isinstance(self.accuracy, Unset):
            accuracy = UNSET
        else:
            accuracy = self.accuracy

        fidelity: float | None | Unset
        if isinstance(self.fidelity, Unset):
            fidelity = UNSET
        else:
            fidelity = self.fidelity

        balanced_fidelity: float | None | Unset
        if isinstance(self.balanced_fidelity, Unset):
            balanced_fidelity = UNSET
        else:
            balanced_fidelity = self.balanced_fidelity

        r2: float | None | Unset
        if isinstance(self.r2, Unset):
            r2 = UNSET
        else:
            r2 = self.r2

        mean_absolute_error: float | None | Unset
        if isinstance(self.mean_absolute_error, Unset):
            mean_absolute_error = UNSET
        else:
            mean_absolute_error = self.mean_absolute_error

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_prototypes": n_prototypes,
                "unassigned": unassigned,
            }
        )
        if balanced_accuracy is not UNSET:
            field_dict["balanced_accuracy"] = balanced_accuracy
        if accuracy is not UNSET:
            field_dict["accuracy"] = accuracy
        if fidelity is not UNSET:
            field_dict["fidelity"] = fidelity
        if balanced_fidelity is not UNSET:
            field_dict["balanced_fidelity"] = balanced_fidelity
        if r2 is not UNSET:
            field_dict["r2"] = r2
        if mean_absolute_error is not UNSET:
            field_dict["mean_absolute_error"] = mean_absolute_error

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_prototypes = d.pop("n_prototypes")

        unassigned = d.pop("unassigned")

        def _parse_balanced_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_accuracy = _parse_balanced_accuracy(d.pop("balanced_accuracy", UNSET))

        def _parse_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        accuracy = _parse_accuracy(d.pop("accuracy", UNSET))

        def _parse_fidelity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        fidelity = _parse_fidelity(d.pop("fidelity", UNSET))

        def _parse_balanced_fidelity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_fidelity = _parse_balanced_fidelity(d.pop("balanced_fidelity", UNSET))

        def _parse_r2(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        r2 = _parse_r2(d.pop("r2", UNSET))

        def _parse_mean_absolute_error(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_absolute_error = _parse_mean_absolute_error(d.pop("mean_absolute_error", UNSET))

        evaluation = cls(
            n_prototypes=n_prototypes,
            unassigned=unassigned,
            balanced_accuracy=balanced_accuracy,
            accuracy=accuracy,
            fidelity=fidelity,
            balanced_fidelity=balanced_fidelity,
            r2=r2,
            mean_absolute_error=mean_absolute_error,
        )

        return evaluation
