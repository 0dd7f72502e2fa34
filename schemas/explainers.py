"""Explainers: a model with the prototypes, and perhaps the rules and the tree, that explain its predictions."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from .contract import Contract, Identifier, Name


class ExplainerRequest(Contract):
    """What to explain with."""

    model: Identifier
    prototype_set: Identifier
    rule_set: Identifier | None = Field(default=None, description='Its rules are listed with `include: ["rules"]`.')
    approximation_tree: Identifier | None = Field(
        default=None, description='The way of a row in it is described with `include: ["approximation_path"]`.'
    )
    name: Name | None = None
    shown_features: Literal["all"] | list[Name] = Field(
        default="all",
        description="Which features of the (real) prototype rows callers see, in `features` and `similar_because`.",
    )


class ExplainerSummary(Contract):
    """A registered explainer in a list: without the features that it shows, which may be thousands."""

    object: Literal["explainer"] = "explainer"
    id: str
    name: str | None
    model: str
    prototype_set: str
    rule_set: str | None = None
    approximation_tree: str | None = None
    created_at: datetime


class Explainer(ExplainerSummary):
    """A registered explainer."""

    shown_features: Literal["all"] | list[str] = Field(description="As it was registered with.")
