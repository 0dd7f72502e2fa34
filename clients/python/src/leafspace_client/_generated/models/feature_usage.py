from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

T = TypeVar("T", bound="FeatureUsage")


@_attrs_define(repr=False)
class FeatureUsage(Record):
    """How often a model's trees test a feature.

    Attributes:
        feature (str): Name of the feature, or of a transformed column that cannot be mapped back.
        share_of_trees (float): Share of the trees that test it at least once, 0 to 1.
        share_of_questions (float): Share of all inner nodes of the trees that test it, 0 to 1; together they make 1.
        transformed (bool | Unset): Whether it is a transformed column that cannot be mapped back to a raw feature.
            Default: False.
    """

    feature: str
    share_of_trees: float
    share_of_questions: float
    transformed: bool | Unset = False

    def to_dict(self) -> dict[str, Any]:
        feature = self.feature

        share_of_trees = self.share_of_trees

        share_of_questions = self.share_of_questions

        transformed = self.transformed

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature": feature,
                "share_of_trees": share_of_trees,
                "share_of_questions": share_of_questions,
            }
        )
        if transformed is not UNSET:
            field_dict["transformed"] = transformed

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        feature = d.pop("feature")

        share_of_trees = d.pop("share_of_trees")

        share_of_questions = d.pop("share_of_questions")

        transformed = d.pop("transformed", UNSET)

        feature_usage = cls(
            feature=feature,
            share_of_trees=share_of_trees,
            share_of_questions=share_of_questions,
            transformed=transformed,
        )

        return feature_usage
