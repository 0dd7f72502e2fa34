from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.problem import Problem
    from ..models.restart import Restart
    from ..models.rule import Rule
    from ..models.rule_feature import RuleFeature
    from ..models.rule_set_evaluation import RuleSetEvaluation
    from ..models.rule_set_request import RuleSetRequest
    from ..models.score import Score


T = TypeVar("T", bound="RuleSet")


@_attrs_define(repr=False)
class RuleSet(Record):
    """A rule set and how its making stands; what was found is null until it is ready, and in lists.

    Attributes:
        id (str):
        status (str):
        job (None | str):
        created_at (datetime.datetime):
        request (RuleSetRequest): Which model is to be described by rules, and by which rows of data.
        object_ (Literal['rule_set'] | Unset):  Default: 'rule_set'.
        reused (bool | Unset): It had been asked for before. Default: False.
        problem (None | Problem | Unset):
        task (None | str | Unset):
        classes (list[str] | None | Unset):
        method (None | str | Unset):
        search (None | str | Unset):
        labels (None | str | Unset):
        served (None | str | Unset):
        n_rows (int | None | Unset):
        n_trees (int | None | Unset):
        n_statements (int | None | Unset):
        n_rules (int | None | Unset):
        n_conditions (int | None | Unset):
        features (list[RuleFeature] | None | Unset):
        rules (list[Rule] | None | Unset):
        default_prediction (float | None | str | Unset):
        default_scores (list[Score] | None | Unset):
        default_support (int | None | Unset):
        evaluation (None | RuleSetEvaluation | Unset):
        training_evaluation (None | RuleSetEvaluation | Unset):
        caution (None | str | Unset):
        restarts (list[Restart] | None | Unset):
        lower_bound (list[float] | None | Unset):
    """

    id: str
    status: str
    job: None | str
    created_at: datetime.datetime
    request: RuleSetRequest
    object_: Literal["rule_set"] | Unset = "rule_set"
    reused: bool | Unset = False
    problem: None | Problem | Unset = UNSET
    task: None | str | Unset = UNSET
    classes: list[str] | None | Unset = UNSET
    method: None | str | Unset = UNSET
    search: None | str | Unset = UNSET
    labels: None | str | Unset = UNSET
    served: None | str | Unset = UNSET
    n_rows: int | None | Unset = UNSET
    n_trees: int | None | Unset = UNSET
    n_statements: int | None | Unset = UNSET
    n_rules: int | None | Unset = UNSET
    n_conditions: int | None | Unset = UNSET
    features: list[RuleFeature] | None | Unset = UNSET
    rules: list[Rule] | None | Unset = UNSET
    default_prediction: float | None | str | Unset = UNSET
    default_scores: list[Score] | None | Unset = UNSET
    default_support: int | None | Unset = UNSET
    evaluation: None | RuleSetEvaluation | Unset = UNSET
    training_evaluation: None | RuleSetEvaluation | Unset = UNSET
    caution: None | str | Unset = UNSET
    restarts: list[Restart] | None | Unset = UNSET
    lower_bound: list[float] | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.rule_set_evaluation import RuleSetEvaluation  # noqa: PLC0415

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

        search: None | str | Unset
        if isinstance(self.search, Unset):
            search = UNSET
        else:
            search = self.search

        labels: None | str | Unset
        if isinstance(self.labels, Unset):
            labels = UNSET
        else:
            labels = self.labels

        served: None | str | Unset
        if isinstance(self.served, Unset):
            served = UNSET
        else:
            served = self.served

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

        n_statements: int | None | Unset
        if isinstance(self.n_statements, Unset):
            n_statements = UNSET
        else:
            n_statements = self.n_statements

        n_rules: int | None | Unset
        if isinstance(self.n_rules, Unset):
            n_rules = UNSET
        else:
            n_rules = self.n_rules

        n_conditions: int | None | Unset
        if isinstance(self.n_conditions, Unset):
            n_conditions = UNSET
        else:
            n_conditions = self.n_conditions

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

        rules: list[dict[str, Any]] | None | Unset
        if isinstance(self.rules, Unset):
            rules = UNSET
        elif isinstance(self.rules, list):
            rules = []
            for rules_type_0_item_data in self.rules:
                rules_type_0_item = rules_type_0_item_data.to_dict()
                rules.append(rules_type_0_item)

        else:
            rules = self.rules

        default_prediction: float | None | str | Unset
        if isinstance(self.default_prediction, Unset):
            default_prediction = UNSET
        else:
            default_prediction = self.default_prediction

        default_scores: list[dict[str, Any]] | None | Unset
        if isinstance(self.default_scores, Unset):
            default_scores = UNSET
        elif isinstance(self.default_scores, list):
            default_scores = []
            for default_scores_type_0_item_data in self.default_scores:
                default_scores_type_0_item = default_scores_type_0_item_data.to_dict()
                default_scores.append(default_scores_type_0_item)

        else:
            default_scores = self.default_scores

        default_support: int | None | Unset
        if isinstance(self.default_support, Unset):
            default_support = UNSET
        else:
            default_support = self.default_support

        evaluation: dict[str, Any] | None | Unset
        if isinstance(self.evaluation, Unset):
            evaluation = UNSET
        elif isinstance(self.evaluation, RuleSetEvaluation):
            evaluation = self.evaluation.to_dict()
        else:
            evaluation = self.evaluation

        training_evaluation: dict[str, Any] | None | Unset
        if isinstance(self.training_evaluation, Unset):
            training_evaluation = UNSET
        elif isinstance(self.training_evaluation, RuleSetEvaluation):
            training_evaluation = self.training_evaluation.to_dict()
        else:
            training_evaluation = self.training_evaluation

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        restarts: list[dict[str, Any]] | None | Unset
        if isinstance(self.restarts, Unset):
            restarts = UNSET
        elif isinstance(self.restarts, list):
            restarts = []
            for restarts_type_0_item_data in self.restarts:
                restarts_type_0_item = restarts_type_0_item_data.to_dict()
                restarts.append(restarts_type_0_item)

        else:
            restarts = self.restarts

        lower_bound: list[float] | None | Unset
        if isinstance(self.lower_bound, Unset):
            lower_bound = UNSET
        elif isinstance(self.lower_bound, list):
            lower_bound = self.lower_bound

        else:
            lower_bound = self.lower_bound

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
        if search is not UNSET:
            field_dict["search"] = search
        if labels is not UNSET:
            field_dict["labels"] = labels
        if served is not UNSET:
            field_dict["served"] = served
        if n_rows is not UNSET:
            field_dict["n_rows"] = n_rows
        if n_trees is not UNSET:
            field_dict["n_trees"] = n_trees
        if n_statements is not UNSET:
            field_dict["n_statements"] = n_statements
        if n_rules is not UNSET:
            field_dict["n_rules"] = n_rules
        if n_conditions is not UNSET:
            field_dict["n_conditions"] = n_conditions
        if features is not UNSET:
            field_dict["features"] = features
        if rules is not UNSET:
            field_dict["rules"] = rules
        if default_prediction is not UNSET:
            field_dict["default_prediction"] = default_prediction
        if default_scores is not UNSET:
            field_dict["default_scores"] = default_scores
        if default_support is not UNSET:
            field_dict["default_support"] = default_support
        if evaluation is not UNSET:
            field_dict["evaluation"] = evaluation
        if training_evaluation is not UNSET:
            field_dict["training_evaluation"] = training_evaluation
        if caution is not UNSET:
            field_dict["caution"] = caution
        if restarts is not UNSET:
            field_dict["restarts"] = restarts
        if lower_bound is not UNSET:
            field_dict["lower_bound"] = lower_bound

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.restart import Restart  # noqa: PLC0415
        from ..models.rule import Rule  # noqa: PLC0415
        from ..models.rule_feature import RuleFeature  # noqa: PLC0415
        from ..models.rule_set_evaluation import RuleSetEvaluation  # noqa: PLC0415
        from ..models.rule_set_request import RuleSetRequest  # noqa: PLC0415
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        id = d.pop("id")

        status = d.pop("status")

        def _parse_job(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        job = _parse_job(d.pop("job"))

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        request = RuleSetRequest.from_dict(d.pop("request"))

        object_ = cast(Literal["rule_set"] | Unset, d.pop("object", UNSET))
        if object_ != "rule_set" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'rule_set', got '{object_}'")

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

        def _parse_search(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        search = _parse_search(d.pop("search", UNSET))

        def _parse_labels(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        labels = _parse_labels(d.pop("labels", UNSET))

        def _parse_served(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        served = _parse_served(d.pop("served", UNSET))

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

        def _parse_n_statements(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_statements = _parse_n_statements(d.pop("n_statements", UNSET))

        def _parse_n_rules(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_rules = _parse_n_rules(d.pop("n_rules", UNSET))

        def _parse_n_conditions(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        n_conditions = _parse_n_conditions(d.pop("n_conditions", UNSET))

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

        def _parse_rules(data: object) -> list[Rule] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                rules_type_0 = []
                _rules_type_0 = data
                for rules_type_0_item_data in _rules_type_0:
                    rules_type_0_item = Rule.from_dict(rules_type_0_item_data)

                    rules_type_0.append(rules_type_0_item)

                return rules_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Rule] | None | Unset, data)

        rules = _parse_rules(d.pop("rules", UNSET))

        def _parse_default_prediction(data: object) -> float | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | str | Unset, data)

        default_prediction = _parse_default_prediction(d.pop("default_prediction", UNSET))

        def _parse_default_scores(data: object) -> list[Score] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                default_scores_type_0 = []
                _default_scores_type_0 = data
                for default_scores_type_0_item_data in _default_scores_type_0:
                    default_scores_type_0_item = Score.from_dict(default_scores_type_0_item_data)

                    default_scores_type_0.append(default_scores_type_0_item)

                return default_scores_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Score] | None | Unset, data)

        default_scores = _parse_default_scores(d.pop("default_scores", UNSET))

        def _parse_default_support(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        default_support = _parse_default_support(d.pop("default_support", UNSET))

        def _parse_evaluation(data: object) -> None | RuleSetEvaluation | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                evaluation_type_0 = RuleSetEvaluation.from_dict(data)

                return evaluation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RuleSetEvaluation | Unset, data)

        evaluation = _parse_evaluation(d.pop("evaluation", UNSET))

        def _parse_training_evaluation(data: object) -> None | RuleSetEvaluation | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                training_evaluation_type_0 = RuleSetEvaluation.from_dict(data)

                return training_evaluation_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RuleSetEvaluation | Unset, data)

        training_evaluation = _parse_training_evaluation(d.pop("training_evaluation", UNSET))

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        def _parse_restarts(data: object) -> list[Restart] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                restarts_type_0 = []
                _restarts_type_0 = data
                for restarts_type_0_item_data in _restarts_type_0:
                    restarts_type_0_item = Restart.from_dict(restarts_type_0_item_data)

                    restarts_type_0.append(restarts_type_0_item)

                return restarts_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Restart] | None | Unset, data)

        restarts = _parse_restarts(d.pop("restarts", UNSET))

        def _parse_lower_bound(data: object) -> list[float] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                lower_bound_type_0 = cast(list[float], data)

                return lower_bound_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[float] | None | Unset, data)

        lower_bound = _parse_lower_bound(d.pop("lower_bound", UNSET))

        rule_set = cls(
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
            search=search,
            labels=labels,
            served=served,
            n_rows=n_rows,
            n_trees=n_trees,
            n_statements=n_statements,
            n_rules=n_rules,
            n_conditions=n_conditions,
            features=features,
            rules=rules,
            default_prediction=default_prediction,
            default_scores=default_scores,
            default_support=default_support,
            evaluation=evaluation,
            training_evaluation=training_evaluation,
            caution=caution,
            restarts=restarts,
            lower_bound=lower_bound,
        )

        return rule_set
