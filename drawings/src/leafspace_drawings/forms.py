"""Forms: what can be requested where one stands, in words, with the things that can be named in lists."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .templating import render
from .words import name_or_id

Json = Mapping[str, Any]
MOST_OF_A_NAME = 255  # characters
Option = tuple[str, str]
"""A value, and what stands in its place; an empty value leaves the field out."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A field that takes one of several values, the first unless ``chosen`` says otherwise."""

    name: str  # of the request's field
    words: str
    options: Sequence[Option]
    chosen: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A field that takes a number, a text or several texts."""

    name: str
    words: str
    value: str = ""
    kind: Literal["number", "text", "list", "one"] = "number"  # commas separate those of a list; `one` is a list of one
    most: int = 1000  # the largest number, or the most characters


@dataclass(frozen=True, slots=True)
class Ticks:
    """A field that takes a list of those values that are ticked; none is at first."""

    name: str
    words: str
    ticks: Sequence[Option]


@dataclass(frozen=True, slots=True)
class Form:
    """Something that can be requested from the page: its main parameters."""

    words: str  # such as ``prototypes``
    path: str  # of the API
    part: str  # of the address of what is made
    fields: Sequence[Choice | Entry | Ticks] = ()
    body: Json = field(default_factory=dict)  # of the request, beside its fields
    about: str = ""  # when to request it
    changes: bool = False  # whether it changes what the view shows, and makes nothing

    @property
    def body_text(self) -> str:
        """The body as JSON."""
        return json.dumps(self.body)

    def label_of(self, each: Choice | Entry | Ticks) -> str:
        """Return what a screen reader says of a field, which several forms of a view may have."""
        return f"{each.words}, {self.words}"


def renaming(thing: Json, part: str) -> Form:
    """Return the form that gives a model or a dataset another name; ``part`` is that of its address and its path."""
    name = Entry("name", "called", thing.get("name") or "", "text", MOST_OF_A_NAME)
    return Form("name", f"/v1/{part}/{thing['id']}", part, (name,), changes=True)


def options_of(things: Sequence[Json], none: str | None = None) -> list[Option]:
    """Return models, datasets or artefacts as options by name; ``none`` stands for no choice."""
    named = [(str(thing["id"]), _said(thing)) for thing in things]
    return named if none is None else [("", none), *named]


def _said(thing: Json) -> str:
    return f"{name_or_id(thing)} (held out)" if thing.get("held_out") else name_or_id(thing)


def draw_forms(title: str, forms: Sequence[Form], about: str = "", *, is_view: bool = False) -> str:
    """Return the drawing of forms below a title, which may be that of a whole view; nothing where there are none."""
    return render("forms", title=title, forms=forms, about=about, is_view=is_view) if forms else ""
