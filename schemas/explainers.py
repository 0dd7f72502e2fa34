"""Explainers: a model with prototypes, and optionally rules and a tree, that explain its predictions."""

from typing import Annotated, Literal

from pydantic import Field

from .artefacts import SEARCHED_ROWS, SearchedRows
from .contract import OBJECT, Contract, CreatedAt, Identifier, Name
from .noun import Noun
from .paper_settings import MethodRequest


class ExplainerRequest(MethodRequest):
    """Which artefacts explain the predictions of a model."""

    model: Identifier = Field(description="Id of the model.")
    prototype_set: Identifier = Field(description="Id of a prototype set of this model.")
    rule_set: Identifier | None = Field(
        default=None,
        description='Id of a rule set of this model, whose rules `include: ["rules"]` lists; null: none.',
    )
    approximation_tree: Identifier | None = Field(
        default=None,
        description="Id of an approximation tree of this model, in which `include: "
        '["approximation_path"]` describes the path of a row; null: none.',
    )
    name: Name | None = Field(default=None, description="Name of the explainer, shown in lists; null: none.")
    shown_features: Literal["all"] | list[Name] = Field(
        default="all",
        description="Features of the (real) prototype rows that explanations show, in `values` and in "
        "reasons and differences: `all`, or a list of names.",
    )
    abstain_below: float | None = Field(
        default=None,
        gt=0,
        le=100,
        description="Percentile of `typicality` below which a row is not explained: its `status` is `abstained`, and "
        "its nearest prototypes are still listed. Null: every row is explained. Not applicable to prototype sets "
        "without `typicality`.",
        examples=[5],
    )
    store_explanations: bool = Field(
        default=False,
        description="Whether each explanation is stored, with its row and the id of the caller's key, to be read and "
        "verified later by keys with the scope `audit`. Refused unless the service's operator allows it "
        "(LEAFSPACE_STORE_EXPLANATIONS); explanation sets are not concerned.",
    )


class ExplainerSummary(Contract):
    """A registered explainer in a list: without the features that it shows, which may be thousands."""

    object: Annotated[Literal["explainer"], OBJECT] = "explainer"
    id: str = Field(description="Id of the explainer, derived from its request.")
    name: str | None = Field(description="Name of the explainer; null without one.")
    model: str = Field(description="Id of the model.")
    prototype_set: str = Field(description="Id of the prototype set.")
    rule_set: str | None = Field(default=None, description="Id of the rule set; null without one.")
    approximation_tree: str | None = Field(default=None, description="Id of the approximation tree; null without one.")
    created_at: CreatedAt


class Explainer(ExplainerSummary):
    """A registered explainer."""

    abstain_below: float | None = Field(
        default=None, description="Percentile of `typicality` below which a row is not explained; null: none is."
    )
    shown_features: Literal["all"] | list[str] = Field(
        description="Features of the prototype rows that explanations show: `all`, or a list of names."
    )
    store_explanations: bool = Field(default=False, description="Whether each explanation is stored.")
    nearest_rows: SearchedRows | None = Field(default=None, description=SEARCHED_ROWS)


EXPLAINERS = Noun(
    name="explainers",
    singular="explainer",
    position=120,
    id_prefix="xpl_",
    description="A model with the prototypes, rules and tree that explain its predictions; explanations of rows.",
    making="at_once",
    made_from={
        "model": "models",
        "prototype_set": "prototype_sets",
        "rule_set": "rule_sets",
        "approximation_tree": "approximation_trees",
    },
    request=ExplainerRequest,
    summary=ExplainerSummary,
    view=Explainer,
    mutable=("name",),
    actions={"explanations": "explain"},
)
