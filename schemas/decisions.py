"""Decisions: how a model's score becomes an outcome, such as to approve, to refer or to decline."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Annotated, LiteralString, Self

from pydantic import Field, model_validator
from pydantic.json_schema import SkipJsonSchema
from pydantic_core import PydanticCustomError

from .contract import Contract, Many, Name, absent

MAX_BANDS = 20
MOST_OUTCOME_TEXTS = 50  # beside explanations of few rows, which would be small beside them
OUTCOME_TEXTS = "What the dictionary calls classes and outcomes; absent where it calls none by other words."
OutcomeName = Annotated[Name, Field(description="Name of the outcome.")]
_BELOW = (
    "Upper end of the band: a score below it, and not below the end of the band before, has this outcome. "
    "The end itself belongs to the next band. Null for the last band, which has no upper end."
)


class Band(Contract):
    """The scores that have one outcome."""

    outcome: OutcomeName
    below: float | None = Field(default=None, description=_BELOW)


class Decision(Contract):
    """How a model's score becomes an outcome: by bands of the score of one class, or of the value of a regression."""

    score_of: Name | None = Field(
        default=None,
        description="Class whose score is in bands; null for a regression, where the value is.",
    )
    bands: Many[Band] = Field(
        min_length=2,
        max_length=MAX_BANDS,
        description="Bands from the lowest scores to the highest, each with another outcome; `below` rises from band "
        "to band, and only the last has none.",
    )
    best_first: bool = Field(
        default=True,
        strict=True,
        description="Whether the lowest scores have the best outcome, as those of the risk of default have; otherwise "
        "the highest scores do. A better outcome is what a change of a row aims at.",
    )
    adverse: Many[OutcomeName] = Field(
        default=[],
        max_length=MAX_BANDS,
        description="Outcomes that are adverse to the person concerned, among them the worst if the best is; a notice "
        "gives reasons for them, and what would change them.",
    )
    labels_decide: bool = Field(
        default=False,
        strict=True,
        description="Whether the model's own labels are the outcomes, as where a cut-off of the estimator makes them; "
        "then each outcome is the name of a class, and the bands say how the labels follow from the score.",
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        for message, name in self._faults():
            raise PydanticCustomError("decision", message, {"name": repr(name[:80])})
        return self

    def _faults(self) -> Iterator[tuple[LiteralString, str]]:
        """Yield what is wrong, with the outcome that it is wrong with."""
        *lower, last = self.bands
        outcomes = [band.outcome for band in self.bands]
        for name in (name for index, name in enumerate(outcomes) if name in outcomes[:index]):
            yield "bands: outcome {name} is there more than once; give each band an outcome of its own", name
        for band in (band for band in lower if band.below is None):
            yield "bands: {name} has no end `below`; only the last band may have none", band.outcome
        if last.below is not None:
            yield (
                "bands: the last, {name}, has an end, from which on scores have no outcome; leave it out",
                last.outcome,
            )
        for before, band in pairwise(lower):
            if before.below is not None and band.below is not None and before.below >= band.below:
                yield "bands: {name} ends no higher than the band before it; ends must rise", band.outcome
        for name in (name for name in self.adverse if name not in outcomes):
            yield "adverse: {name} is the outcome of no band; name outcomes of `bands`", name
        best, worst = (outcomes[0], outcomes[-1]) if self.best_first else (outcomes[-1], outcomes[0])
        if best in self.adverse and worst not in self.adverse:
            if self.best_first:
                yield "adverse: {name} has the lowest scores, the best ones; set `best_first` to false", best
            else:
                yield "adverse: {name} has the highest scores, the best ones; leave `best_first` true", best


class Decided(Contract):
    """What was decided on a row, and by which score."""

    outcome: str = Field(description="The outcome: that of the band in which the score lies, or the predicted class.")
    outcome_text: str | SkipJsonSchema[None] = absent(
        "What the dictionary of an explainer's dataset calls the outcome; absent where it is called by its name."
    )
    score_of: str | SkipJsonSchema[None] = absent(
        "Class whose score decides; absent for regression, and where it is the predicted class itself."
    )
    score: float = Field(description="The score that decides.")
    bands: list[Band] | SkipJsonSchema[None] = absent("Bands of the score; absent where the model has no decision.")


class OutcomeText(Contract):
    """What the dictionary of a dataset calls a class or an outcome."""

    outcome: str = Field(description="The class or outcome, as the model has it.")
    text: str = Field(description="What people call it.")
