"""How classes are distinguished: by a number, a colour and a shape, in the order in which the model has them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

# Okabe & Ito's, and two dark ones of Tol's: they never distinguish red from green.
COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#000000",
    "#882255",
    "#332288",
)
OTHER_COLOUR = "#8d949c"
SHAPES = ("circle", "square", "triangle", "diamond")


@dataclass(frozen=True, slots=True)
class ClassMark:
    """How a class is shown, beside its name."""

    label: str
    number: int | None  # 1-based, of its colour; None: it has no colour of its own
    colour: str  # on light ground
    shape: str  # one of SHAPES

    @property
    def style(self) -> str:
        """The name in the style sheet of its colour."""
        return f"ls-class-{self.number or 'other'}"


class Classes:
    """The classes of a model."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._marks = {label: self._mark(index, label) for index, label in enumerate(labels)}

    def __getitem__(self, label: str) -> ClassMark:
        """Return the mark of a class; of an unknown one, that of classes beyond the last colour."""
        return self._marks.get(label) or self._mark(len(COLOURS), label)

    @classmethod
    def of_outcomes(cls, model: Mapping[str, Any]) -> Self:
        """Return what a model decides, from its document: outcomes of its decision, or else its classes."""
        decision = model.get("decision")
        return cls([band["outcome"] for band in decision["bands"]] if decision else model.get("classes") or [])

    @staticmethod
    def _mark(index: int, label: str) -> ClassMark:
        has_colour = index < len(COLOURS)
        colour = COLOURS[index] if has_colour else OTHER_COLOUR
        return ClassMark(label, index + 1 if has_colour else None, colour, SHAPES[index % len(SHAPES)])
