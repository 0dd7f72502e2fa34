from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.forest_evaluation import ForestEvaluation
    from ..models.forest_warning import ForestWarning
    from ..models.relational_tree import RelationalTree
    from ..models.skipped_query import SkippedQuery


T = TypeVar("T", bound="RelationalForestResult")


@_attrs_define(repr=False)
class RelationalForestResult(Record):
    """The result of a relational forest's job: what it published, and how well it predicts.

    Attributes:
        feature_set (str): Id of the feature set: all tests of the trees, in order of first use.
        model (str): Id of the model, whose features are those of the feature set.
        dataset (str): Id of the dataset with the features of all examples, labelled or not.
        task (str): What the model predicts.
        n_features (int): Number of features.
        evaluation (ForestEvaluation): How well a forest predicts, and how large it is.
        trees (list[RelationalTree]): The trees in their order.
        skipped (list[SkippedQuery]): Queries that would have had too many bindings, at most 100.
        warnings (list[ForestWarning] | Unset): Reasons not to trust the forest; empty: there are none.
    """

    feature_set: str
    model: str
    dataset: str
    task: str
    n_features: int
    evaluation: ForestEvaluation
    trees: list[RelationalTree]
    skipped: list[SkippedQuery]
    warnings: list[ForestWarning] | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        feature_set = self.feature_set

        model = self.model

        dataset = self.dataset

        task = self.task

        n_features = self.n_features

        evaluation = self.evaluation.to_dict()

        trees = []
        for trees_item_data in self.trees:
            trees_item = trees_item_data.to_dict()
            trees.append(trees_item)

        skipped = []
        for skipped_item_data in self.skipped:
            skipped_item = skipped_item_data.to_dict()
            skipped.append(skipped_item)

        warnings: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.warnings, Unset):
            warnings = []
            for warnings_item_data in self.warnings:
                warnings_item = warnings_item_data.to_dict()
                warnings.append(warnings_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "feature_set": feature_set,
                "model": model,
                "dataset": dataset,
                "task": task,
                "n_features": n_features,
                "evaluation": evaluation,
                "trees": trees,
                "skipped": skipped,
            }
        )
        if warnings is not UNSET:
            field_dict["warnings"] = warnings

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.forest_evaluation import ForestEvaluation  # noqa: PLC0415
        from ..models.forest_warning import ForestWarning  # noqa: PLC0415
        from ..models.relational_tree import RelationalTree  # noqa: PLC0415
        from ..models.skipped_query import SkippedQuery  # noqa: PLC0415

        d = dict(src_dict)
        feature_set = d.pop("feature_set")

        model = d.pop("model")

        dataset = d.pop("dataset")

        task = d.pop("task")

        n_features = d.pop("n_features")

        evaluation = ForestEvaluation.from_dict(d.pop("evaluation"))

        trees = []
        _trees = d.pop("trees")
        for trees_item_data in _trees:
            trees_item = RelationalTree.from_dict(trees_item_data)

            trees.append(trees_item)

        skipped = []
        _skipped = d.pop("skipped")
        for skipped_item_data in _skipped:
            skipped_item = SkippedQuery.from_dict(skipped_item_data)

            skipped.append(skipped_item)

        _warnings = d.pop("warnings", UNSET)
        warnings: list[ForestWarning] | Unset = UNSET
        if _warnings is not UNSET:
            warnings = []
            for warnings_item_data in _warnings:
                warnings_item = ForestWarning.from_dict(warnings_item_data)

                warnings.append(warnings_item)

        relational_forest_result = cls(
            feature_set=feature_set,
            model=model,
            dataset=dataset,
            task=task,
            n_features=n_features,
            evaluation=evaluation,
            trees=trees,
            skipped=skipped,
            warnings=warnings,
        )

        return relational_forest_result
