from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="RuleScores")


@_attrs_define(repr=False)
class RuleScores(Record):
    """How well predictions match the target or the model.

    Attributes:
        error (float | None | Unset): Share of rows with a wrong label, 0 to 1; null for regression.
        balanced_error (float | None | Unset): Mean over the classes that have rows of their share of wrong labels, 0 to
            1; null for regression.
        fidelity (float | None | Unset): Share of rows with the label that the model predicts, 0 to 1; for regression R2
            to the values that the model predicts, null where these are all alike.
        balanced_fidelity (float | None | Unset): Mean over the labels that the model predicts of the share of their
            rows with the same label, 0 to 1; null for regression.
        mean_squared_error (float | None | Unset): Mean squared error in squared units of the target; null for
            classification.
        r2 (float | None | Unset): Coefficient of determination, at most 1; null for classification and where all values
            are alike.
    """

    error: float | None | Unset = UNSET
    balanced_error: float | None | Unset = UNSET
    fidelity: float | None | Unset = UNSET
    balanced_fidelity: float | None | Unset = UNSET
    mean_squared_error: float | None | Unset = UNSET
    r2: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        error: float | None | Unset
        if isinstance(self.error, Unset):
            error = UNSET
        else:
            error = self.error

        balanced_error: float | None | Unset
        if isinstance(self.balanced_error, Unset):
            balanced_error = UNSET
        else:
            balanced_error = self.balanced_error

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

        mean_squared_error: float | None | Unset
        if isinstance(self.mean_squared_error, Unset):
            mean_squared_error = UNSET
        else:
            mean_squared_error = self.mean_squared_error

        r2: float | None | Unset
        if isinstance(self.r2, Unset):
            r2 = UNSET
        else:
            r2 = self.r2

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if error is not UNSET:
            field_dict["error"] = error
        if balanced_error is not UNSET:
            field_dict["balanced_error"] = balanced_error
        if fidelity is not UNSET:
            field_dict["fidelity"] = fidelity
        if balanced_fidelity is not UNSET:
            field_dict["balanced_fidelity"] = balanced_fidelity
        if mean_squared_error is not UNSET:
            field_dict["mean_squared_error"] = mean_squared_error
        if r2 is not UNSET:
            field_dict["r2"] = r2

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_error(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        error = _parse_error(d.pop("error", UNSET))

        def _parse_balanced_error(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_error = _parse_balanced_error(d.pop("balanced_error", UNSET))

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

        def _parse_mean_squared_error(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_squared_error = _parse_mean_squared_error(d.pop("mean_squared_error", UNSET))

        def _parse_r2(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        r2 = _parse_r2(d.pop("r2", UNSET))

        rule_scores = cls(
            error=error,
            balanced_error=balanced_error,
            fidelity=fidelity,
            balanced_fidelity=balanced_fidelity,
            mean_squared_error=mean_squared_error,
            r2=r2,
        )

        return rule_scores
