"""Prototype quality: whom prototypes stand for, how evenly, and how near they are."""

from typing import Literal

from pydantic import Field

from .contract import Contract


class PrototypeQuality(Contract):
    """One prototype's measures, each 0 to 1; null where there is nothing to take a share or a mean of.

    A row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class; ties go to
    the earlier prototype. A row that shares no leaf with any of them votes for none, or is covered by none.
    """

    coverage: float | None = Field(description="Share of the rows of its class that it covers.")
    voting_frequency: float = Field(description="Share of all rows that vote for it; 0 for a row that nobody needs.")
    consistent_votes: float | None = Field(
        description="Share of its votes that come from rows of its class; 1 is best; null for regression."
    )
    vote_entropy: float | None = Field(
        description="Entropy of its votes over the classes: 0 if all come from one class, 1 if from all classes alike."
    )
    in_class_similarity: float | None = Field(description="Mean proximity to the rows of its class; 1 is nearest.")
    out_of_class_similarity: float | None = Field(
        description="Mean proximity to all other rows: the less, the more typical of its class."
    )
    mean_distance: float | None = Field(description="Mean of 1 - proximity to the rows that vote for it.")
    distance_deviation: float | None = Field(description="Standard deviation of those distances.")


class ClassQuality(Contract):
    """What the prototypes of one class do for its rows."""

    label: str | None = Field(description="Null for regression, where one class holds all rows.")
    n_rows: int
    n_prototypes: int
    coverage: float | None = Field(description="Share of its rows that are covered, 0 to 1; null without rows.")
    hubness_entropy: float | None = Field(
        description=(
            "Entropy of its covered rows over its prototypes: 1 if all cover as many, 0 if one (a hub) covers all; "
            "null with less than two prototypes or without covered rows."
        )
    )


class SetQuality(Contract):
    """The measures of all prototypes together, each 0 to 1; null where there is nothing to take a share or a mean of.

    Measured on the rows that `evaluated_on` names; rows that prototypes were chosen from count as rows themselves.
    """

    n_rows: int
    labels: Literal["predicted", "target"] | None = Field(
        description=(
            "What the rows' classes are: as `labels` asks, but as predicted where `evaluation_dataset` has no target; "
            "null for regression, where one class holds all rows."
        )
    )
    coverage: float = Field(description="Share of rows covered: they share a leaf with a prototype of their class.")
    voting_frequency: float = Field(description="Share of rows that vote: they share a leaf with any prototype.")
    consistent_votes: float | None = Field(
        description="Share of votes that go to a prototype of the row's class; null for regression."
    )
    hubness_entropy: float | None = Field(
        description="Mean over the classes that have one: 1 if prototypes are needed evenly, 0 if there are only hubs."
    )
    in_class_similarity: float | None = Field(description="Mean over the prototypes.")
    out_of_class_similarity: float | None = Field(description="Mean over the prototypes; null for regression.")
    mean_distance: float = Field(description="Mean of 1 - proximity to the nearest prototype; 1 for a row without any.")
    distance_deviation: float = Field(description="Standard deviation of those distances over the rows.")
    by_class: list[ClassQuality] = Field(description="In the order of `classes`.")
