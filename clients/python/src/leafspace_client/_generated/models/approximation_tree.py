from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.approximation_node import ApproximationNode
    from ..models.approximation_tree_evaluation import ApproximationTreeEvaluation
    from ..models.approximation_tree_request import ApproximationTreeRequest
    from ..models.problem import Problem
    from ..models.rule_feature import RuleFeature
    from ..models.smoothing import Smoothing
    from ..models.structure_count import StructureCount


T = TypeVar("T", bound="ApproximationTree")


@_attrs_define(repr=False)
class ApproximationTree(Record):
    """An approximation tree and how its making stands; what was found is null until it is ready, and in lists.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (ApproximationTreeRequest): Which model one tree is to stand for, and by which rows.
        object_ (Literal['approximation_tree'] | Unset):  Default: 'approximation_tree'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        task (None | str | Unset):
        classes (list[str] | None | Unset):
        method (None | str | Unset):
        n_rows (int | None | Unset):
        n_trees (int | None | Unset):
        n_features (int | None | Unset):
        n_nodes (int | None | Unset):
        n_leaves (int | None | Unset):
        depth (int | None | Unset):
        features (list[RuleFeature] | None | Unset):
        nodes (list[ApproximationNode] | None | Unset):
        smoothing (None | Smoothing | Unset):
        evaluation (ApproximationTreeEvaluation | None | Unset):
        training_evaluation (ApproximationTreeEvaluation | None | Unset):
        caution (None | str | Unset):
        stability (list[StructureCount] | None | Unset):
        n_repeats (int | None | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: ApproximationTreeRequest
    object_: Literal["approximation_tree"] | Unset = "approximation_tree"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    task: None | str | Unset = UNSET
    classes: list[str] | None | Unset = UNSET
    method: None | str | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_trees: int | None | Unset = UNSET
    n_features: int | None | Unset = UNSET
    n_nodes: int | None | Unset = UNSET
    n_leaves: int | None | Unset = UNSET
    depth: int | None | Unset = UNSET
    features: list[RuleFeature] | None | Unset = UNSET
    nodes: list[ApproximationNode] | None | Unset = UNSET
    smoothing: None | Smoothing | Unset = UNSET
    evaluation: ApproximationTreeEvaluation | None | Unset = UNSET
    training_evaluation: ApproximationTreeEvaluation | None | Unset = UNSET
    caution: None | str | Unset = UNSET
    stability: list[StructureCount] | None | Unset = UNSET
    n_repeats: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.approximation_tree_evaluation import ApproximationTreeEvaluation  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.smoothing import Smoothing  # noqa: PLC0415

        id = self.id

        status = self.status

        job: None | str
        job = self.job

        created_at = self.created_at.isoformat()

        request = self.request.to_dict()

        object_ = self.object_

        reused = self.reused

        problem: dict[str, Any] | None | Unset
        if isinstance(self.problem, Unset):
            problem = UNSET
        elif isinstance(self.problem, Problem):
            problem = self.problem.to_dict()
        else:
            problem = self.problem

        task: None | str | Unset
        if isinstance(self.task, Unset):
            task = UNSET
        else:
            task = self.task

        classes: list[str] | None | Unset
        if isinstance(self.classes, Unset):
            classes = UNSET
        elif isinstance(self.classes, list):
            classes = self.classes

        else:
            classes = self.classes

        method: None | str | Unset
        if isinstance(self.method, Unset):
            method = UNSET
        else:
            method = self.method

        n_rows: int | None | Unset
        if isinstance(self.n_rows, Unset):
            n_rows = UNSET
        else:
            n_rows = self.n_rows

        n_trees: int | None | Unset
        if isinstance(self.n_trees, Unset):
            n_trees = UNSET
        else:
            n_trees = self.n_trees

        n_features: int | None | Unset
        if isinstance(self.n_features, Unset):
            n_features = UNSET
        else:
            n_features = self.n_features

        n_nodes: int | None | Unset
        if isinstance(self.n_nodes, Unset):
            n_nodes = UNSET
        else:
            n_nodes = self.n_nodes

        n_leaves: int | None | Unset
        if isinstance(self.n_leaves, Unset):
            n_leaves = UNSET
        else:
            n_leaves = self.n_leaves

        depth: int | None | Unset
        if isinstance(self.depth, Unset):
            depth = UNSET
        else:
            depth = self.depth

        features: list[dict[str, Any]] | None | Unset
        if isinstance(self.features, Unset):
            features = UNSET
        elif isinstance(self.features, list):
            features = []
            for features_type_0_item_data in self.features:
                features_type_0_item = features_type_0_item_data.to_dict()
                features.append(features_type_0_item)

        else:
            features = self.features

        nodes: list[dict[str, Any]] | None | Unset
        if isinstance(self.nodes, Unset):
            nodes = UNSET
        elif isinstance(self.nodes, list):
            nodes = []
            for nodes_type_0_item_data in self.nodes:
                nodes_type_0_item = nodes_type_0_item_data.to_dict()
                nodes.append(nodes_type_0_item)

        else:
            nodes = self.nodes

        smoothing: dict[str, Any] | None | Unset
        if isinstance(self.smoothing, Unset):
            smoothing = UNSET
        elif isinstance(self.smoothing, Smoothing):
            smoothing = self.smoothing.to_dict()
        else:
            smoothing = self.smoothing

        evaluation: dict[str, Any] | None | Unset
        if isinstance(self.evaluation, Unset):
            evaluation = UNSET
        elif isinstance(self.evaluation, ApproximationTreeEvaluation):
            evaluation = self.evaluation.to_dict()
        else:
            evaluation = self.evaluation

        training_evaluation: dict[str, Any] | None | Unset
        if isinstance(self.training_evaluation, Unset):
            training_evaluation = UNSET
        elif isinstance(self.training_evaluation, ApproximationTreeEvaluation):
            training_evaluation = self.training_evaluation.to_dict()
        else:
            training_evaluation = self.training_evaluation

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        stability: list[dict[str, Any]] | None | Unset
        if isinstance(self.stability, Unset):
            stability = UNSET
        elif isinstance(self.stability, list):
            stability = []
            for stability_type_0_item_data in self.stability:
                stability_type_0_item = stability_type_0_item_data.to_dict()
                stability.append(stability_type_0_item)

        else:
            stability = self.stability

        n_repeats: int | None | Unset
        if isinstance(self.n_repeats, Unset):
            n_repeats = UNSET
        else:
            n_repeats = self.n_repeats

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "id": id,
                "status": status,
                "job": job,
                "created_at": created_at,
                "request": request,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if reused is not UNSET:
            field_dict["reused"] = reused
        if problem is not UNSET:
            field_dict["problem"] = problem
        if task is not UNSET:
            field_dict["task"] = task
        if classes is not UNSET:
            field_dict["classes"] = classes
        if method is not UNSET:
            field_dict["method"] = method
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if n_features is not UNSET:
            field_dict["n_features"] = n_features
        if n_nodes is not UNSET:
            field_dict["n_nodes"] = n_nodes
        if n_leaves is not UNSET:
            field_dict["n_leaves"] = n_leaves
        if depth is not UNSET:
            field_dict["depth"] = depth
        if features is not UNSET:
            field_dict["features"] = features
        if nodes is not UNSET:
            field_dict["nodes"] = nodes
        if smoothing is not UNSET:
            field_dict["smoothing"] = smoothing
        if evaluation is not UNSET:
            field_dict["evaluation"] = evaluation
        if training_evaluation is not UNSET:
            field_dict["training_evaluation"] = training_evaluation
        if caution is not UNSET:
            field_dict["caution"] = caution
        if stability is not UNSET:
            field_dict["stability"] = stability
        if n_repeats is not UNSET:
            field_dict["n_repeats"] = n_repeats

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.approximation_node import ApproximationNode  # noqa: PLC0415
        from ..models.approximation_tree_evaluation import ApproximationTreeEvaluation  # noqa: PLC0415
        from ..models.approximation_tree_request import ApproximationTreeRequest  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.rule_feature import RuleFeature  # noqa: PLC0415
        from ..models.smoothing import Smoothing  # noqa: PLC0415
        from ..models.structure_count import StructureCount  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        request = ApproximationTreeRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["approximation_tree"] | Unset, d.pop("object", UNSET))
        if object_ != "approximation_tree" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'approximation_tree', got '{object_}'")

        reused = d.pop("reused", UNSET)

        def _parse_problem(data: object) -> None | Problem | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                problem_type_0 = Problem.from_dict(data)

                return problem_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Problem | Unset, data)

        problem = _parse_problem(d.pop("problem", UNSET))

        def _parse_task(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        task = _parse_task(d.pop("task", UNSET))

        def _parse_classes(data: object) -> list[str] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                classes_type_0 = cast(list[str], data)

                return classes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[str] | None | Unset, data)

        classes = _parse_classes(d.pop("classes", UNSET))

        def _parse_method(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        method = _parse_method(d.pop("method", UNSET))

        def _parse_n_rows(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_rows = _parse_n_rows(d.pop("n_rows", UNSET))

        def _parse_n_trees(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_trees = _parse_n_trees(d.pop("n_trees", UNSET))

        def _parse_n_features(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_features = _parse_n_features(d.pop("n_features", UNSET))

        def _parse_n_nodes(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_nodes = _parse_n_nodes(d.pop("n_nodes", UNSET))

        def _parse_n_leaves(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_leaves = _parse_n_leaves(d.pop("n_leaves", UNSET))

        def _parse_depth(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        depth = _parse_depth(d.pop("depth", UNSET))

        def _parse_features(data: object) -> list[RuleFeature] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                features_type_0 = []
                _features_type_0 = data
                for features_type_0_item_data in _features_type_0:
                    features_type_0_item = RuleFeature.from_dict(features_type_0_item_data)

                    features_type_0.append(features_type_0_item)

                return features_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[RuleFeature] | None | Unset, data)

        features = _parse_features(d.pop("features", UNSET))

        def _parse_nodes(data: object) -> list[ApproximationNode] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                nodes_type_0 = []
                _nodes_type_0 = data
                for nodes_type_0_item_data in _nodes_type_0:
                    nodes_type_0_item = ApproximationNode.from_dict(nodes_type_0_item_data)

                    nodes_type_0.append(nodes_type_0_item)

                return nodes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[ApproximationNode] | None | Unset, data)

        nodes = _parse_nodes(d.pop("nodes", UNSET))

        def _parse_smoothing(data: object) -> None | Smoothing | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                smoothing_type_0 = Smoothing.from_dict(data)

                return smoothing_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Smoothing | Unset, data)

        smoothing = _parse_smoothing(d.pop("smoothing", UNSET))

        def _parse_evaluation(data: object) -> ApproximationTreeEvaluation | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                evaluation_type_0 = ApproximationTreeEvaluation.from_dict(data)

                return evaluation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ApproximationTreeEvaluation | None | Unset, data)

        evaluation = _parse_evaluation(d.pop("evaluation", UNSET))

        def _parse_training_evaluation(data: object) -> ApproximationTreeEvaluation | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                training_evaluation_type_0 = ApproximationTreeEvaluation.from_dict(data)

                return training_evaluation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ApproximationTreeEvaluation | None | Unset, data)

        training_evaluation = _parse_training_evaluation(d.pop("training_evaluation", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        def _parse_stability(data: object) -> list[StructureCount] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
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
            return cast(list[StructureCount] | None | Unset, data)

        stability = _parse_stability(d.pop("stability", UNSET))

        def _parse_n_repeats(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_repeats = _parse_n_repeats(d.pop("n_repeats", UNSET))

        approximation_tree = cls(
            id=id,
            status=status,
            job=job,
            created_at=created_at,
            request=request,
            object_=object_,
            reused=reused,
            problem=problem,
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
            caution=caution,
            stability=stability,
            n_repeats=n_repeats,
        )

        return approximation_tree
