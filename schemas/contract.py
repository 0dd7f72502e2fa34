"""Contract: the base of every message, frozen and closed to unknown fields, and the fields that many messages share."""

import re
from collections.abc import Iterable
from datetime import date, datetime
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, FailFast, Field, StringConstraints, Tag
from pydantic_core import PydanticCustomError

Item = TypeVar("Item")

_UNSEEN = r"\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
"""Characters that control a terminal, end a line, turn a line round, or are not seen; those that join emoji are."""

UNSEEN_IN_LINES = r"\x00-\x08\x0b-\x1f" + _UNSEEN
_UNWANTED = "The text holds the character {character} after {position} others, which nobody would see; leave it out"
UNSEEN_IN_NAMES = r"\x00-\x1f" + _UNSEEN
"""What no name holds, as part of a regular expression's set: on a screen it would look like another name."""


def without(characters: str) -> AfterValidator:
    """Return what refuses texts that hold one of the characters, and names it; a regular expression's set has them."""
    unwanted = re.compile(f"[{characters}]")

    def check(text: str) -> str:
        if match := unwanted.search(text):
            details = {"character": ascii(match[0])[1:-1], "position": match.start()}
            raise PydanticCustomError("unwanted_character", _UNWANTED, details)
        return text

    return AfterValidator(check)


def _pattern(characters: str) -> Any:  # pydantic's field
    return Field(json_schema_extra={"pattern": f"^[^{characters}]*$"})


Name = Annotated[
    str, StringConstraints(min_length=1, max_length=255), without(UNSEEN_IN_NAMES), _pattern(UNSEEN_IN_NAMES)
]
"""A name that a person gave: shown, never interpreted."""

Lines = Annotated[str, without(UNSEEN_IN_LINES), _pattern(UNSEEN_IN_LINES)]
"""A note that a person wrote, which may have several lines, and tabs."""


def _check_day(text: str) -> str:
    try:
        is_day = date.fromisoformat(text).isoformat() == text  # it reads 20260131 and 2026-W05-6, too
    except ValueError:
        is_day = False
    if not is_day:
        raise ValueError(_NO_DAY)
    return text


_NO_DAY = "a day is written as year, month and day: 2026-01-31"
Day = Annotated[str, AfterValidator(_check_day), Field(json_schema_extra={"format": "date"})]
"""A day, as ISO 8601 writes it."""

OBJECT = Field(description="Type of this object.")
"""Describes the field ``object``, which names the type for readers of stored JSON."""

RowIndex = Annotated[int, Field(description="0-based index of the row in the dataset.")]
RowId = Annotated[
    str,
    Field(description="Id of the row: its text in the dataset's row_id column, or its 0-based index without one."),
]
CreatedAt = Annotated[datetime, Field(description="Time of creation, in UTC (RFC 3339).")]
TaskOfModel = Annotated[Literal["classification", "regression"], Field(description="What the model predicts.")]
ClassesOfModel = Annotated[
    list[str], Field(description="Classes in the order of the model's scores; empty for regression.")
]
RowsOfDataset = Annotated[int, Field(description="Number of rows of the dataset.")]
TreesOfModel = Annotated[int, Field(description="Number of trees of the model; 0 of an oracle.")]
LabelsUsed = Annotated[
    Literal["predicted", "target"],
    Field(
        description="Source of the rows' classes or values: the model's predictions (`predicted`) or the dataset's "
        "target column (`target`)."
    ),
]

Identifier = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$")]
"""The id of something: one that no database could hold, with a NUL character in it, is of nothing."""


def _word_or_number(value: object) -> Literal["word", "number"]:
    return "word" if isinstance(value, str) else "number"


WORD, NUMBER = Tag("word"), Tag("number")
WORD_OR_NUMBER = Discriminator(_word_or_number)
"""Separates a number from a word in its place, so that a fault is reported of the member that was meant."""


class _FirstFault(FailFast):
    """As part of a type it must be hashable."""

    def __hash__(self) -> int:
        return hash(type(self))


Many = Annotated[list[Item], _FirstFault()]
"""A list that may be long: only its first fault is reported, as describing faults takes longer than finding them."""


def absent(description: str) -> Any:  # as Field
    """Describe a field of an answer that is left out where it does not apply; it is never null.

    Its type is ``kind | SkipJsonSchema[None]``.
    """
    return Field(
        default=None,
        description=description,
        exclude_if=lambda value: value is None,
        json_schema_extra=without_default,
    )


def without_default(schema: dict[str, Any]) -> None:
    """Have a field's schema say nothing about a default."""
    del schema["default"]


class Contract(BaseModel):
    """A message whose fields are exactly those declared; numbers are finite."""

    # What validates and writes a message is built when the first one is read or written: a process needs few of all.
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, protected_namespaces=(), defer_build=True
    )


def built_messages() -> list[str]:
    """Return the names of the messages that this process can read and write by now."""
    return [name for name, message in _messages().items() if message.__pydantic_complete__]


def build_messages(names: Iterable[str]) -> int:
    """Build what reads and writes these messages, so that processes that are forked later have it; return how many.

    Names of messages that this process has not imported are left out.
    """
    known = _messages()
    missing = [known[name] for name in names if name in known and not known[name].__pydantic_complete__]
    for message in missing:
        message.model_rebuild(raise_errors=False)  # what cannot be built yet is built when it is needed
    return len(missing)


def _messages() -> dict[str, type[Contract]]:
    messages, waiting = {}, [Contract]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        messages[f"{kind.__module__}.{kind.__qualname__}"] = kind
    return messages


class Page(Contract, Generic[Item]):
    """One page of a list, newest first; ``next_cursor`` fetches the next one."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    data: list[Item] = Field(description="Items of this page, in the order of the list.")
    next_cursor: str | None = Field(
        default=None, description="Cursor of the next page, to be sent as `cursor`; null on the last page."
    )


class Renaming(Contract):
    """Another name for something that keeps its id."""

    name: Name | None = Field(
        description="The new name; null removes the one that it has.", examples=["credit scoring, March"]
    )
