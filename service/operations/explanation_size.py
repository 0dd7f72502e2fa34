"""ExplanationSize: how much explanations compare and show, counted once for their limit and for their cost."""

from dataclasses import dataclass

from explanations.changes import search_seconds
from explanations.included_parts import n_rows_listed, n_steps_listed, n_values_shown
from explanations.warm_explainer import WarmExplainer
from schemas.explanations import ExplanationRequest
from schemas.models import MAX_INSTANCES
from storage.errors import StorageError

# Of an explanation beside what it lists, of a contrast, a reference row, a reason, one with its interval, a value.
_SECONDS_PER_ROW, _SECONDS_PER_CONTRAST, _SECONDS_PER_LISTED = 3e-4, 2e-4, 5e-5
_CHANGES_BYTES, _STEP_BYTES, _SHARE_BYTES, _TRAINING_ROWS_BYTES = 3000, 45, 150, 1500
_SECONDS_PER_REASON, _SECONDS_PER_INTERVAL, _SECONDS_PER_VALUE = 2e-6, 1e-5, 5e-7
_ROW_BYTES, _ENTRY_BYTES, _REASON_BYTES, _VALUE_BYTES = 2048, 450, 140, 60  # of JSON
_EFFECTS_BYTES, _EFFECT_BYTES = 400, 180  # of effects beside what they list, of one of these
SCORE_BYTES = 100
"""Bytes of a class's score as JSON."""
_WHICH_ROWS = "send either `instances`, or `dataset` with the `row_ids` of those of its rows that are to be explained"


@dataclass(frozen=True, slots=True)
class ExplanationSize:
    """The most that explanations of rows may have, counted from the request and the explainer alone."""

    n_rows: int
    n_classes: int
    n_contrasts: int
    """Prototypes of other classes that an explanation lists."""
    n_listed: int
    """Rows among all reference rows that an explanation lists."""
    n_compared: int
    """Prototypes and reference rows that an explanation compares its row with."""
    n_shown: int
    """Reasons or values of each of these."""
    n_reasons: int
    n_effects: int
    """Features whose effects are listed."""
    n_values: int
    has_intervals: bool
    has_evidence: bool
    has_training_rows: bool
    n_steps: int
    """Steps of curves that an explanation lists."""
    change_seconds: float
    """Of a row, to search what would change it."""

    @classmethod
    def of(cls, warm: WarmExplainer, request: ExplanationRequest) -> "ExplanationSize":
        """Count what is requested; refuse a request that does not say which rows are to be explained."""
        n_features, is_full = len(warm.shown), request.detail == "full"
        n_contrasts = 0
        if is_full or "contrast" in request.include:
            n_contrasts = min(request.n_contrasts, max(0, len(warm.model.classes) - 1))
        n_listed = 0 if warm.reference is None else n_rows_listed(request)
        n_compared = min(request.n_prototypes, len(warm.prototypes)) + n_contrasts + n_listed
        n_reasons = n_features if is_full or request.n_reasons == "all" else min(request.n_reasons, n_features)
        return cls(
            n_rows=_n_rows(request),
            n_classes=len(warm.model.classes),
            n_contrasts=n_contrasts,
            n_listed=n_listed,
            n_compared=n_compared,
            n_shown=max(1, n_values_shown(request, n_features)),  # without reasons, it is an entry all the same
            n_reasons=n_compared * n_reasons,
            n_effects=0 if warm.effects is None else n_reasons,
            n_values=n_compared * n_features if is_full or "values" in request.include else 0,
            has_intervals=is_full,
            has_evidence="evidence" in request.include,
            has_training_rows="training_rows" in request.include,
            n_steps=n_steps_listed(request, n_features),
            change_seconds=search_seconds(
                request.include, request.max_changed_features, warm.model.n_features, warm.model.n_trees
            ),
        )

    @property
    def has_changes(self) -> bool:
        """Whether changes are searched, or curves listed."""
        return self.change_seconds > 0

    @property
    def seconds(self) -> float:
        """Seconds of one processor, beside predicting and searching."""
        reasons = (_SECONDS_PER_INTERVAL if self.has_intervals else _SECONDS_PER_REASON) * self.n_reasons
        lists = _SECONDS_PER_CONTRAST * self.n_contrasts + _SECONDS_PER_LISTED * self.n_listed
        seconds = _SECONDS_PER_ROW + lists + reasons + self.change_seconds + _SECONDS_PER_VALUE * self.n_values
        return self.n_rows * seconds

    @property
    def n_bytes(self) -> int:
        """Bytes of the answer as JSON."""
        entries = _ENTRY_BYTES * self.n_compared + SCORE_BYTES * self.n_classes + _CHANGES_BYTES * self.has_changes
        entries += _EFFECTS_BYTES + _EFFECT_BYTES * self.n_effects
        entries += _STEP_BYTES * self.n_steps + _SHARE_BYTES * self.n_classes * self.has_evidence
        entries += (_TRAINING_ROWS_BYTES + _SHARE_BYTES * self.n_classes) * self.has_training_rows
        return self.n_rows * (_ROW_BYTES + entries + _REASON_BYTES * self.n_reasons + _VALUE_BYTES * self.n_values)

    def refuse_beyond(self, limit: int) -> None:
        """Refuse rows and prototypes that are too many values for one answer; each score is a value, too."""
        n_values = max(self.n_compared * self.n_shown, self.n_classes) + self.n_steps
        if self.n_rows * n_values > limit and self.n_rows <= MAX_INSTANCES:
            steps = f", {self.n_steps} steps of curves" if self.n_steps else ""
            detail = (
                f"{self.n_rows} rows with {self.n_compared} prototypes or reference rows, {self.n_shown} reasons or "
                f"values of each{steps}, and {self.n_classes} scores are more than the {limit} values of one answer; "
                "send fewer rows, request fewer prototypes or reasons, or show fewer features"
            )
            raise StorageError("too_many_rows", detail)


def _n_rows(request: ExplanationRequest) -> int:
    if bool(request.instances) == (request.dataset is not None):
        raise StorageError("validation_failed", _WHICH_ROWS, "/instances")
    if request.dataset is not None and request.row_ids is None:
        raise StorageError("validation_failed", _WHICH_ROWS, "/row_ids")
    return len(request.instances or request.row_ids or ())
