"""Generators of pseudo-samples: how rows like those of a dataset are made for a model to label."""

from typing import Annotated, Literal

from pydantic import Field
from typing_extensions import TypeAliasType

from .contract import Contract, Identifier

NeighborProbability = Annotated[
    float,
    Field(
        strict=True,
        ge=0,
        le=1,
        description="Probability, 0 to 1, that a number of at most 10 distinct values becomes the next smaller or "
        "larger one (with `ranks`: that it is redrawn from itself and these two, by their frequency in the dataset), "
        "and that a category becomes another one, drawn by its frequency.",
    ),
]


class RanksGenerator(Contract):
    """The dataset's rows at a node, each number moved to nearby ranks: noise has the scale that the data have there."""

    method: Literal["ranks"] = Field(default="ranks", description="Noise of ranks.")
    bandwidth: float = Field(
        default=0.1,
        strict=True,
        gt=0,
        le=1,
        description="Share of the dataset's rows that noise moves a number past, at most, in either direction; drawn "
        "uniformly.",
    )
    neighbor_probability: NeighborProbability = 0.1


class KernelGenerator(Contract):
    """The dataset's rows at a node, with Gaussian noise (Zhou & Hooker)."""

    method: Literal["kernel"] = Field(description="Noise of a Gaussian kernel.")
    bandwidth: float = Field(
        default=0.1,
        strict=True,
        gt=0,
        le=10,
        description="Standard deviation of the noise of a continuous number, in standard deviations of the feature. A "
        "feature of whole numbers moves to neighbouring values instead.",
    )
    neighbor_probability: NeighborProbability = 0.1


class BootstrapGenerator(Contract):
    """The dataset's rows at a node as they are, drawn with replacement."""

    method: Literal["bootstrap"] = Field(description="Rows drawn with replacement.")


class ResidualPermutationGenerator(Contract):
    """The dataset's rows at a node, in which residuals of continuous numbers are exchanged between rows."""

    method: Literal["residual_permutation"] = Field(
        description="Each continuous number is what the other numbers predict by least squares, and the residual of "
        "another row."
    )
    neighbor_probability: NeighborProbability = 0.1


class DatasetGenerator(Contract):
    """Rows of another dataset, whose labels are not used."""

    method: Literal["dataset"] = Field(description="Rows of another dataset, drawn with replacement.")
    dataset: Identifier = Field(
        description="Id of a dataset that has every feature that the model reads. Where none of its rows reaches a "
        "node, the reference dataset's rows are drawn."
    )


Generator = TypeAliasType(
    "Generator",
    Annotated[
        DatasetGenerator | RanksGenerator | KernelGenerator | ResidualPermutationGenerator | BootstrapGenerator,
        Field(discriminator="method"),
    ],
)
"""How pseudo-samples are made."""
