"""Explanations: single predictions explained by their nearest prototypes, ready to be read by people."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

from ._generated.models import (
    ApproximationPath,
    Contrast,
    FiringRule,
    NearestPrototype,
    Prediction,
    Problem,
    PrototypePrediction,
    Provenance,
    Reason,
)
from ._generated.models import Explanation as Details
from .errors import Answered, LeafspaceError, error_from_problem
from .frames import explanations_frame
from .records import Records
from .texts import describe_explanation

_SHOWN_EXPLANATIONS = 10


class Explanation:
    """One prediction explained, or why it could not be; ``details`` has all fields that the service sends.

    Of a row that could not be explained, ``is_ok`` is false and ``problem`` says why; reading anything else raises that
    problem as an error. Labels are text, as in the whole API: ``"0"`` for 0, ``"true"`` for True; compare them with
    ``y.astype(str)``, or with ``numpy.where(y, "true", "false")`` where the labels are booleans.
    """

    def __init__(self, details: Details) -> None:
        self.details = details

    @property
    def row_id(self) -> str:
        """The name of the row."""
        return self.details.row_id

    @property
    def status(self) -> str:
        """``ok`` or ``error``."""
        return self.details.status

    @property
    def is_ok(self) -> bool:
        """Whether the row could be explained."""
        return self.status == "ok"

    @property
    def problem(self) -> Problem | None:
        """Why the row could not be explained."""
        found = self.details.problem
        return found if isinstance(found, Problem) else None

    @property
    def prediction(self) -> Prediction:
        """What the model predicts."""
        found = self.details.prediction
        if not isinstance(found, Prediction):
            raise self._error()
        return found

    @property
    def nearest_prototypes(self) -> list[NearestPrototype]:
        """The nearest prototypes, nearest first; none where the row shares no leaf with any."""
        found = self.details.nearest_prototypes
        if not isinstance(found, list):
            raise self._error()
        return Records(found)

    @property
    def features(self) -> dict[str, float | str | bool | None]:
        """The row's values by feature, as far as explanations show them; empty where no prototype is near."""
        nearest = self.nearest_prototypes[:1]
        return {cell.name: cell.instance_value for prototype in nearest for cell in prototype.features}

    @property
    def prototype_prediction(self) -> PrototypePrediction:
        """What the nearest prototype predicts."""
        found = self.details.prototype_prediction
        if not isinstance(found, PrototypePrediction):
            raise self._error()
        return found

    @property
    def contrast(self) -> Contrast | None:
        """The nearest prototype of another class, where it was requested and there is one."""
        found = self.details.contrast
        return found if isinstance(found, Contrast) else None

    @property
    def rules(self) -> list[FiringRule]:
        """The rules that hold for the row, the first of which decides; none where they were not requested."""
        found = self.details.rules
        return found if isinstance(found, list) else []

    @property
    def approximation_path(self) -> ApproximationPath | None:
        """The row's path in the approximation tree, where it was requested."""
        found = self.details.approximation_path
        return found if isinstance(found, ApproximationPath) else None

    @property
    def similar_because(self) -> list[Reason]:
        """Why the nearest prototype is near."""
        return Records(self.nearest_prototypes[0].similar_because if self.nearest_prototypes else [])

    def to_dict(self) -> dict[str, Any]:
        """Return what the service sent."""
        return self.details.to_dict()

    def to_frame(self) -> Any:  # noqa: ANN401  # a DataFrame
        """Return a DataFrame with a row for each near prototype; columns as in ``Explanations.to_frame``."""
        return explanations_frame([self])

    def __str__(self) -> str:
        return describe_explanation(self)

    def __repr__(self) -> str:
        return f"<Explanation of row {self.row_id}: {self.status}>"

    def _error(self) -> LeafspaceError:
        problem = self.problem
        if problem is None:
            return LeafspaceError("unexpected_answer", f"row {self.row_id!r} came without an explanation")
        return error_from_problem(problem.to_dict(), Answered(status=problem.status))


class Explanations(Sequence[Explanation]):
    """Explanations in the order of the rows; ``provenance`` names what made them (``None`` without rows)."""

    def __init__(self, explanations: Sequence[Explanation], provenance: Provenance | None) -> None:
        self._explanations = list(explanations)
        self.provenance = provenance

    @overload
    def __getitem__(self, index: int) -> Explanation: ...
    @overload
    def __getitem__(self, index: slice) -> "Explanations": ...
    def __getitem__(self, index: int | slice) -> "Explanation | Explanations":
        if isinstance(index, slice):
            return Explanations(self._explanations[index], self.provenance)
        return self._explanations[index]

    def __len__(self) -> int:
        return len(self._explanations)

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self._explanations)

    def __str__(self) -> str:
        shown = [str(explanation) for explanation in self._explanations[:_SHOWN_EXPLANATIONS]]
        rest = len(self) - len(shown)
        return "\n\n".join([*shown, *([f"… and {rest:,} more"] if rest else [])])

    def __repr__(self) -> str:
        return f"<{len(self)} explanations>"

    def to_frame(self) -> Any:  # noqa: ANN401  # a DataFrame
        """Return a DataFrame with a row for each explained row and near prototype; needs pandas.

        Its columns are the prediction and its score, the prototype, its proximity and the reasons, as text; then for
        each feature that explanations show the row's value and the prototype's (``"age"``, ``"prototype age"``).
        """
        return explanations_frame(self._explanations)
