from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.approximation_path import ApproximationPath
    from ..models.contrast import Contrast
    from ..models.firing_rule import FiringRule
    from ..models.nearest_prototype import NearestPrototype
    from ..models.prediction import Prediction
    from ..models.problem import Problem
    from ..models.prototype_prediction import PrototypePrediction


T = TypeVar("T", bound="Explanation")


@_attrs_define(repr=False)
class Explanation(Record):
    """One prediction explained, or why it could not be.

    Attributes:
        row_id (str): Id of the row: the caller's, or its 0-based index as text.
        status (str): `error` if the row could not be explained; see `problem`.
        object_ (Literal['explanation'] | Unset): Type of this object. Default: 'explanation'.
        prediction (None | Prediction | Unset): What the model predicts; null with an error.
        nearest_prototypes (list[NearestPrototype] | None | Unset): The nearest prototypes by descending proximity,
            without those that share no leaf with the row; null with an error.
        prototype_prediction (None | PrototypePrediction | Unset): What the nearest prototype predicts; null with an
            error.
        contrast (Contrast | None | Unset): The nearest prototype of another class than the predicted one; null unless
            requested, for regression, or if no such prototype shares a leaf with the row.
        rules (list[FiringRule] | None | Unset): Rules that apply, in the order of the rule set: the first decides, and
            without any the default rule does. Null unless requested.
        approximation_path (ApproximationPath | None | Unset): Path of the row in the approximation tree; null unless
            requested.
        problem (None | Problem | Unset): Why the row could not be explained; null without error.
    """

    row_id: str
    status: str
    object_: Literal["explanation"] | Unset = "explanation"
    prediction: None | Prediction | Unset = UNSET
    nearest_prototypes: list[NearestPrototype] | None | Unset = UNSET
    prototype_prediction: None | PrototypePrediction | Unset = UNSET
    contrast: Contrast | None | Unset = UNSET
    rules: list[FiringRule] | None | Unset = UNSET
    approximation_path: ApproximationPath | None | Unset = UNSET
    problem: None | Problem | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.approximation_path import ApproximationPath  # noqa: PLC0415
        from ..models.contrast import Contrast  # noqa: PLC0415
        from ..models.prediction import Prediction  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.prototype_prediction import PrototypePrediction  # noqa: PLC0415

        row_id = self.row_id

        status = self.status

        object_ = self.object_

        prediction: dict[str, Any] | None | Unset
        if isinstance(self.prediction, Unset):
            prediction = UNSET
        elif isinstance(self.prediction, Prediction):
            prediction = self.prediction.to_dict()
        else:
            prediction = self.prediction

        nearest_prototypes: list[dict[str, Any]] | None | Unset
        if isinstance(self.nearest_prototypes, Unset):
            nearest_prototypes = UNSET
        elif isinstance(self.nearest_prototypes, list):
            nearest_prototypes = []
            for nearest_prototypes_type_0_item_data in self.nearest_prototypes:
                nearest_prototypes_type_0_item = nearest_prototypes_type_0_item_data.to_dict()
                nearest_prototypes.append(nearest_prototypes_type_0_item)

        else:
            nearest_prototypes = self.nearest_prototypes

        prototype_prediction: dict[str, Any] | None | Unset
        if isinstance(self.prototype_prediction, Unset):
            prototype_prediction = UNSET
        elif isinstance(self.prototype_prediction, PrototypePrediction):
            prototype_prediction = self.prototype_prediction.to_dict()
        else:
            prototype_prediction = self.prototype_prediction

        contrast: dict[str, Any] | None | Unset
        if isinstance(self.contrast, Unset):
            contrast = UNSET
        elif isinstance(self.contrast, Contrast):
            contrast = self.contrast.to_dict()
        else:
            contrast = self.contrast

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

        approximation_path: dict[str, Any] | None | Unset
        if isinstance(self.approximation_path, Unset):
            approximation_path = UNSET
        elif isinstance(self.approximation_path, ApproximationPath):
            approximation_path = self.approximation_path.to_dict()
        else:
            approximation_path = self.approximation_path

        problem: dict[str, Any] | None | Unset
        if isinstance(self.problem, Unset):
            problem = UNSET
        elif isinstance(self.problem, Problem):
            problem = self.problem.to_dict()
        else:
            problem = self.problem

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "row_id": row_id,
                "status": status,
            }
        )
        if object_ is not UNSET:
            field_dict["object"] = object_
        if prediction is not UNSET:
            field_dict["prediction"] = prediction
        if nearest_prototypes is not UNSET:
            field_dict["nearest_prototypes"] = nearest_prototypes
        if prototype_prediction is not UNSET:
            field_dict["prototype_prediction"] = prototype_prediction
        if contrast is not UNSET:
            field_dict["contrast"] = contrast
        if rules is not UNSET:
            field_dict["rules"] = rules
        if approximation_path is not UNSET:
            field_dict["approximation_path"] = approximation_path
        if problem is not UNSET:
            field_dict["problem"] = problem

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.approximation_path import ApproximationPath  # noqa: PLC0415
        from ..models.contrast import Contrast  # noqa: PLC0415
        from ..models.firing_rule import FiringRule  # noqa: PLC0415
        from ..models.nearest_prototype import NearestPrototype  # noqa: PLC0415
        from ..models.prediction import Prediction  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.prototype_prediction import PrototypePrediction  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        status = d.pop("status")

        object_ = cast(Literal["explanation"] | Unset, d.pop("object", UNSET))
        if object_ != "explanation" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'explanation', got '{object_}'")

        def _parse_prediction(data: object) -> None | Prediction | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                prediction_type_0 = Prediction.from_dict(data)

                return prediction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | Prediction | Unset, data)

        prediction = _parse_prediction(d.pop("prediction", UNSET))

        def _parse_nearest_prototypes(data: object) -> list[NearestPrototype] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                nearest_prototypes_type_0 = []
                _nearest_prototypes_type_0 = data
                for nearest_prototypes_type_0_item_data in _nearest_prototypes_type_0:
                    nearest_prototypes_type_0_item = NearestPrototype.from_dict(nearest_prototypes_type_0_item_data)

                    nearest_prototypes_type_0.append(nearest_prototypes_type_0_item)

                return nearest_prototypes_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[NearestPrototype] | None | Unset, data)

        nearest_prototypes = _parse_nearest_prototypes(d.pop("nearest_prototypes", UNSET))

        def _parse_prototype_prediction(data: object) -> None | PrototypePrediction | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                prototype_prediction_type_0 = PrototypePrediction.from_dict(data)

                return prototype_prediction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | PrototypePrediction | Unset, data)

        prototype_prediction = _parse_prototype_prediction(d.pop("prototype_prediction", UNSET))

        def _parse_contrast(data: object) -> Contrast | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                contrast_type_0 = Contrast.from_dict(data)

                return contrast_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(Contrast | None | Unset, data)

        contrast = _parse_contrast(d.pop("contrast", UNSET))

        def _parse_rules(data: object) -> list[FiringRule] | None | Unset:
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
                    rules_type_0_item = FiringRule.from_dict(rules_type_0_item_data)

                    rules_type_0.append(rules_type_0_item)

                return rules_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[FiringRule] | None | Unset, data)

        rules = _parse_rules(d.pop("rules", UNSET))

        def _parse_approximation_path(data: object) -> ApproximationPath | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                approximation_path_type_0 = ApproximationPath.from_dict(data)

                return approximation_path_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ApproximationPath | None | Unset, data)

        approximation_path = _parse_approximation_path(d.pop("approximation_path", UNSET))

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

        explanation = cls(
            row_id=row_id,
            status=status,
            object_=object_,
            prediction=prediction,
            nearest_prototypes=nearest_prototypes,
            prototype_prediction=prototype_prediction,
            contrast=contrast,
            rules=rules,
            approximation_path=approximation_path,
            problem=problem,
        )

        return explanation
