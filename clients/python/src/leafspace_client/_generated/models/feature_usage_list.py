from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.feature_usage import FeatureUsage


T = TypeVar("T", bound="FeatureUsageList")


@_attrs_define(repr=False)
class FeatureUsageList(Record):
    """What a model's trees test.

    Attributes:
        model (str): Id of the model.
        n_trees (int): Number of its trees.
        n_questions (int): Number of inner nodes of all trees.
        data (list[FeatureUsage]): All features, those that most trees test first (ties: those with more tests, then in
            the model's order); features that no tree tests have 0.
        object_ (Literal['list'] | Unset): Type of this object. Default: 'list'.
    """

    model: str
    n_trees: int
    n_questions: int
    data: list[FeatureUsage]
    object_: Literal["list"] | Unset = "list"

    def to_dict(self) -> dict[str, Any]:
        model = self.model

        n_trees = self.n_trees

        n_questions = self.n_questions

        data = []
        for data_item_data in self.data:
            data_item = data_item_data.to_dict()
            data.append(data_item)

        object_ = self.object_

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "model": model,
                "n_trees": n_trees,
                "n_questions": n_questions,
                "data": data,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.feature_usage import FeatureUsage  # noqa: PLC0415

        d = dict(src_dict)
        model = d.pop("model")

        n_trees = d.pop("n_trees")

        n_questions = d.pop("n_questions")

        data = []
        _data = d.pop("data")
        for data_item_data in _data:
            data_item = FeatureUsage.from_dict(data_item_data)

            data.append(data_item)

        object_ = cast(Literal["list"] | Unset, d.pop("object", UNSET))
        if object_ != "list" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'list', got '{object_}'")

        feature_usage_list = cls(
            model=model,
            n_trees=n_trees,
            n_questions=n_questions,
            data=data,
            object_=object_,
        )

        return feature_usage_list
