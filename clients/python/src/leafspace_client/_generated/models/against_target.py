from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="AgainstTarget")


@_attrs_define(repr=False)
class AgainstTarget(Record):
    """How well predictions match a dataset's target.

    Attributes:
        accuracy (float | None | Unset): Share of rows with the right label, 0 to 1; null for regression or without a
            target.
        balanced_accuracy (float | None | Unset): Mean over the classes that have rows of their share of right labels, 0
            to 1; null for regression or without a target.
        mse (float | None | Unset): Mean squared error in squared units of the target; null for classification or
            without a target.
        r2 (float | None | Unset): Coefficient of determination, at most 1; null for classification, without a target
            and where all values are alike.
    """

    accuracy: float | None | Unset = UNSET
    balanced_accuracy: float | None | Unset = UNSET
    mse: float | None | Unset = UNSET
    r2: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        accuracy: float | None | Unset
        if isinstance(self.accuracy, Unset):
            accuracy = UNSET
        else:
            accuracy = self.accuracy

        balanced_accuracy: float | None | Unset
        if isinstance(self.balanced_accuracy, Unset):
            balanced_accuracy = UNSET
        else:
            balanced_accuracy = self.balanced_accuracy

        mse: float | None | Unset
        if isinstance(self.mse, Unset):
            mse = UNSET
        else:
            mse = self.mse

        r2: float | None | Unset
        if isinstance(self.r2, Unset):
            r2 = UNSET
        else:
            r2 = self.r2

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if accuracy is not UNSET:
            field_dict["accuracy"] = accuracy
        if balanced_accuracy is not UNSET:
            field_dict["balanced_accuracy"] = balanced_accuracy
        if mse is not UNSET:
            field_dict["mse"] = mse
        if r2 is not UNSET:
            field_dict["r2"] = r2

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        accuracy = _parse_accuracy(d.pop("accuracy", UNSET))

        def _parse_balanced_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_accuracy = _parse_balanced_accuracy(d.pop("balanced_accuracy", UNSET))

        def _parse_mse(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mse = _parse_mse(d.pop("mse", UNSET))

        def _parse_r2(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        r2 = _parse_r2(d.pop("r2", UNSET))

        against_target = cls(
            accuracy=accuracy,
            balanced_accuracy=balanced_accuracy,
            mse=mse,
            r2=r2,
        )

        return against_target
