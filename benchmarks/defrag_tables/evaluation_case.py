"""A forest on one draw, and what approximates it, evaluated on the test rows: rules as they are printed, or regions."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.conditions import TrainingValues, rule_text
from tree_explainers.questions.statements import statements_of
from tree_explainers.rule_sets.regions import RegionModel
from tree_explainers.rule_sets.row_parts import RowParts
from tree_explainers.rule_sets.rule_lists import RuleList, first_firing, print_rules

from .datasets import Part, Realisation
from .forests import Forest, forest
from .records import Evaluated, Seconds, Who, error_of


@dataclass(frozen=True, slots=True)
class EvaluationCase:
    """A forest, and the rows that it is approximated by and evaluated on."""

    realisation: Realisation
    forest: Forest
    train: BinnedRows
    test: BinnedRows
    targets: Targets  # true ones, of the training rows, as in the paper
    forest_predictions: NDArray[Any]  # of the test rows

    @classmethod
    def of(cls, drawn: Realisation, **settings: int) -> "EvaluationCase":
        """Fit the forest, with other settings than usual where they are given, and bin the rows."""
        fitted = forest(drawn, **settings)
        statements = statements_of(fitted.read.ensemble, fitted.read.description)
        train, test = (BinnedRows.of(statements, drawn.rows(part)) for part in (drawn.train, drawn.test))
        return cls(drawn, fitted, train, test, _targets(drawn.train), fitted.predict(drawn.test))

    @property
    def labelled(self) -> RowParts:
        """The training rows with their targets."""
        return RowParts.here(self.train, self.targets)

    def evaluate(self, who: Who, predicted: NDArray[Any], n_rules: int | None = None) -> Evaluated:
        """Evaluate predictions for the test rows."""
        target = self.realisation.test.target
        return Evaluated(
            who, error_of(predicted, target), error_of(predicted, self.forest_predictions.astype(target.dtype)), n_rules
        )

    def evaluate_regions(self, who: Who, model: RegionModel) -> Evaluated:
        """Evaluate the two-step MAP."""
        return self.evaluate(who, model.predict(self.test), model.n_regions)

    def evaluate_rules(self, who: Who, rules: RuleList, seconds: Seconds | None = None) -> Evaluated:
        """Evaluate rules by their printed conditions on raw test rows; the default counts as a rule."""
        printed = print_rules(rules, self._training_values())
        fires = printed.fires(self.realisation.rows(self.realisation.test))
        evaluated = self.evaluate(who, rules.predictions[first_firing(fires)], rules.n_rules + 1)
        return replace(
            evaluated,
            rules_per_row=float(fires.sum(axis=1).mean()),
            conditions=tuple(len(rule) for rule in printed.rules),
            seconds=seconds,
        )

    def text_of(self, rules: RuleList) -> tuple[str, ...]:
        """Return the rules as they are printed, each with what it predicts."""
        printed = print_rules(rules, self._training_values()).rules
        texts = [*(rule_text(conditions) for conditions in printed), "otherwise"]
        return tuple(f"{text}: **{value:.2f}**" for text, value in zip(texts, rules.predictions, strict=True))

    def _training_values(self) -> TrainingValues:
        return TrainingValues(self.realisation.rows(self.realisation.train), self.train)


def _targets(part: Part) -> Targets:
    if part.target.dtype == np.float64:
        return Targets.of_values(part.target)
    return Targets.of_classes(part.target, int(part.target.max()) + 1)
