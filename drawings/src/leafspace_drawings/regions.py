"""Predictions of a model, its rules and its tree as regions over two features; one row gives all other values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from .classes import Classes
from .columns import ColumnNames
from .links import Links
from .templating import render

Json = Mapping[str, Any]
Prediction = float | str

N_SHADES = 6


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two features: its name, and the values at which predictions were requested, ascending."""

    name: str
    values: Sequence[float]
    is_whole: bool = False  # whether the feature has whole numbers alone, so that its ends are written as such

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value, as they are written."""
        low, high = self.values[0], self.values[-1]
        return (round(low), round(high)) if self.is_whole else (low, high)


@dataclass(frozen=True, slots=True)
class RegionsContext:
    """What a drawing of regions needs beside the predictions."""

    classes: Sequence[str]  # of the model; empty for regression
    features: Sequence[str]  # that can be chosen
    row_id: str  # of the row that has the other features' values
    rows: Sequence[str] = ()  # ids of those that can be chosen
    point: tuple[float | None, float | None] = (None, None)  # where this row stands
    links: Links = field(default_factory=Links)
    dataset: Json | None = None  # which has the titles of its columns


@dataclass(frozen=True, slots=True)
class Panel:
    """The predictions of one of them: a line for each value of the vertical feature, from low to high."""

    title: str
    predictions: Sequence[Sequence[Prediction]]
    is_score: bool = False  # of the model, whose answer is the same everywhere


def draw_regions(across: Side, up: Side, panels: Sequence[Panel], context: RegionsContext) -> str:
    """Return the drawing of what a model and its approximations predict over two features.

    Parameters
    ----------
    across, up
        The features on the horizontal and the vertical axis.
    panels
        Each with ``len(up.values)`` lines of ``len(across.values)`` predictions.
    context
        What is beside them.
    """
    return render("regions", over=_Over(across, up, panels, context))


@dataclass(frozen=True, slots=True)
class Stretch:
    """Cells of a line with one prediction, in units of cells; ``style`` is that of their colour."""

    x: int
    y: int
    width: int
    style: str
    colour: str


class _Over:
    """What the template shows of regions."""

    def __init__(self, across: Side, up: Side, panels: Sequence[Panel], context: RegionsContext) -> None:
        self.across, self.up, self.context, self.links = across, up, context, context.links
        self.names = ColumnNames(context.dataset)
        self.features = [(name, self.names[name].said) for name in context.features]
        self.rows = [(row_id, row_id) for row_id in context.rows]
        self.classes = Classes(context.classes, context.dataset)
        self.width, self.height = len(across.values), len(up.values)
        values = [(value, panel.is_score) for panel in panels for line in panel.predictions for value in line]
        self._answers = {value for value, is_score in values if not is_score}
        numbers = [value for value, _ in values if not isinstance(value, str)]
        self.low, self.high = min(numbers, default=0.0), max(numbers, default=0.0)
        self.panels = [(panel.title, list(self._stretches(panel))) for panel in panels]
        self.same = [(panel.title, self._share_same(panels[0], panel)) for panel in panels[1:] if not panel.is_score]

    @property
    def is_uniform(self) -> bool:
        """Whether there is one prediction, and nothing changes but the score."""
        return len(self._answers) == 1

    @property
    def has_shades(self) -> bool:
        """Whether numbers are shown, by shades."""
        return self.low < self.high

    @property
    def mark(self) -> tuple[float, float] | None:
        """Where the row stands, in units of cells; None where it has no value of a feature."""
        x, y = self.context.point
        return None if x is None or y is None else (_place(self.across, x), self.height - _place(self.up, y))

    def _stretches(self, panel: Panel) -> list[Stretch]:
        found = []
        for line, predictions in enumerate(panel.predictions):
            x = 0
            for (style, colour), cells in groupby(predictions, key=self._colour):
                width = sum(1 for _ in cells)
                found.append(Stretch(x, self.height - 1 - line, width, style, colour))
                x += width
        return found

    def _colour(self, prediction: Prediction) -> tuple[str, str]:
        """Return the style and the light colour of a prediction; of a value, one of a few shades."""
        if isinstance(prediction, str):
            mark = self.classes[prediction]
            return f"ls-region {mark.style}", mark.colour
        share = (prediction - self.low) / (self.high - self.low) if self.high > self.low else 0.0
        shade = min(N_SHADES - 1, int(share * N_SHADES))
        return f"ls-region ls-shade-{shade + 1}", _SHADES[shade]

    @staticmethod
    def _share_same(one: Panel, other: Panel) -> float:
        pairs = [
            pair for lines in zip(one.predictions, other.predictions, strict=True) for pair in zip(*lines, strict=True)
        ]
        return sum(first == second for first, second in pairs) / max(1, len(pairs))


_SHADES = ("#deebf7", "#b4cde3", "#8aafcf", "#5f90ba", "#3572a6", "#0a5492")


def _place(side: Side, value: float) -> float:
    """Return where a value stands, in units of cells."""
    below = sum(each < value for each in side.values)
    return min(max(below, 0.5), len(side.values) - 0.5)
