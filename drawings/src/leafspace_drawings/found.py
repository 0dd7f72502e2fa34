"""What was found by a text: things, rows and features, each with its view."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .columns import ColumnName
from .templating import render

Json = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class FoundRow:
    """A row with an id, in a dataset."""

    row_id: str
    dataset: str  # its name
    href: str | None


@dataclass(frozen=True, slots=True)
class FoundFeature:
    """A feature of a dataset that is called so."""

    column: ColumnName
    dataset: str  # its name
    href: str | None


@dataclass(frozen=True, slots=True)
class Found:
    """What a text finds."""

    name: str  # the text
    things: Sequence[tuple[str, Json, str | None]] = ()  # kind, document and address of each
    rows: Sequence[FoundRow] = ()
    features: Sequence[FoundFeature] = ()
    n_unsearched: int = 0  # datasets in which rows were not looked for to their end, as that took too long


@dataclass(frozen=True, slots=True)
class FeatureShown:
    """A feature, and how much it counts in an explainer's model."""

    column: ColumnName
    place: tuple[int, float] | None  # its rank among the features, from 1, and the mean size of its effects; None: none
    n_counting: int  # features that have effects
    n_rows: int  # whose effects these are
    scale: str
    explainer: str | None  # address of the explainer's view
    curves: Sequence[tuple[str, str | None]]  # rows whose views have the feature's curve, and their addresses


def draw_found(found: Found) -> str:
    """Return the drawing of what was found."""
    return render("found", found=found)


def draw_feature(shown: FeatureShown) -> str:
    """Return the drawing of how much a feature counts."""
    return render("feature", of=shown)
