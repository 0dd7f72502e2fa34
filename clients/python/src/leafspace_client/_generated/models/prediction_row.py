from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.class_prediction import ClassPrediction
    from ..models.problem import Problem
    from ..models.value_prediction import ValuePrediction


T = TypeVar("T", bound="PredictionRow")


@_attrs_define(repr=False)
class PredictionRow(Record):
    """The prediction for one instance, or why there is none.

    Attributes:
        row_id (str): Id of the row: the caller's or, without one, the default of the request's `row_ids`.
        status (str): `error` if the row could not be predicted; see `problem`.
        object_ (Literal['prediction'] | Unset): Type of this object. Default: 'prediction'.
        prediction (ClassPrediction | None | Unset | ValuePrediction): What the model predicts; null with an error.
        leaves (list[int] | None | Unset): 0-based number of the row's leaf in each tree; null unless requested by
            `include`.
        problem (None | Problem | Unset): Why the row could not be predicted; null without error.
    """

    row_id: str
    status: str
    object_: Literal["prediction"] | Unset = "prediction"
    prediction: ClassPrediction | None | Unset | ValuePrediction = UNSET
    leaves: list[int] | None | Unset = UNSET
    problem: None | Problem | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.class_prediction import ClassPrediction  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.value_prediction import ValuePrediction  # noqa: PLC0415

        row_id = self.row_id

        status = self.status

        object_ = self.object_

        prediction: dict[str, Any] | None | Unset
        if isinstance(self.prediction, Unset):
            prediction = UNSET
        elif isinstance(self.prediction, ClassPrediction):
            prediction = self.prediction.to_dict()
        elif isinstance(self.prediction, ValuePrediction):
            prediction = self.prediction.to_dict()
        else:
            prediction = self.prediction

        leaves: list[int] | None | Unset
        if isinstance(self.leaves, Unset):
            leaves = UNSET
        elif isinstance(self.leaves, list):
            leaves = self.leaves

        else:
            leaves = self.leaves

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
        if leaves is not UNSET:
            field_dict["leaves"] = leaves
        if problem is not UNSET:
            field_dict["problem"] = problem

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.class_prediction import ClassPrediction  # noqa: PLC0415
        from ..models.problem import Problem  # noqa: PLC0415
        from ..models.value_prediction import ValuePrediction  # noqa: PLC0415

        d = dict(src_dict)
        row_id = d.pop("row_id")

        status = d.pop("status")

        object_ = cast(Literal["prediction"] | Unset, d.pop("object", UNSET))
        if object_ != "prediction" and not isinstance(object_, Unset):
            raise ValueError(f"object must match const 'prediction', got '{object_}'")

        def _parse_prediction(data: object) -> ClassPrediction | None | Unset | ValuePrediction:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict) or data.get("task") != "classification":
                    raise TypeError()
                componentsschemas_prediction_type_0 = ClassPrediction.from_dict(data)

                return componentsschemas_prediction_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            try:
                if not isinstance(data, dict) or data.get("task") != "regression":
                    raise TypeError()
                componentsschemas_prediction_type_1 = ValuePrediction.from_dict(data)

                return componentsschemas_prediction_type_1
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(ClassPrediction | None | Unset | ValuePrediction, data)

        prediction = _parse_prediction(d.pop("prediction", UNSET))

        def _parse_leaves(data: object) -> list[int] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                leaves_type_0 = cast(list[int], data)

                return leaves_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[int] | None | Unset, data)

        leaves = _parse_leaves(d.pop("leaves", UNSET))

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

        prediction_row = cls(
            row_id=row_id,
            status=status,
            object_=object_,
            prediction=prediction,
            leaves=leaves,
            problem=problem,
        )

        return prediction_row
