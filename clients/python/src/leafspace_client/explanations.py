"""Explanations: single predictions explained by their nearest prototypes, ready to be read by people."""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypedDict, overload

from ._generated.models import (
    AbstainedRow,
    ApproximationPath,
    ClassPrediction,
    ComparedFeature,
    Contrast,
    ExplainedRow,
    FiringRule,
    NearestPrototype,
    NearestRow,
    NearestRowsOptions,
    Problem,
    PrototypePrediction,
    Provenance,
    Reason,
    RefusedRow,
    RowWarning,
    ValuePrediction,
)
from .errors import Answered, error_from_problem
from .frames import explanations_frame
from .records import Records
from .texts import describe_explanation

Include = Literal["values", "intervals", "contrast", "rules", "approximation_path", "nearest_rows"]
Detail = Literal["short", "full"]
_SHOWN_EXPLANATIONS = 10


class SearchedRows(TypedDict, total=False):
    """Which of the reference rows to list: those are the keys of ``nearest_rows``."""

    n_rows: int  # at most; default: 5
    classes: Sequence[str]  # only rows for which the model predicts one of these
    max_per_group: int  # from near to far, a row is passed over when its group has that many
    group_by: str  # column of the reference dataset with the groups; default: the predicted class
    row_ids: Sequence[str]  # only these rows


def parts_of(include: Sequence[Include], nearest_rows: SearchedRows | None) -> dict[str, Any]:
    """Return the fields of a request; who says which rows to list wants them."""
    if nearest_rows is None:
        return {"include": list(include)} if include else {}
    wanted = {key: value if isinstance(value, int | str) else list(value) for key, value in nearest_rows.items()}  # type: ignore[call-overload]
    return {
        "include": [*include, *([] if "nearest_rows" in include else ["nearest_rows"])],
        "nearest_rows": NearestRowsOptions.from_dict(wanted),
    }


class Explanation:
    """One prediction explained, or why it could not be; ``details`` has all fields that the service sends.

    Of a row that could not be explained, ``is_ok`` is false and ``problem`` says why; reading anything else raises that
    problem as an error. Labels are text, as in the whole API: ``"0"`` for 0, ``"true"`` for True; compare them with
    ``y.astype(str)``, or with ``numpy.where(y, "true", "false")`` where the labels are booleans.
    """

    def __init__(self, details: ExplainedRow | AbstainedRow | RefusedRow) -> None:
        self.details = details

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
        """Whether the row could be explained."""
        return self.status == "ok"

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
        """What the model predicts."""
        return self._explained.prediction

    @property
    def warnings(self) -> list[RowWarning]:
        """Reasons to read the explanation with care."""
        return Records(self._explained.warnings)

    @property
    def nearest_prototypes(self) -> list[NearestPrototype]:
        """The nearest prototypes, nearest first; none where the row shares no leaf with any."""
        return Records(self._explained.nearest_prototypes)

    @property
    def values(self) -> dict[str, float | str | bool | None]:
        """The row's values by feature, as far as explanations show them; empty where they were not requested."""
        return {each.feature: each.value for each in self.compared}

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
    def nearest_rows(self) -> list[NearestRow]:
        """The nearest of all reference rows, nearest first; none where they were not requested."""
        return Records(self._explained.nearest_rows or [])

    @property
    def rules(self) -> list[FiringRule]:
        """The rules that hold for the row, the first of which decides; none where they were not requested."""
        return Records(self._explained.rules or [])

    @property
    def approximation_path(self) -> ApproximationPath | None:
        """The row's path in the approximation tree, where it was requested."""
        return self._explained.approximation_path or None

    @property
    def reasons(self) -> list[Reason]:
        """Why the nearest prototype is near."""
        return Records(self.nearest_prototypes[0].reasons if self.nearest_prototypes else [])

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

    @property
    def _explained(self) -> ExplainedRow | AbstainedRow:
        if isinstance(self.details, RefusedRow):
            problem = self.details.problem
            raise error_from_problem(problem.to_dict(), Answered(status=problem.status))
        return self.details


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

        Its columns are the prediction and its score, the prototype, its proximity and the reasons, as text; then, where
        ``values`` were included, for each feature the row's value and the prototype's (``"age"``, ``"prototype age"``).
        """
        return explanations_frame(self._explanations)
