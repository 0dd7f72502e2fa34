"""How classes are distinguished: by a number, a colour and a shape, in the order in which the model has them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

# Okabe & Ito's, and two dark ones of Tol's: they never distinguish red from green. The warm ones, whose hue is that of
# warnings, come last.
COLOURS = (
    "#0072b2",
    "#cc79a7",
    "#009e73",
    "#56b4e9",
    "#882255",
    "#332288",
    "#000000",
    "#f0e442",
    "#e69f00",
    "#d55e00",
)
_ADVERSE = (8, 9, 7, 4, 1)  # indices of the colours of outcomes that are adverse to a person: the warm ones

_NO_WORDS: Mapping[str, Any] = {"columns": [{"role": "target"}]}
"""A dataset whose dictionary says nothing of its target."""
OTHER_COLOUR = "#8d949c"
SHAPES = ("circle", "square", "triangle", "wedge")  # no diamond, which marks the explained row


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
        An answer of ``GET /v1/datasets/{id}``, whose target says what they are called, and which are adverse to the
        person concerned: those have warm colours, and the others none of these. None: they have their names.
    outcomes
        What is decided by the score of a class, where these are no classes; they are marked, too.
    """

    def __init__(
        self, labels: Sequence[str], dataset: Mapping[str, Any] | None = None, outcomes: Sequence[str] = ()
    ) -> None:
        self.labels = tuple(labels)
        target = _target_of(dataset) or {}
        self._said = {each["value"]: each["label"] for each in target.get("labels") or ()}
        self.adverse = frozenset(target.get("adverse") or ())
        marked = list(dict.fromkeys([*outcomes, *labels]))  # outcomes are marked alike in all views
        numbers = colour_numbers(marked, self.adverse)
        self._marks = {label: self._mark(index, label, numbers[label]) for index, label in enumerate(marked)}

    def has(self, *labels: str) -> bool:
        """Return whether all labels are classes: an outcome of a decision is never the class that came of a case."""
        return set(labels) <= set(self.labels)

    def __getitem__(self, label: str) -> ClassMark:
        """Return the mark of a class; of an unknown one, that of classes beyond the last colour."""
        return self._marks.get(label) or self._mark(len(COLOURS), label, None)

    @classmethod
    def of_outcomes(cls, model: Mapping[str, Any], dataset: Mapping[str, Any] | None = None) -> Self:
        """Return what a model decides, from its document: outcomes of its decision, or else its classes."""
        decision = model.get("decision")
        outcomes = [band["outcome"] for band in decision["bands"]] if decision else model.get("classes") or []
        return cls(outcomes, with_adverse(dataset or _NO_WORDS, model))

    def said(self, label: Any) -> Any:
        """Return what people call a class; anything else as it is."""
        return self._said.get(label, label)

    def _mark(self, index: int, label: str, number: int | None) -> ClassMark:
        colour = OTHER_COLOUR if number is None else COLOURS[number - 1]
        return ClassMark(label, number, colour, SHAPES[index % len(SHAPES)], self.said(label))


def colour_numbers(labels: Sequence[str], adverse: Collection[str] = ()) -> dict[str, int | None]:
    """Return the number of each class's colour, from 1 on; None of classes for which none is left.

    Where some are adverse to a person, they alone have warm colours; where none is known to be, these come last.
    """
    is_declared = any(label in adverse for label in labels)
    cool = iter(index for index in range(len(COLOURS)) if not is_declared or index not in _ADVERSE)
    warm = iter(_ADVERSE)
    numbers: dict[str, int | None] = {}
    for label in labels:
        index = next(warm if label in adverse else cool, None)
        numbers[label] = None if index is None else index + 1
    return numbers


def with_adverse(dataset: Mapping[str, Any] | None, model: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """Return a dataset whose target says, too, which outcomes a model's decision declares adverse."""
    declared = ((model or {}).get("decision") or {}).get("adverse") or []
    target = _target_of(dataset)
    if dataset is None or target is None or not declared:
        return dataset
    adverse = list(dict.fromkeys([*(target.get("adverse") or ()), *declared]))
    columns = [{**each, "adverse": adverse} if each is target else each for each in dataset["columns"]]
    return {**dataset, "columns": columns}


def _target_of(dataset: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    columns = () if dataset is None else dataset.get("columns", ())
    return next((column for column in columns if column.get("role") == "target"), None)
