"""Contract: the base of every message, frozen and closed to unknown fields."""

from typing import Annotated, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, FailFast, Field, StringConstraints

Item = TypeVar("Item")

Name = Annotated[str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f]*$")]
"""A name a person gave: shown, never interpreted."""

RowIndex = Annotated[int, Field(description="The row's 0-based index in the dataset.")]
RowId = Annotated[
    str, Field(description="What the dataset calls the row: its text in the row_id column, or its 0-based index.")
]


Identifier = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""The id of something: one that no database could hold, with a NUL character in it, is of nothing."""


class _FirstFault(FailFast):
    """As part of a type it must be hashable."""

    def __hash__(self) -> int:
        return hash(type(self))


Many = Annotated[list[Item], _FirstFault()]
"""A list that may be long: only the first fault in it is told, as telling takes much longer than finding."""


class Contract(BaseModel):
    """A message whose fields are exactly those declared; numbers are finite."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=())


class Page(Contract, Generic[Item]):
    """One page of a list, newest first; ``next_cursor`` fetches the next one."""

    object: Literal["list"] = "list"
    data: list[Item]
    next_cursor: str | None = Field(default=None, description="Send it as `cursor` to get the next page.")


class Renaming(Contract):
    """Another name for something that keeps its id."""

    name: Name | None = Field(
        description="The new name; null removes the one that it has.", examples=["credit scoring, March"]
    )
