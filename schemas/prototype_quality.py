"""Prototype quality: which rows prototypes represent, how evenly, and how near they are."""

from pydantic import Field

from .contract import Contract, LabelsUsed


class PrototypeQuality(Contract):
    """One prototype's measures, each 0 to 1; null where there is nothing to take a share or a mean of.

    A row votes for its nearest prototype of all, and is covered by its nearest prototype of its own class; ties go to
    the earlier prototype. A row that shares no leaf with any of them votes for none, or is covered by none.
    """

    coverage: float | None = Field(
        description="Share of the rows of its class that it covers, 0 to 1; null if its class has no rows."
    )
    voting_frequency: float = Field(
        description="Share of all rows that vote for it, 0 to 1; 0 for a prototype that is nearest to no row."
    )
    consistent_votes: float | None = Field(
        description="Share of its votes that come from rows of its class, 0 to 1; null for regression or without votes."
    )
    vote_entropy: float | None = Field(
        description="Normalised entropy of its votes over the classes: 0 if all come from one class, 1 if all classes "
        "vote alike; null for regression or without votes."
    )
    in_class_similarity: float | None = Field(
        description="Mean proximity to the rows of its class, 0 to 1; null if its class has no rows."
    )
    out_of_class_similarity: float | None = Field(
        description="Mean proximity to all other rows, 0 to 1: the smaller, the more typical of its class; null for "
        "regression."
    )
    mean_distance: float | None = Field(
        description="Mean of 1 - proximity to the rows that vote for it, 0 to 1; null without votes."
    )
    distance_deviation: float | None = Field(
        description="Standard deviation of the distances to the rows that vote for it; null without votes."
    )


class ClassQuality(Contract):
    """How well the prototypes of one class represent its rows."""

    label: str | None = Field(description="The class; null for regression, where one class holds all rows.")
    n_rows: int = Field(description="Number of rows of the class.")
    n_prototypes: int = Field(description="Number of prototypes of the class.")
    coverage: float | None = Field(description="Share of its rows that are covered, 0 to 1; null without rows.")
    hubness_entropy: float | None = Field(
        description="Normalised entropy of its covered rows over its prototypes: 1 if all cover equally many, 0 if one "
        "(a hub) covers all; null with fewer than two prototypes or without covered rows."
    )


class SetQuality(Contract):
    """The measures of all prototypes together, each 0 to 1; null where there is nothing to take a share or a mean of.

    Measured on the rows that `evaluated_on` names; rows that prototypes were chosen from count as rows themselves.
    """

    n_rows: int = Field(description="Number of rows that were measured.")
    labels: LabelsUsed | None = Field(
        description="Source of the rows' classes: as in the request, but `predicted` where `evaluation_dataset` has no "
        "target; null for regression, where one class holds all rows."
    )
    coverage: float = Field(
        description="Share of rows that are covered, 0 to 1: they share a leaf with a prototype of their class."
    )
    voting_frequency: float = Field(
        description="Share of rows that vote, 0 to 1: they share a leaf with any prototype."
    )
    consistent_votes: float | None = Field(
        description="Share of votes that go to a prototype of the row's class, 0 to 1; null for regression."
    )
    hubness_entropy: float | None = Field(
        description="Mean of the classes' hubness entropies: 1 if prototypes are used evenly, 0 if there are only "
        "hubs; null if no class has one."
    )
    in_class_similarity: float | None = Field(
        description="Mean over the prototypes of their proximity to rows of their class, 0 to 1."
    )
    out_of_class_similarity: float | None = Field(
        description="Mean over the prototypes of their proximity to rows of other classes, 0 to 1; null for regression."
    )
    mean_distance: float = Field(
        description="Mean over the rows of 1 - proximity to the nearest prototype, which is 1 for a row that shares no "
        "leaf with any."
    )
    distance_deviation: float = Field(description="Standard deviation of those distances over the rows.")
    by_class: list[ClassQuality] = Field(description="The measures of each class, in the order of `classes`.")
