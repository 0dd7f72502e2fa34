"""The overview: all models and datasets, and the jobs that run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .decided import Decided
from .jobs import Jobs, Work
from .links import Links
from .mean_effects import OverRows
from .model import kind_of
from .pictures import address_of, picture, words_of
from .templating import render
from .words import measured_on, number, share

Json = Mapping[str, Any]

_ROWS_NAMED = 12


@dataclass(frozen=True, slots=True)
class Here:
    """What an overview shows: documents of the API's lists, newest first."""

    models: Sequence[Json] = ()
    datasets: Sequence[Json] = ()
    jobs: Jobs = field(default_factory=Jobs)
    artefacts: Mapping[str, Sequence[Json]] = field(default_factory=dict)  # by noun, without results
    explainers: Sequence[Json] = ()
    reports: Sequence[Json] = ()
    links: Links = field(default_factory=Links)
    figures: Mapping[str, "ModelFigure"] = field(default_factory=dict)  # by the id of a model, where there is one


@dataclass(frozen=True, slots=True)
class ModelFigure:
    """How well a model predicts, in one figure beside that of always giving the same answer."""

    value: str
    about: str  # what it is, and on which rows it was measured
    n_cautions: int = 0  # that limit it, or what explains the model

    @classmethod
    def of_evaluation(cls, result: Json) -> "ModelFigure":
        """Return the figure of an evaluation: the share of right labels, or the mean absolute error."""
        found, rows = result["classification"], f"on {result['measured_on']}"
        if found is not None:
            return cls(
                share(found["accuracy"]["share"]), f"right, {_always(share(found['constant_accuracy']))}, {rows}"
            )
        error = result["regression"]["mean_absolute_error"]
        beside = "" if error["constant"] is None else f"{_always(number(error['constant']))}, "
        return cls(number(error["value"]), f"off on average, {beside}{rows}")

    @classmethod
    def of_prototypes(cls, result: Json) -> "ModelFigure | None":
        """Return the figure of the model beside its prototypes; None where their rows have no target."""
        model, constant = result["baseline"]["model"], result["baseline"]["constant"]
        if not model:
            return None
        rows = f"on {measured_on(model['n_rows'], result['evaluated_on'])}"
        if result["task"] == "regression":
            return cls(number(model["r2"]), f"R², 0 by always the same answer, {rows}")
        beside = f"{_always(share(constant['balanced_accuracy']))}, " if constant else ""
        return cls(share(model["balanced_accuracy"]), f"balanced accuracy, {beside}{rows}")


def _always(figure: str) -> str:
    return f"{figure} by always the same answer"


def draw_overview(here: Here) -> str:
    """Return the drawing of everything that a service has."""
    cards = [_Card(model, here) for model in here.models]
    return render("overview", here=here, cards=cards, reports=_reports(here), work=Work(here.jobs))


def made_of(made: Mapping[str, Sequence[Json]], links: Links) -> list[tuple[str, str | None, Json]]:
    """Return the name, the address and the document of each of these artefacts, which the page has views of."""
    every = [document for documents in made.values() for document in documents]
    return [(words_of(each["id"]), address_of(each["id"], links), each) for each in every]


def _reports(here: Here) -> list[tuple[Json, str | None, str]]:
    """Return each report with its address and the name of its model, if that is among those here."""
    models = {model["id"]: model["name"] or model["id"] for model in here.models}
    names = {explainer["id"]: models.get(explainer["model"], "") for explainer in here.explainers}
    return [
        (report, here.links.to("reports", report["id"]), names.get(report["request"]["explainer"], ""))
        for report in here.reports
    ]


@picture("explainer", ids="xpl_", part="explainers", words="explainer")
def draw_explainer(
    explainer: Json,
    prototypes: Sequence[Json],
    links: Links,
    over_rows: OverRows | None = None,
    of_model: "tuple[Json, Decided, ModelFigure | None] | None" = None,
) -> str:
    """Return the drawing of an explainer: what it explains by, which row it shall explain, and which features count.

    Parameters
    ----------
    explainer
        The answer of ``GET /v1/explainers/{id}``.
    prototypes
        Of its prototype set.
    over_rows
        What is known of its reference rows; None: nothing.
    of_model
        The model's document, what it decides, and how well, where that was measured; None: not known.
    """
    ids = filter(None, map(explainer.get, ("prototype_set", "rule_set", "approximation_tree")))
    parts = [(words_of(part), address_of(part, links)) for part in ids]
    n_numeric = 2 if of_model is None else sum(kind == "number" for kind in of_model[0]["feature_types"])
    if n_numeric > 1:  # one for each axis
        parts.append(("regions over two features", links.to("regions", explainer["id"])))
    rows = links.to("explainers", explainer["id"], "rows", "")
    named = [str(each["row_id"]) for each in prototypes[:_ROWS_NAMED]]
    links_of_rows = [(row, links.to("explainers", explainer["id"], "rows", row)) for row in named]
    return render(
        "explainer",
        explainer=explainer,
        parts=parts,
        rows=rows,
        new_row=links.to("explainers", explainer["id"], "form"),
        prototypes=links_of_rows,
        over=over_rows or OverRows(),
        of_model=of_model and (*of_model, links.to("models", explainer["model"])),
    )


def draw_pending(document: Json, words: str, job: Json | None) -> str:
    """Return the drawing of an artefact that is not ready: how far it has come, or why there is none.

    Parameters
    ----------
    document
        Its answer of the API, without a result.
    words
        What it is, such as ``prototypes``.
    job
        The job that makes it; None if that is no longer kept.
    """
    return render("pending", document=document, words=words, job=job)


class _Card:
    """A model, and what exists for it."""

    def __init__(self, model: Json, here: Here) -> None:
        self.model = model
        self.kind = kind_of(model)
        self.figure = here.figures.get(model["id"])
        self.href = here.links.to("models", model["id"])
        self.made = [
            (words_of(document["id"]), address_of(document["id"], here.links))
            for documents in here.artefacts.values()
            for document in _of_model(documents, model["id"])
        ]
        self.explainers = [
            (explainer, here.links.to("explainers", explainer["id"]))
            for explainer in here.explainers
            if explainer["model"] == model["id"]
        ]


def _of_model(documents: Sequence[Json], model: str) -> list[Json]:
    """Return the newest artefact of a model that is ready, if there is one."""
    return [each for each in documents if each["request"]["model"] == model and each["status"] == "ready"][:1]
