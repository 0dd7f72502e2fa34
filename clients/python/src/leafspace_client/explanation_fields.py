"""The fields of an explanation, with labels in the caller's own type."""

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .arguments import checked
from .errors import Answered, error_from_problem
from .labels import Label, with_labels
from .records import Records
from .rows import Cell, received
from .suggestions import did_you_mean
from .types import (
    AbstainedRow,
    ApproximationPath,
    Changes,
    ClassPrediction,
    ComparedFeature,
    Contrast,
    Curve,
    Decided,
    Effects,
    Evidence,
    ExplainedRow,
    FiringRule,
    NearestPrototype,
    NearestRow,
    PrincipalReason,
    Problem,
    PrototypePrediction,
    Reason,
    RefusedRow,
    RowWarning,
    TrainingRows,
    Typicality,
    Unset,
    ValuePrediction,
)


class ExplanationFields:
    """What the service says about one row.

    Parameters
    ----------
    details, labels
        As in ``Explanation``.
    """

    def __init__(
        self, details: ExplainedRow | AbstainedRow | RefusedRow, labels: Mapping[str, Label] | None = None
    ) -> None:
        self.details = details
        self._labels = labels or {}

    @property
    def row_id(self) -> str:
        """The name of the row."""
        return self.details.row_id

    @property
    def status(self) -> str:
        """``ok``, ``abstained`` or ``error``."""
        return self.details.status

    @property
    def is_ok(self) -> bool:
        """Whether there is a prediction: also where the explainer abstained, which is no error."""
        return not isinstance(self.details, RefusedRow)

    @property
    def has_abstained(self) -> bool:
        """Whether the row is less typical than the explainer demands of rows that it explains."""
        return isinstance(self.details, AbstainedRow)

    @property
    def problem(self) -> Problem | None:
        """Why the row could not be explained."""
        return self.details.problem if isinstance(self.details, RefusedRow) else None

    @property
    def summary(self) -> str:
        """The explanation in a sentence or two."""
        return self._explained.summary

    @property
    def prediction(self) -> ClassPrediction | ValuePrediction:
        """What the model predicts, by ``task``."""
        return self._explained.prediction

    @property
    def label(self) -> Label | None:
        """The predicted class; ``None`` for regression."""
        prediction = self.prediction
        return prediction.label if isinstance(prediction, ClassPrediction) else None

    @property
    def value(self) -> float | None:
        """The predicted value; ``None`` for classification."""
        prediction = self.prediction
        return prediction.value if isinstance(prediction, ValuePrediction) else None

    @property
    def scores(self) -> dict[Label, float]:
        """The score of each class, in the order of the classes; empty for regression."""
        prediction = self.prediction
        scores = prediction.scores if isinstance(prediction, ClassPrediction) else []
        return {score.label: score.value for score in scores}

    @property
    def decision(self) -> Decided | None:
        """What was decided, by which score, and its bands; ``None`` for a regression without a decision."""
        return self._explained.decision or None

    @property
    def effects(self) -> Effects | None:
        """By how much each feature moves the score from that of a reference case, the largest effects first.

        ``None`` where all prototypes are of the row's class, and where the model's scores are no sums over its trees.
        """
        return self._explained.effects or None

    @checked
    def reasons(self) -> list[PrincipalReason]:
        """Return the principal reasons for an adverse outcome, at most four, those that count most first.

        They are the features, or groups of them, that move the score most from the reference case towards the outcome,
        in the words of the dataset's dictionary; none moves it by less than a twentieth of what the first of all does.
        Empty where the outcome is not declared adverse, by the model's decision or by the dictionary, and where the
        explanation has no effects.
        """
        effects = self.effects
        return Records([] if effects is None else effects.principal_reasons or [])

    @property
    def target(self) -> Label | None:
        """The row's class or value in the dataset; ``None`` where the row was sent, or where that is not known."""
        target = self._explained.target
        return None if isinstance(target, Unset) else target

    @property
    def typicality(self) -> Typicality | None:
        """How near the row is to its nearest prototype, among other rows; ``None`` where that was not measured."""
        return self._explained.typicality or None

    @property
    def warnings(self) -> list[RowWarning]:
        """Reasons to read the explanation with care."""
        return Records(self._explained.warnings)

    @property
    def nearest_prototypes(self) -> list[NearestPrototype]:
        """The nearest prototypes, nearest first; none where the row shares no leaf with any."""
        return Records(self._explained.nearest_prototypes)

    @property
    def values(self) -> dict[str, Cell]:
        """The row's values by feature, as far as explanations show them; empty where they were not requested."""
        return {each.feature: received(each.value) for each in self.compared}

    @property
    def compared(self) -> list[ComparedFeature]:
        """The same beside the values of the nearest prototypes, feature by feature."""
        return Records(self._explained.values or [])

    @property
    def prototype_prediction(self) -> PrototypePrediction | None:
        """What the nearest prototype predicts, where all details were requested and there is one."""
        return self._explained.prototype_prediction or None

    @property
    def contrasts(self) -> list[Contrast]:
        """The nearest prototypes of other classes; none where they were not requested."""
        return Records(self._explained.contrasts or [])

    @property
    def changes(self) -> Changes | None:
        """The smallest changes that would give the row another outcome, where they were requested and it needs any."""
        return self._explained.changes or None

    @property
    def curves(self) -> list[Curve]:
        """How the score changes with each feature, all else as it is; none where they were not requested."""
        return Records(self._explained.curves or [])

    @property
    def evidence(self) -> Evidence | None:
        """The true classes of the reference rows most like the row, where they were requested."""
        return self._explained.evidence or None

    @property
    def training_rows(self) -> TrainingRows | None:
        """The training rows that the prediction is made of, by their shares or weights, where they were requested."""
        return self._explained.training_rows or None

    @property
    def nearest_rows(self) -> list[NearestRow]:
        """The nearest of all reference rows, nearest first; none where they were not requested."""
        return Records(self._explained.nearest_rows or [])

    @property
    def rules(self) -> list[FiringRule]:
        """Rules that hold: the first decides, or all by their weights; none where they were not requested."""
        return Records(self._explained.rules or [])

    @property
    def approximation_path(self) -> ApproximationPath | None:
        """The row's path in the approximation tree, where it was requested."""
        return self._explained.approximation_path or None

    @property
    def proximity_reasons(self) -> list[Reason]:
        """Why the nearest prototype is near."""
        return Records(self.nearest_prototypes[0].reasons if self.nearest_prototypes else [])

    def __getitem__(self, name: str) -> Any:  # of each part its own
        """Return a part by its name in the API, such as ``explanation["prediction"]``."""
        if isinstance(getattr(type(self), str(name), None), property) or name in ExplainedRow.__defaults__:
            return getattr(self, name)
        raise KeyError(name)

    if not TYPE_CHECKING:  # otherwise no misspelt name were noticed

        def __getattr__(self, name: str) -> Any:  # of each field its own
            """Return a field that has no property here, as the service sent it; ``None`` where it is absent."""
            if name.startswith("_") or name not in ExplainedRow.__defaults__:
                names = () if name.startswith("_") else {*ExplainedRow.__defaults__, *dir(type(self))}
                near = did_you_mean(name, names)
                message = f"{type(self).__name__!r} object has no attribute {name!r}{near}"
                raise AttributeError(message, name=name, obj=self)
            return getattr(self._explained, name) or None

    @cached_property
    def _explained(self) -> ExplainedRow | AbstainedRow:
        """What the service sent, with the caller's labels."""
        if isinstance(self.details, RefusedRow):
            problem = self.details.problem
            raise error_from_problem(problem.to_dict(), Answered(status=problem.status))
        return with_labels(self.details, self._labels)
