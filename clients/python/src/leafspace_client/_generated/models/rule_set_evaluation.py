from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define

from ...records import Record
from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.constant_rule_scores import ConstantRuleScores
    from ..models.rule_scores import RuleScores


T = TypeVar("T", bound="RuleSetEvaluation")


@_attrs_define(repr=False)
class RuleSetEvaluation(Record):
    """How well rules predict the rows of one dataset.

    Attributes:
        n_rows (int): Number of rows evaluated.
        evaluated_on (str): Rows that were used: those of the reference dataset, or of `evaluation_dataset`.
        measured_against (str): Reference of accuracies and errors: the dataset's target, or the model where it has
            none.
        as_printed (RuleScores): How well predictions match the target or the model.
        model (None | RuleScores): Scores of the model itself; null without a target.
        constant (ConstantRuleScores): The scores of constant predictions.
        coverage (float): Share of rows that some rule covers; the others get the default prediction.
        mean_rules_per_row (float): Mean over the rows of the number of rules that they satisfy.
        as_fitted (None | RuleScores | Unset): Scores of the two-step MAP prediction of the fitted regions, which the
            paper evaluates; null for other methods than `fab` and `em`, which predict by their rules alone.
    """

    n_rows: int
    evaluated_on: str
    measured_against: str
    as_printed: RuleScores
    model: None | RuleScores
    constant: ConstantRuleScores
    coverage: float
    mean_rules_per_row: float
    as_fitted: None | RuleScores | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        from ..models.rule_scores import RuleScores  # noqa: PLC0415

        n_rows = self.n_rows

        evaluated_on = self.evaluated_on

        measured_against = self.measured_against

        as_printed = self.as_printed.to_dict()

        model: dict[str, Any] | None
        if isinstance(self.model, RuleScores):
            model = self.model.to_dict()
        else:
            model = self.model

        constant = self.constant.to_dict()

        coverage = self.coverage

        mean_rules_per_row = self.mean_rules_per_row

        as_fitted: dict[str, Any] | None | Unset
        if isinstance(self.as_fitted, Unset):
            as_fitted = UNSET
        elif isinstance(self.as_fitted, RuleScores):
            as_fitted = self.as_fitted.to_dict()
        else:
            as_fitted = self.as_fitted

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "n_rows": n_rows,
                "evaluated_on": evaluated_on,
                "measured_against": measured_against,
                "as_printed": as_printed,
                "model": model,
                "constant": constant,
                "coverage": coverage,
                "mean_rules_per_row": mean_rules_per_row,
            }
        )
        if as_fitted is not UNSET:
            field_dict["as_fitted"] = as_fitted

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.constant_rule_scores import ConstantRuleScores  # noqa: PLC0415
        from ..models.rule_scores import RuleScores  # noqa: PLC0415

        d = dict(src_dict)
        n_rows = d.pop("n_rows")

        evaluated_on = d.pop("evaluated_on")

        measured_against = d.pop("measured_against")

        as_printed = RuleScores.from_dict(d.pop("as_printed"))

        def _parse_model(data: object) -> None | RuleScores:
            if data is None:
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                model_type_0 = RuleScores.from_dict(data)

                return model_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RuleScores, data)

        model = _parse_model(d.pop("model"))

        constant = ConstantRuleScores.from_dict(d.pop("constant"))

        coverage = d.pop("coverage")

        mean_rules_per_row = d.pop("mean_rules_per_row")

        def _parse_as_fitted(data: object) -> None | RuleScores | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, dict):
                    raise TypeError()
                as_fitted_type_0 = RuleScores.from_dict(data)

                return as_fitted_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(None | RuleScores | Unset, data)

        as_fitted = _parse_as_fitted(d.pop("as_fitted", UNSET))

        rule_set_evaluation = cls(
            n_rows=n_rows,
            evaluated_on=evaluated_on,
            measured_against=measured_against,
            as_printed=as_printed,
            model=model,
            constant=constant,
            coverage=coverage,
            mean_rules_per_row=mean_rules_per_row,
            as_fitted=as_fitted,
        )

        return rule_set_evaluation
