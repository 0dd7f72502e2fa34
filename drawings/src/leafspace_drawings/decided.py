"""What a model decides, in the words of a dataset: its outcomes and which scores have them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .classes import Classes, ClassMark
from .columns import ColumnName, ColumnNames
from .waterfall import band_ends
from .words import number

Json = Mapping[str, Any]

_N_OUTCOMES = 10


@dataclass(frozen=True, slots=True)
class DecidedOutcome:
    """Something that a model decides."""

    mark: ClassMark
    ends: str  # which scores have it, in words; empty where the most likely class is predicted
    is_adverse: bool


@dataclass(frozen=True, slots=True)
class Decided:
    """What a model decides, in the words of a dataset."""

    outcomes: tuple[DecidedOutcome, ...]
    n_more: int  # outcomes beyond those that are listed
    score_of: str | None  # the class whose score decides; None: none does
    target: ColumnName | None  # what is predicted; None where no dataset says so
    range: str  # of the target's values, in words; empty where it is not known

    @classmethod
    def of_model(cls, model: Json, dataset: Json | None) -> "Decided":
        """Return what a model decides, from its document and that of a dataset with its features."""
        decision = model.get("decision")
        marks = Classes.of_outcomes(model, dataset)
        ends = [""] * len(marks.labels)
        if decision is not None:
            ends = band_ends([band["below"] for band in decision["bands"][:-1]])
        listed = [
            DecidedOutcome(marks[label], words, label in marks.adverse)
            for label, words in zip(marks.labels, ends, strict=True)
        ]
        score_of = None if decision is None else decision["score_of"]
        said = None if score_of is None else str(marks.said(score_of))
        target = next((each for each in (dataset or {}).get("columns", ()) if each.get("role") == "target"), None)
        name = None if target is None else ColumnNames(dataset)[target["name"]]
        return cls(tuple(listed[:_N_OUTCOMES]), len(listed[_N_OUTCOMES:]), said, name, _range_of(target))


def _range_of(column: Json | None) -> str:
    if column is None or column.get("type") != "number" or column.get("min") is None:
        return ""
    return f"{number(column['min'])} to {number(column['max'])}"
