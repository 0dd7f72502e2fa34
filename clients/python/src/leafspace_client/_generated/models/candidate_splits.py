from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="CandidateSplits")


@_attrs_define(repr=False)
class CandidateSplits(Record):
    """The splits of one feature that are candidates; without any, those that the dataset suggests.

    Attributes:
        feature (str): Name of the feature.
        thresholds (list[float] | Unset): Thresholds of a number, for `feature <= threshold`.
        categories (list[str] | Unset): Categories, for `feature is category`.
        missing (bool | Unset): Whether `feature is missing` is a candidate. Default: False.
    """

    feature: str
    thresholds: list[float] | Unset = UNSET
    categories: list[str] | Unset = UNSET
    missing: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        thresholds: list[float] | Unset = UNSET
        if not isinstance(self.thresholds, Unset):
            thresholds = self.thresholds

        categories: list[str] | Unset = UNSET
        if not isinstance(self.categories, Unset):
            categories = self.categories

        missing = self.missing

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
            }
        )
        if thresholds is not UNSET:
            field_dict["thresholds"] = thresholds
        if categories is not UNSET:
            field_dict["categories"] = categories
        if missing is not UNSET:
            field_dict["missing"] = missing

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        thresholds = cast(list[float], d.pop("thresholds", UNSET))

        categories = cast(list[str], d.pop("categories", UNSET))

        missing = d.pop("missing", UNSET)

        candidate_splits = cls(
            feature=feature,
            thresholds=thresholds,
            categories=categories,
            missing=missing,
        )

        return candidate_splits
