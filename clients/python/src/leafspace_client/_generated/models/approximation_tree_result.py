from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.approximation_node import ApproximationNode
    from ..models.approximation_tree_evaluation import ApproximationTreeEvaluation
    from ..models.depth_validation import DepthValidation
    from ..models.implied_answer import ImpliedAnswer
    from ..models.rule_feature import RuleFeature
    from ..models.smoothing import Smoothing
    from ..models.structure_count import StructureCount


T = TypeVar("T", bound="ApproximationTreeResult")


@_attrs_define(repr=False)
class ApproximationTreeResult(Record):
    """The result of an approximation tree's job: the tree, which can be applied to raw rows without the model.

    Attributes:
        task (str): What the model predicts.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        method (str): How splits were chosen.
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        n_features (int): Number of features of the model.
        n_nodes (int): Number of nodes of the tree, leaves included.
        n_leaves (int): Number of leaves of the tree.
        depth (int): Number of splits on the longest path from the root to a leaf.
        features (list[RuleFeature]): Features that splits refer to, in the model's order.
        nodes (list[ApproximationNode]): Nodes of the tree in preorder.
        smoothing (None | Smoothing): How pseudo-samples were smoothed; null where there were none, or rows were drawn
            as they are.
        evaluation (ApproximationTreeEvaluation): How well the tree approximates the model, and predicts the target if
            there is one, on the rows of one dataset.
        training_evaluation (ApproximationTreeEvaluation): How well the tree approximates the model, and predicts the
            target if there is one, on the rows of one dataset.
        stability (list[StructureCount] | None): Number of different trees among the repeats, depth by depth; null
            without repeats.
        n_repeats (int): Number of trees that were made.
        n_sampled_rows (int | Unset): Number of rows of the dataset in a seeded sample of them, from which the tree was
            grown: 100,000, where the dataset has more. Its candidate splits, and what pseudo-samples are drawn from, are
            those of the sample; `n_samples` of its nodes and its evaluation are counted on all rows. Left out where the
            tree was grown from all rows, as by `ism` fitted on the dataset.
        n_leaves_before_merging (int | None | Unset): Number of leaves before splits were undone below which all leaves
            predict the same label, which `ism` does where the dataset has a feature set; null where nothing is merged.
        implications (list[ImpliedAnswer] | Unset): What follows among the splits of the tree where the dataset has a
            feature set, so that a questionnaire need not request it. Of several steps, only the single ones; at most
            10,000.
        n_implications (int | None | Unset): Number of implications among the columns of a dataset with a feature set,
            such as `has an account of kind credit` and `has an account`: pseudo-samples that break one were repaired before
            the model predicted them, a column that implies a false one being made false. Null without a feature set, and
            with `ism`.
        caution (None | str | Unset): Warnings, in words, a sentence each: that the scores in `evaluation` may be too
            good, as they were measured on the rows from which the result was made, and the model reproduces at least 99 %
            of their targets (regression: R2 of at least 0.95), as a model does that has memorised them; how many splits of
            `sta` are significant within `max_pseudo_samples`, where not all are; which of the request's own `candidates`
            can split nothing. Null where no such reason is known.
        validation (DepthValidation | None | Unset): How the depth was chosen, with `max_depth: validate` and with
            `born_again`; null elsewhere, and where there was nothing to choose.
    """

    task: str
    classes: list[str]
    method: str
    n_rows: int
    n_trees: int
    n_features: int
    n_nodes: int
    n_leaves: int
    depth: int
    features: list[RuleFeature]
    nodes: list[ApproximationNode]
    smoothing: None | Smoothing
    evaluation: ApproximationTreeEvaluation
    training_evaluation: ApproximationTreeEvaluation
    stability: list[StructureCount] | None
    n_repeats: int
    n_sampled_rows: int | Unset = UNSET
    n_leaves_before_merging: int | None | Unset = UNSET
    implications: list[ImpliedAnswer] | Unset = UNSET
    n_implications: int | None | Unset = UNSET
    caution: None | str | Unset = UNSET
    validation: DepthValidation | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.depth_validation import DepthValidation  # noqa: PLC0415
        from ..models.smoothing import Smoothing  # noqa: PLC0415

        task = self.task

        classes = self.classes

        method = self.method

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_features = self.n_features

        n_nodes = self.n_nodes

        n_leaves = self.n_leaves

        depth = self.depth

        features = []
        for features_item_data in self.features:
            features_item = features_item_data.to_dict()
            features.append(features_item)

        nodes = []
        for nodes_item_data in self.nodes:
            nodes_item = nodes_item_data.to_dict()
            nodes.append(nodes_item)

        smoothing: dict[str, Any] | None
        if isinstance(self.smoothing, Smoothing):
            smoothing = self.smoothing.to_dict()
        else:
            smoothing = self.smoothing

        evaluation = self.evaluation.to_dict()

        training_evaluation = self.training_evaluation.to_dict()

        stability: list[dict[str, Any]] | None
        if isinstance(self.stability, list):
            stability = []
            for stability_type_0_item_data in self.stability:
                stability_type_0_item = stability_type_0_item_data.to_dict()
                stability.append(stability_type_0_item)

        else:
            stability = self.stability

        n_repeats = self.n_repeats

        n_sampled_rows = self.n_sampled_rows

        n_leaves_before_merging: int | None | Unset
        if isinstance(self.n_leaves_before_merging, Unset):
            n_leaves_before_merging = UNSET
        else:
            n_leaves_before_merging = self.n_leaves_before_merging

        implications: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.implications, Unset):
            implications = []
            for implications_item_data in self.implications:
                implications_item = implications_item_data.to_dict()
                implications.append(implications_item)

        n_implications: int | None | Unset
        if isinstance(self.n_implications, Unset):
            n_implications = UNSET
        else:
            n_implications = self.n_implications

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        validation: dict[str, Any] | None | Unset
        if isinstance(self.validation, Unset):
            validation = UNSET
        elif isinstance(self.validation, DepthValidation):
            validation = self.validation.to_dict()
        else:
            validation = self.validation

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "task": task,
                "classes": classes,
                "method": method,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_features": n_features,
                "n_nodes": n_nodes,
                "n_leaves": n_leaves,
                "depth": depth,
                "features": features,
                "nodes": nodes,
                "smoothing": smoothing,
                "evaluation": evaluation,
                "training_evaluation": training_evaluation,
                "stability": stability,
                "n_repeats": n_repeats,
            }
        )
        if n_sampled_rows is not UNSET:
            field_dict["n_sampled_rows"] = n_sampled_rows
        if n_leaves_before_merging is not UNSET:
            field_dict["n_leaves_before_merging"] = n_leaves_before_merging
        if implications is not UNSET:
            field_dict["implications"] = implications
        if n_implications is not UNSET:
            field_dict["n_implications"] = n_implications
        if caution is not UNSET:
            field_dict["caution"] = caution
        if validation is not UNSET:
            field_dict["validation"] = validation

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.approximation_node import ApproximationNode  # noqa: PLC0415
        from ..models.approximation_tree_evaluation import ApproximationTreeEvaluation  # noqa: PLC0415
        from ..models.depth_validation import DepthValidation  # noqa: PLC0415
        from ..models.implied_answer import ImpliedAnswer  # noqa: PLC0415
        from ..models.rule_feature import RuleFeature  # noqa: PLC0415
        from ..models.smoothing import Smoothing  # noqa: PLC0415
        from ..models.structure_count import StructureCount  # noqa: PLC0415

        d = dict(src_dict)
        task = d.pop("task")

        classes = cast(list[str], d.pop("classes"))

        method = d.pop("method")

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        n_features = d.pop("n_features")

        n_nodes = d.pop("n_nodes")

        n_leaves = d.pop("n_leaves")

        depth = d.pop("depth")

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = RuleFeature.from_dict(features_item_data)

            features.append(features_item)

        nodes = []
        _nodes = d.pop("nodes")
        for nodes_item_data in _nodes:
            nodes_item = ApproximationNode.from_dict(nodes_item_data)

            nodes.append(nodes_item)

        def _parse_smoothing(data: object) -> None | Smoothing:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                smoothing_type_0 = Smoothing.from_dict(data)

                return smoothing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Smoothing, data)

        smoothing = _parse_smoothing(d.pop("smoothing"))

        evaluation = ApproximationTreeEvaluation.from_dict(d.pop("evaluation"))

        training_evaluation = ApproximationTreeEvaluation.from_dict(d.pop("training_evaluation"))

        def _parse_stability(data: object) -> list[StructureCount] | None:
            if data is None:
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                stability_type_0 = []
                _stability_type_0 = data
                for stability_type_0_item_data in _stability_type_0:
                    stability_type_0_item = StructureCount.from_dict(stability_type_0_item_data)

                    stability_type_0.append(stability_type_0_item)

                return stability_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[StructureCount] | None, data)

        stability = _parse_stability(d.pop("stability"))

        n_repeats = d.pop("n_repeats")

        n_sampled_rows = d.pop("n_sampled_rows", UNSET)

        def _parse_n_leaves_before_merging(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_leaves_before_merging = _parse_n_leaves_before_merging(d.pop("n_leaves_before_merging", UNSET))

        _implications = d.pop("implications", UNSET)
        implications: list[ImpliedAnswer] | Unset = UNSET
        if _implications is not UNSET:
            implications = []
            for implications_item_data in _implications:
                implications_item = ImpliedAnswer.from_dict(implications_item_data)

                implications.append(implications_item)

        def _parse_n_implications(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_implications = _parse_n_implications(d.pop("n_implications", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        def _parse_validation(data: object) -> DepthValidation | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                validation_type_0 = DepthValidation.from_dict(data)

                return validation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(DepthValidation | None | Unset, data)

        validation = _parse_validation(d.pop("validation", UNSET))

        approximation_tree_result = cls(
            task=task,
            classes=classes,
            method=method,
            n_rows=n_rows,
            n_trees=n_trees,
            n_features=n_features,
            n_nodes=n_nodes,
            n_leaves=n_leaves,
            depth=depth,
            features=features,
            nodes=nodes,
            smoothing=smoothing,
            evaluation=evaluation,
            training_evaluation=training_evaluation,
            stability=stability,
            n_repeats=n_repeats,
            n_sampled_rows=n_sampled_rows,
            n_leaves_before_merging=n_leaves_before_merging,
            implications=implications,
            n_implications=n_implications,
            caution=caution,
            validation=validation,
        )

        return approximation_tree_result
