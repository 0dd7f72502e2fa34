"""Cautions: reasons to read a result with care."""

from typing import Literal

from pydantic import Field

from .contract import Contract

CautionCode = Literal[
    "audited_by_training_labels",
    "candidates_split_nothing",
    "chosen_by_its_evaluation_rows",
    "class_not_known",
    "classes_without_prototype",
    "coarser_leaves",
    "few_rows",
    "few_rows_covered",
    "grown_from_its_evaluation_rows",
    "hardly_better_than_constant",
    "map_is_no_scale",
    "measured_on_its_own_rows",
    "measured_on_training_rows",
    "no_effects_compared",
    "one_label",
    "outcomes_without_rows",
    "splits_not_significant",
    "training_not_known",
    "uncertain_estimate",
]
CAUTIONS = "Reasons to read the result with care; empty where none is known."


class Caution(Contract):
    """A reason to read a result with care."""

    code: CautionCode = Field(
        description="Stable, machine-readable name. Of figures: `measured_on_training_rows` (on rows that the model "
        "may have been trained on, or that the result was made from), `measured_on_its_own_rows` (likewise, but "
        "declared `held_out`), `grown_from_its_evaluation_rows`, `chosen_by_its_evaluation_rows`, `few_rows`, "
        "`one_label` (all rows have it), `hardly_better_than_constant`. Of prototypes: `few_rows_covered`, "
        "`classes_without_prototype`, `outcomes_without_rows` (a band that no row is in). Of trees: "
        "`splits_not_significant`, `candidates_split_nothing`. Of label audits: `audited_by_training_labels` (of a "
        "model that repeats them), `class_not_known` (most of its labels look wrong), `coarser_leaves`, "
        "`uncertain_estimate`. Of comparisons: `no_effects_compared`. Of maps: `map_is_no_scale`. Of evidence: "
        "`training_not_known` (of the rows that it counts). Codes may be added."
    )
    detail: str = Field(description="The same as an English sentence, without its full stop.")
    remedy: str | None = Field(
        default=None,
        description="What to request instead, by the names of the contract, likewise; null where nothing is.",
    )

    @property
    def text(self) -> str:
        """The sentence, with what to request instead."""
        return self.detail if self.remedy is None else f"{self.detail}; {self.remedy}"
