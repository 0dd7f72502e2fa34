"""Artefacts: what is the same for everything that a job makes."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from .contract import Contract
from .problems import Problem

ProximityKind = Literal["auto", "random_forest", "boosting"]
ArtefactStatus = Literal["pending", "ready", "failed", "cancelled"]
MAX_NEIGHBORS = 1000
NeighborCount = Annotated[
    int, Field(strict=True, ge=1, le=MAX_NEIGHBORS, description="For each row; fewer than the dataset has rows.")
]


RESULT = "Null until it is ready, and in lists."


class ArtefactView(Contract):
    """An artefact and its status; each noun adds its `result`."""

    object: str
    id: str
    status: ArtefactStatus
    job: str | None
    reused: bool = Field(default=False, description="It had been requested before.")
    created_at: datetime
    request: Contract
    problem: Problem | None = None


class ConstantPrediction(Contract):
    """What is always predicted, whatever the row: without it, nobody knows what a figure beside it is worth.

    Each measure is that of the constant which is best at it on the same rows, so it says what can be had for nothing.
    """

    prediction: float | str = Field(
        description="What all measures but fidelities are of: the class that most of these rows have (ties: the first "
        "of the classes), for regression their mean value. By the target, or the model's own answers where there is "
        "none: as `measured_against` says."
    )
    model_prediction: float | str = Field(
        description="What fidelities are of: the label that the model gives most of these rows, for regression the "
        "mean of its values."
    )


CAUTION_OF_FIGURES = (
    "Why the figures of `evaluation` may look better than they are for other rows, in words: they were measured on the "
    "rows that this was made from, and the model repeats at least 99 % of their target (regression: R2 of at least "
    "0.95), as a model may that has memorised them. Null where nothing is known against them: measured on other "
    "rows, without a target, or by a model that does not repeat it."
)
