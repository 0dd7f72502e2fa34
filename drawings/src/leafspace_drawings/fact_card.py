"""A card of facts: a few figures about an object that has no picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .links import Links
from .templating import render


@dataclass(frozen=True, slots=True)
class Fact:
    """A figure with its name, and perhaps a sentence about it."""

    name: str
    value: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class FactCard:
    """What a card shows; each part but the title may be empty."""

    title: str
    lead: str = ""
    facts: Sequence[Fact] = ()
    notes: Sequence[str] = ()  # cautions, and reasons for a failure
    foot: str = ""  # an id
    links: Sequence[tuple[str, str | None]] = ()  # what belongs to it: texts and addresses
    warnings: Sequence[Mapping[str, str]] = ()  # with code and detail
    page: Links = field(default_factory=Links)  # where what can be done about them is done


def draw_fact_card(card: FactCard) -> str:
    """Return the drawing of a card."""
    return render("fact_card", card=card)
