from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.against_target import AgainstTarget
    from ..models.constant_tree_scores import ConstantTreeScores


T = TypeVar("T", bound="ApproximationTreeEvaluation")


@_attrs_define(repr=False)
class ApproximationTreeEvaluation(Record):
    """How well the tree approximates the model, and predicts the target if there is one, on the rows of one dataset.

    Attributes:
        n_rows (int): Number of rows evaluated.
        evaluated_on (str): Rows that were used: those of the reference dataset, or of `evaluation_dataset`.
        fidelity (float | None): Share of rows with the label that the model predicts, 0 to 1; for regression R2 to the
            values that the model predicts, null where these are all alike.
        probability_l1 (float | None): Mean over the rows of the L1 distance between the scores of the tree and of the
            model, 0 to 2; null for regression.
        mean_questions (float): Mean over the rows of the number of splits from the root to their leaf.
        model (AgainstTarget | None): Scores of the model itself; null without a target.
        constant (ConstantTreeScores): The scores of constant predictions.
        accuracy (float | None | Unset): Share of rows with the right label, 0 to 1; null for regression or without a
            target.
        balanced_accuracy (float | None | Unset): Mean over the classes that have rows of their share of right labels, 0
            to 1; null for regression or without a target.
        mean_squared_error (float | None | Unset): Mean squared error in squared units of the target; null for
            classification or without a target.
        r2 (float | None | Unset): Coefficient of determination, at most 1; null for classification, without a target
            and where all values are alike.
        balanced_fidelity (float | None | Unset): Mean over the labels that the model predicts of the share of their
            rows with the same label, 0 to 1; null for regression.
    """

    n_rows: int
    evaluated_on: str
    fidelity: float | None
    probability_l1: float | None
    mean_questions: float
    model: AgainstTarget | None
    constant: ConstantTreeScores
    accuracy: float | None | Unset = UNSET
    balanced_accuracy: float | None | Unset = UNSET
    mean_squared_error: float | None | Unset = UNSET
    r2: float | None | Unset = UNSET
    balanced_fidelity: float | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.against_target import AgainstTarget  # noqa: PLC0415

        n_rows = self.n_rows

        evaluated_on = self.evaluated_on

        fidelity: float | None
        fidelity = self.fidelity

        probability_l1: float | None
        probability_l1 = self.probability_l1

        mean_questions = self.mean_questions

        model: dict[str, Any] | None
        if isinstance(self.model, AgainstTarget):
            model = self.model.to_dict()
        else:
            model = self.model

        constant = self.constant.to_dict()

        accuracy: float | None | Unset
        if isinstance(self.accuracy, Unset):
            accuracy = UNSET
        else:
            accuracy = self.accuracy

        balanced_accuracy: float | None | Unset
        if isinstance(self.balanced_accuracy, Unset):
            balanced_accuracy = UNSET
        else:
            balanced_accuracy = self.balanced_accuracy

        mean_squared_error: float | None | Unset
        if isinstance(self.mean_squared_error, Unset):
            mean_squared_error = UNSET
        else:
            mean_squared_error = self.mean_squared_error

        r2: float | None | Unset
        if isinstance(self.r2, Unset):
            r2 = UNSET
        else:
            r2 = self.r2

        balanced_fidelity: float | None | Unset
        if isinstance(self.balanced_fidelity, Unset):
            balanced_fidelity = UNSET
        else:
            balanced_fidelity = self.balanced_fidelity

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "evaluated_on": evaluated_on,
                "fidelity": fidelity,
                "probability_l1": probability_l1,
                "mean_questions": mean_questions,
                "model": model,
                "constant": constant,
            }
        )
        if accuracy is not UNSET:
            field_dict["accuracy"] = accuracy
        if balanced_accuracy is not UNSET:
            field_dict["balanced_accuracy"] = balanced_accuracy
        if mean_squared_error is not UNSET:
            field_dict["mean_squared_error"] = mean_squared_error
        if r2 is not UNSET:
            field_dict["r2"] = r2
        if balanced_fidelity is not UNSET:
            field_dict["balanced_fidelity"] = balanced_fidelity

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.against_target import AgainstTarget  # noqa: PLC0415
        from ..models.constant_tree_scores import ConstantTreeScores  # noqa: PLC0415

        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        evaluated_on = d.pop("evaluated_on")

        def _parse_fidelity(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        fidelity = _parse_fidelity(d.pop("fidelity"))

        def _parse_probability_l1(data: object) -> float | None:
            if data is None:
                return data
            return cast(float | None, data)

        probability_l1 = _parse_probability_l1(d.pop("probability_l1"))

        mean_questions = d.pop("mean_questions")

        def _parse_model(data: object) -> AgainstTarget | None:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                model_type_0 = AgainstTarget.from_dict(data)

                return model_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(AgainstTarget | None, data)

        model = _parse_model(d.pop("model"))

        constant = ConstantTreeScores.from_dict(d.pop("constant"))

        def _parse_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        accuracy = _parse_accuracy(d.pop("accuracy", UNSET))

        def _parse_balanced_accuracy(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_accuracy = _parse_balanced_accuracy(d.pop("balanced_accuracy", UNSET))

        def _parse_mean_squared_error(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        mean_squared_error = _parse_mean_squared_error(d.pop("mean_squared_error", UNSET))

        def _parse_r2(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        r2 = _parse_r2(d.pop("r2", UNSET))

        def _parse_balanced_fidelity(data: object) -> float | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(float | None | Unset, data)

        balanced_fidelity = _parse_balanced_fidelity(d.pop("balanced_fidelity", UNSET))

        approximation_tree_evaluation = cls(
            n_rows=n_rows,
            evaluated_on=evaluated_on,
            fidelity=fidelity,
            probability_l1=probability_l1,
            mean_questions=mean_questions,
            model=model,
            constant=constant,
            accuracy=accuracy,
            balanced_accuracy=balanced_accuracy,
            mean_squared_error=mean_squared_error,
            r2=r2,
            balanced_fidelity=balanced_fidelity,
        )

        return approximation_tree_evaluation
