"""Names of explainers: what applications call, while the explainer behind it is exchanged."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from .contract import OBJECT, Contract, CreatedAt, Identifier
from .noun import JSON, Noun, Product
from .scopes import READ_AND_DEPLOY

NAME_PATTERN = r"^[a-z][a-z0-9-]{0,62}$"
"""Ids have an underscore behind their prefix: no name looks like one."""

CallableName = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
_LAST_CHANGE = "Id of the change that led to this state; in double quotes it is the entity tag, for `If-Match`."


class ExplainerNameRequest(Contract):
    """Which explainer a name means from now on."""

    explainer: Identifier = Field(description="Id of the explainer.", examples=["xpl_k2v6x3zq5jyw4t7n2m6b3c5d7a"])
    force: bool = Field(
        default=False,
        description="Whether the features and classes of the model may differ from those of the explainer that the "
        "name meant before.",
    )


class ExplainerName(Contract):
    """A name and the explainer that it means."""

    object: Annotated[Literal["explainer_name"], OBJECT] = "explainer_name"
    name: str = Field(description="The name: lower-case letters, digits and hyphens, at most 63, a letter first.")
    explainer: str = Field(description="Id of the explainer that the name means.")
    last_change: str = Field(description=_LAST_CHANGE)
    created_at: CreatedAt
    changed_at: datetime = Field(description="Time since when the name has meant this explainer, in UTC (RFC 3339).")


class ExplainerNameChange(Contract):
    """One change of what a name means."""

    object: Annotated[Literal["explainer_name_change"], OBJECT] = "explainer_name_change"
    id: str = Field(description="Id of the change.")
    name: str = Field(description="The name that was changed.")
    explainer: str | None = Field(
        description="Id of the explainer that it has meant since; null where the name was deleted."
    )
    previous_explainer: str | None = Field(
        description="Id of the explainer that it meant before, perhaps deleted by now; null where the name was new."
    )
    forced: bool = Field(description="Whether other features or classes were allowed.")
    key: str | None = Field(description="Id of the API key that made the change; null where none was required.")
    created_at: CreatedAt


EXPLAINER_NAMES = Noun(
    name="explainer_names",
    singular="explainer_name",
    position=130,
    named_by_callers=True,
    description="Names that applications call, each for the explainer that it means at the moment.",
    made_from={"explainer": "explainers"},
    request=ExplainerNameRequest,
    summary=ExplainerName,
    view=ExplainerName,
    products=(Product(name="history", media_types=(JSON,), row=ExplainerNameChange),),
    scopes=READ_AND_DEPLOY,
)
