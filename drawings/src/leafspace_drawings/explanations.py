"""Explanations of several rows, a line each."""

from collections.abc import Mapping, Sequence
from typing import Any

from .classes import Classes
from .templating import render
from .waterfall import effects_on
from .words import reference_case

Json = Mapping[str, Any]

N_EXPLANATIONS_SHOWN = 20


def draw_explanations(rows: Sequence[Json], n_shown: int = N_EXPLANATIONS_SHOWN, dataset: Json | None = None) -> str:
    """Return a table of the first rows of an answer of ``POST /v1/explainers/{id}/explanations``.

    ``dataset`` is the explainer's, whose target says what classes and outcomes are called.
    """
    return render("explanations", several=_Several(rows, n_shown, dataset))


class _Several:
    """What the template shows of explanations."""

    def __init__(self, rows: Sequence[Json], n_shown: int, dataset: Json | None) -> None:
        self.rows, self.n = rows[:n_shown], len(rows)
        scores: Sequence[Json] = next((each["prediction"]["scores"] for each in rows if _is_classified(each)), [])
        bands: Sequence[Json] = next((each["decision"]["bands"] for each in rows if _is_decided(each)), [])
        outcomes = [band["outcome"] for band in bands]
        self.classes = Classes([score["label"] for score in scores], dataset, outcomes)

    def reference(self, row: Json) -> str:
        """Return what the effects of a row compare it with."""
        reference: Json = row["effects"]["reference"]
        outcome = reference.get("outcome")
        return reference_case(reference if outcome is None else {**reference, "outcome": self.classes.said(outcome)})

    @property
    def has_effects(self) -> bool:
        """Whether any row that is shown has effects."""
        return any(row.get("effects") for row in self.rows)

    @property
    def effects_on(self) -> str:
        """What the effects of these rows are on."""
        return effects_on([row["effects"] for row in self.rows if row.get("effects")], self.classes.said)

    @property
    def n_more(self) -> int:
        """Rows beyond those that are shown."""
        return self.n - len(self.rows)

    @staticmethod
    def score(row: Json) -> float:
        """Return the score of the predicted class."""
        prediction = row["prediction"]
        return next((float(each["value"]) for each in prediction["scores"] if each["label"] == prediction["label"]), 0)

    @staticmethod
    def near(row: Json) -> Json | None:
        """Return the nearest prototype, if there is one."""
        return next(iter(row["nearest_prototypes"]), None)


def _is_decided(row: Json) -> bool:
    return row["status"] != "error" and "bands" in row.get("decision", ())


def _is_classified(row: Json) -> bool:
    return row["status"] != "error" and bool(row["prediction"].get("scores"))
