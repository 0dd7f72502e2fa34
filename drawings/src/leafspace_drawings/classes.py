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
    said: str  # what people call it

    @property
    def style(self) -> str:
        """The name in the style sheet of its colour."""
        return f"ls-class-{self.number or 'other'}"


class Classes:
    """The classes of a model, or what it decides.

    Parameters
    ----------
    labels
        Their names, in order.
    dataset
        An answer of ``GET /v1/datasets/{id}``, whose target says what they are called; None: they have their names.
    outcomes
        What is decided by the score of a class, where these are no classes; they are marked, too.
    """

    def __init__(
        self, labels: Sequence[str], dataset: Mapping[str, Any] | None = None, outcomes: Sequence[str] = ()
    ) -> None:
        self.labels = tuple(labels)
        columns = () if dataset is None else dataset.get("columns", ())
        targets = (column for column in columns if column.get("role") == "target")
        self._said = {each["value"]: each["label"] for target in targets for each in target.get("labels") or ()}
        self._marks = {
            label: self._mark(index, label) for index, label in enumerate(dict.fromkeys([*labels, *outcomes]))
        }

    def has(self, *labels: str) -> bool:
        """Return whether all labels are classes: an outcome of a decision is never the class that came of a case."""
        return set(labels) <= set(self.labels)

    def __getitem__(self, label: str) -> ClassMark:
        """Return the mark of a class; of an unknown one, that of classes beyond the last colour."""
        return self._marks.get(label) or self._mark(len(COLOURS), label)

    @classmethod
    def of_outcomes(cls, model: Mapping[str, Any], dataset: Mapping[str, Any] | None = None) -> Self:
        """Return what a model decides, from its document: outcomes of its decision, or else its classes."""
        decision = model.get("decision")
        outcomes = [band["outcome"] for band in decision["bands"]] if decision else model.get("classes") or []
        return cls(outcomes, dataset)

    def said(self, label: Any) -> Any:
        """Return what people call a class; anything else as it is."""
        return self._said.get(label, label)

    def _mark(self, index: int, label: str) -> ClassMark:
        has_colour = index < len(COLOURS)
        colour = COLOURS[index] if has_colour else OTHER_COLOUR
        return ClassMark(
            label, index + 1 if has_colour else None, colour, SHAPES[index % len(SHAPES)], self.said(label)
        )
