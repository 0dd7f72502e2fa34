from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.region import Region
    from ..models.restart import Restart
    from ..models.rule import Rule
    from ..models.rule_feature import RuleFeature
    from ..models.rule_set_evaluation import RuleSetEvaluation
    from ..models.score import Score


T = TypeVar("T", bound="RuleSetResult")


@_attrs_define(repr=False)
class RuleSetResult(Record):
    """The result of a rule set's job.

    Attributes:
        task (str): What the model predicts.
        classes (list[str]): Classes in the order of the model's scores; empty for regression.
        method (str): How rules were found.
        labels (str): Source of the rows' classes or values: the model's predictions (`predicted`) or the dataset's
            target column (`target`).
        n_rows (int): Number of rows of the dataset.
        n_trees (int): Number of trees of the model; 0 of an oracle.
        n_statements (int): Number of different splits of the model's trees (L in the paper).
        n_rules (int): Number of rules, without the default rule.
        n_conditions (int): Number of conditions of all rules together.
        features (list[RuleFeature]): Features that conditions refer to, in the model's order.
        rules (list[Rule]): The rules in the order in which they are applied.
        default_prediction (float | str): A number or a text, such as a predicted value or label.
        default_scores (list[Score]): Shares of the classes among these rows, in the order of the classes; empty for
            regression.
        default_support (int): Number of the dataset's rows that satisfy no rule.
        evaluation (RuleSetEvaluation): How well rules predict the rows of one dataset.
        training_evaluation (RuleSetEvaluation): How well rules predict the rows of one dataset.
        restarts (list[Restart]): The fits of regions in their order; empty where there are none.
        lower_bounds (list[float]): Lower bound of the log-likelihood after each iteration of the chosen fit; it never
            falls. Empty where there is none.
        boxes (None | str | Unset): How boxes of regions were printed; null for methods but `fab` and `em`.
        combination (str | Unset): What rules make of a row. `first`: the first rule that it satisfies decides, else the
            default; `weighted_mean`: the mean of all rules that it satisfies, by their weights: of their predictions, or of
            their shares of the second class, which is predicted where the mean is over 0.5. Some rule has no conditions.
            Default: 'first'.
        caution (None | str | Unset): Warning, in words, that the scores in `evaluation` may be too good: they were
            measured on the rows from which the result was made, and the model reproduces at least 99 % of their targets
            (regression: R2 of at least 0.95), as a model does that has memorised them. Null where no such reason is known.
        regions (list[Region] | Unset): The regions that `fab` or `em` fitted, with their parameters; empty for others.
            For each statement the table of parameters says which share of each region it is true for, and the table of rows
            which region each row most probably belongs to.
        omega (float | None | Unset): The cost of a region that was used; null for methods but `fab`.
    """

    task: str
    classes: list[str]
    method: str
    labels: str
    n_rows: int
    n_trees: int
    n_statements: int
    n_rules: int
    n_conditions: int
    features: list[RuleFeature]
    rules: list[Rule]
    default_prediction: float | str
    default_scores: list[Score]
    default_support: int
    evaluation: RuleSetEvaluation
    training_evaluation: RuleSetEvaluation
    restarts: list[Restart]
    lower_bounds: list[float]
    boxes: None | str | Unset = UNSET
    combination: str | Unset = "first"
    caution: None | str | Unset = UNSET
    regions: list[Region] | Unset = UNSET
    omega: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        task = self.task

        classes = self.classes

        method = self.method

        labels = self.labels

        n_rows = self.n_rows

        n_trees = self.n_trees

        n_statements = self.n_statements

        n_rules = self.n_rules

        n_conditions = self.n_conditions

        features = []
        for features_item_data in self.features:
            features_item = features_item_data.to_dict()
            features.append(features_item)

        rules = []
        for rules_item_data in self.rules:
            rules_item = rules_item_data.to_dict()
            rules.append(rules_item)

        default_prediction: float | str
        default_prediction = self.default_prediction

        default_scores = []
        for default_scores_item_data in self.default_scores:
            default_scores_item = default_scores_item_data.to_dict()
            default_scores.append(default_scores_item)

        default_support = self.default_support

        evaluation = self.evaluation.to_dict()

        training_evaluation = self.training_evaluation.to_dict()

        restarts = []
        for restarts_item_data in self.restarts:
            restarts_item = restarts_item_data.to_dict()
            restarts.append(restarts_item)

        lower_bounds = self.lower_bounds

        boxes: None | str | Unset
        if isinstance(self.boxes, Unset):
            boxes = UNSET
        else:
            boxes = self.boxes

        combination = self.combination

        caution: None | str | Unset
        if isinstance(self.caution, Unset):
            caution = UNSET
        else:
            caution = self.caution

        regions: list[dict[str, Any]] | Unset = UNSET
        if not isinstance(self.regions, Unset):
            regions = []
            for regions_item_data in self.regions:
                regions_item = regions_item_data.to_dict()
                regions.append(regions_item)

        omega: float | None | Unset
        if isinstance(self.omega, Unset):
            omega = UNSET
        else:
            omega = self.omega

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "task": task,
                "classes": classes,
                "method": method,
                "labels": labels,
                "n_rows": n_rows,
                "n_trees": n_trees,
                "n_statements": n_statements,
                "n_rules": n_rules,
                "n_conditions": n_conditions,
                "features": features,
                "rules": rules,
                "default_prediction": default_prediction,
                "default_scores": default_scores,
                "default_support": default_support,
                "evaluation": evaluation,
                "training_evaluation": training_evaluation,
                "restarts": restarts,
                "lower_bounds": lower_bounds,
            }
        )
        if boxes is not UNSET:
            field_dict["boxes"] = boxes
        if combination is not UNSET:
            field_dict["combination"] = combination
        if caution is not UNSET:
            field_dict["caution"] = caution
        if regions is not UNSET:
            field_dict["regions"] = regions
        if omega is not UNSET:
            field_dict["omega"] = omega

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.region import Region  # noqa: PLC0415
        from ..models.restart import Restart  # noqa: PLC0415
        from ..models.rule import Rule  # noqa: PLC0415
        from ..models.rule_feature import RuleFeature  # noqa: PLC0415
        from ..models.rule_set_evaluation import RuleSetEvaluation  # noqa: PLC0415
        from ..models.score import Score  # noqa: PLC0415

        d = dict(src_dict)
        task = d.pop("task")

        classes = cast(list[str], d.pop("classes"))

        method = d.pop("method")

        labels = d.pop("labels")

        n_rows = d.pop("n_rows")

        n_trees = d.pop("n_trees")

        n_statements = d.pop("n_statements")

        n_rules = d.pop("n_rules")

        n_conditions = d.pop("n_conditions")

        features = []
        _features = d.pop("features")
        for features_item_data in _features:
            features_item = RuleFeature.from_dict(features_item_data)

            features.append(features_item)

        rules = []
        _rules = d.pop("rules")
        for rules_item_data in _rules:
            rules_item = Rule.from_dict(rules_item_data)

            rules.append(rules_item)

        def _parse_default_prediction(data: object) -> float | str:
            return cast(float | str, data)

        default_prediction = _parse_default_prediction(d.pop("default_prediction"))

        default_scores = []
        _default_scores = d.pop("default_scores")
        for default_scores_item_data in _default_scores:
            default_scores_item = Score.from_dict(default_scores_item_data)

            default_scores.append(default_scores_item)

        default_support = d.pop("default_support")

        evaluation = RuleSetEvaluation.from_dict(d.pop("evaluation"))

        training_evaluation = RuleSetEvaluation.from_dict(d.pop("training_evaluation"))

        restarts = []
        _restarts = d.pop("restarts")
        for restarts_item_data in _restarts:
            restarts_item = Restart.from_dict(restarts_item_data)

            restarts.append(restarts_item)

        lower_bounds = cast(list[float], d.pop("lower_bounds"))

        def _parse_boxes(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        boxes = _parse_boxes(d.pop("boxes", UNSET))

        combination = d.pop("combination", UNSET)

        def _parse_caution(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        caution = _parse_caution(d.pop("caution", UNSET))

        _regions = d.pop("regions", UNSET)
        regions: list[Region] | Unset = UNSET
        if _regions is not UNSET:
            regions = []
            for regions_item_data in _regions:
                regions_item = Region.from_dict(regions_item_data)

                regions.append(regions_item)

        def _parse_omega(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        omega = _parse_omega(d.pop("omega", UNSET))

        rule_set_result = cls(
            task=task,
            classes=classes,
            method=method,
            labels=labels,
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
            restarts=restarts,
            lower_bounds=lower_bounds,
            boxes=boxes,
            combination=combination,
            caution=caution,
            regions=regions,
            omega=omega,
        )

        return rule_set_result
