"""Explanation sets: every row of a dataset explained."""

from typing import Literal

from pydantic import Field

from .artefacts import RESULT, ArtefactView
from .contract import Contract, Identifier


class ExplanationSetRequest(Contract):
    """Which rows to explain, and by what."""

    explainer: Identifier
    dataset: Identifier
    n_prototypes: int = Field(default=3, strict=True, ge=1, le=100)
    include: list[Literal["contrast", "rules", "approximation_path"]] = Field(
        default=[],
        description="rules: with an explainer that has a rule set; approximation_path: with one that has a tree.",
    )


class LabelCount(Contract):
    """How often the model predicts a label."""

    label: str
    n_rows: int


class ExplanationSetSizes(Contract):
    """How large the explanations are."""

    json_lines: int = Field(description="Bytes of the JSON lines.")
    json_lines_compressed: int = Field(description="Bytes of the JSON lines as they are kept, compressed by zstd.")
    parquet: int = Field(description="Bytes of the Parquet file.")


class ExplanationSetResult(Contract):
    """What is known of all rows together; the explanations themselves are in `/content`."""

    model: str
    n_rows: int
    n_explained: int
    n_refused: int = Field(description="Rows that the model does not take; each has a problem of its own.")
    n_unassigned: int = Field(description="Explained rows that share no leaf with any prototype.")
    agreement: float | None = Field(
        description="Share of the explained rows whose nearest prototype has the label that the model predicts; null "
        "for regression, or where no row is explained."
    )
    labels: list[LabelCount] = Field(description="Of the explained rows, in the order of the classes.")
    mean_proximity: float | None = Field(
        description="Of the explained rows to their nearest prototypes, 0 where there is none; null where no row is "
        "explained."
    )
    n_bytes: ExplanationSetSizes


class ExplanationSet(ArtefactView):
    """An explanation set, its status and, once it is ready, its result."""

    object: Literal["explanation_set"] = "explanation_set"
    request: ExplanationSetRequest
    result: ExplanationSetResult | None = Field(default=None, description=RESULT)
