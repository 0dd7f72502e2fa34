from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="ForestScores")


@_attrs_define(repr=False)
class ForestScores(Record):
    """How well predictions match the targets.

    Attributes:
        n_examples (int): Number of labelled examples that were predicted.
        accuracy (float | None): Share of them with the right label, 0 to 1; null for regression.
        balanced_accuracy (float | None): Mean over the classes that have examples of their share of right labels, 0 to
            1; null for regression.
        mean_squared_error (float | None | Unset): Mean squared error in squared units of the target; null for
            classification.
        r2 (float | None | Unset): Coefficient of determination, at most 1; null for classification and where all values
            are alike.
    """

    n_examples: int
    accuracy: float | None
    balanced_accuracy: float | None
    mean_squared_error: float | None | Unset = UNSET
    r2: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        n_examples = self.n_examples

        accuracy: float | None
        accuracy = self.accuracy

        balanced_accuracy: float | None
        balanced_accuracy = self.balanced_accuracy

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

        field_dict.update(
            {
                "n_examples": n_examples,
                "accuracy": accuracy,
                "balanced_accuracy": balanced_accuracy,
            }
        )
        if mean_squared_error is not UNSET:
            field_dict["mean_squared_error"] = mean_squared_error
        if r2 is not UNSET:
            field_dict["r2"] = r2

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        n_examples = d.pop("n_examples")

        def _parse_accuracy(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        accuracy = _parse_accuracy(d.pop("accuracy"))

        def _parse_balanced_accuracy(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        balanced_accuracy = _parse_balanced_accuracy(d.pop("balanced_accuracy"))

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

        forest_scores = cls(
            n_examples=n_examples,
            accuracy=accuracy,
            balanced_accuracy=balanced_accuracy,
            mean_squared_error=mean_squared_error,
            r2=r2,
        )

        return forest_scores
