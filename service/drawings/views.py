"""Views of the page: each gathers what the API's own operations answer, and draws it.

A view shows nothing that the contract does not give. What is gathered is bounded: lists have one page, and an artefact
whose result is larger than ``MAX_DRAWN_BYTES`` is not drawn but named.
"""

from typing import Any

from leafspace_drawings import (
    Call,
    DatasetContext,
    Form,
    Here,
    Measured,
    ModelFigure,
    OverRows,
    Picture,
    TreeContext,
    draw_approximation_tree,
    draw_dataset,
    draw_explainer,
    draw_overview,
    draw_pending,
    draw_relational_forest,
    renaming,
    report,
)
from leafspace_drawings.columns import ColumnNames
from leafspace_drawings.dataset import N_COLUMNS_SHOWN
from leafspace_drawings.decided import Decided

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.datasets import DATASETS
from schemas.evaluations import EVALUATIONS
from schemas.explainers import EXPLAINERS
from schemas.maps import MAPS
from schemas.next_questions import NextQuestionRequest
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.relational_forests import RELATIONAL_FORESTS
from schemas.reports import REPORTS

from ..app_context import AppContext
from ..operations import artefacts, explainers, reports
from ..operations.approximation_trees import next_question
from .documents import (
    DRAWN,
    LINKS,
    SHOWN,
    Draw,
    Json,
    Parameters,
    at,
    beside,
    fitting_datasets,
    listed,
    mean_effects,
    newest,
    newest_explainer,
    of_model,
    read,
    ready,
    ready_artefacts,
    shown_dataset,
    to_json,
    view,
)
from .forms import form_of_report, forms_of_artefact
from .histograms import counts_by_class
from .jobs import jobs_here
from .models import figure_of
from .remedies import forms_of_cautions
from .typed_values import CHANGED, texts_in, value_of

_LISTED, _LISTED_ARTEFACTS = 50, 200


def overview(context: AppContext) -> str:
    """Draw what is here, and what is being made."""
    ready = {
        noun.name: listed(artefacts.list_all(context, noun, _LISTED_ARTEFACTS, None, status="ready").data)
        for noun in SHOWN
    }
    models = listed(context.models.list(_LISTED, None).data)
    figures = {each["id"]: figure_of(context, each["id"], _of_model(ready, each["id"])) for each in models}
    return draw_overview(
        Here(
            models=models,
            datasets=listed(context.datasets.list(_LISTED, None).data),
            jobs=jobs_here(context),
            artefacts=ready,
            explainers=listed(context.explainers.list(_LISTED_ARTEFACTS, None).data),
            reports=listed(artefacts.list_all(context, REPORTS, _LISTED, None).data),
            links=LINKS,
            figures={model: figure for model, figure in figures.items() if figure is not None},
        )
    )


def _of_model(made: dict[str, list[Json]], model_id: str) -> dict[str, list[Json]]:
    """Return those of these artefacts, by noun, that were made of a model and can be read."""
    return {
        noun: [each for each in some if each["request"]["model"] == model_id and each["status"] == "ready"]
        for noun, some in made.items()
    }


@view("datasets")
def dataset(context: AppContext, dataset_id: str, _parameters: Parameters) -> str:
    """Draw a dataset's columns, and what was made of its rows."""
    document = shown_dataset(context, dataset_id)
    n_hidden = len(context.dictionaries.get(dataset_id).hidden)
    made = ready_artefacts(context, dataset=dataset_id)
    models = {each["request"]["model"] for some in made.values() for each in some if "model" in each["request"]}
    names = {model: name or model for model, name in context.models.names(models).items()}
    counts = counts_by_class(context, document, N_COLUMNS_SHOWN)
    form = renaming(document, "datasets")
    known = DatasetContext(made, LINKS, names, counts=counts, n_hidden=n_hidden, renaming=form)
    drawing = draw_dataset(document, known)
    return at(drawing, [(document["name"] or dataset_id, None)], read(DATASETS, dataset_id))


@view("explainers")
def explainer(context: AppContext, explainer_id: str, _parameters: Parameters) -> str:
    """Draw an explainer, and ways to the rows that it explains."""
    document = to_json(explainers.get_explainer(context, explainer_id))
    prototype_set = ready(context, PROTOTYPE_SETS, document["prototype_set"])
    known, dataset = beside(context, prototype_set)
    result, effects = prototype_set["result"], mean_effects(context, explainer_id)
    over_rows = OverRows(result.get("row_coverage"), effects, ColumnNames(dataset))
    figure = figure_of(context, known["id"], ready_artefacts(context, model=known["id"]))
    of_model_shown = known, Decided.of_model(known, dataset), figure
    drawing = draw_explainer(document, result["prototypes"], LINKS, over_rows, of_model_shown)
    drawing += form_of_report(context, document, dataset, fitting_datasets(context, known))
    return at(drawing, of_model(known, document["name"] or "explainer"), read(EXPLAINERS, explainer_id))


@view("questions")
def questionnaire(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a tree, and the question that comes after the answers so far; ``set.NAME`` answers for a feature."""
    document = ready(context, APPROXIMATION_TREES, artefact_id)
    known, dataset = beside(context, document)
    types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
    answers = {name: value_of(text, types.get(name, "number")) for name, text in texts_in(parameters, CHANGED).items()}
    question = to_json(next_question(context, artefact_id, NextQuestionRequest(answers=answers)))
    drawing = draw_approximation_tree(document, TreeContext(known, dataset, question, answers, LINKS))
    path = f"{APPROXIMATION_TREES.path}/{artefact_id}/next-question"
    python = f'client.approximation_trees.get("{artefact_id}").next_question({answers!r})'
    return at(drawing, of_model(known, "questionnaire"), Call(path, python, "POST", {"answers": answers}))


@view("relational-forests")
def relational_forest(context: AppContext, artefact_id: str, _parameters: Parameters) -> str:
    """Draw a relational forest with its warnings; of one that is not ready, how far it has come or why it failed."""
    state = to_json(artefacts.get_one(context, RELATIONAL_FORESTS, artefact_id))
    way: list[tuple[str, str | None]] = [("relational forest", None)]
    if state["status"] != "ready":
        job = None if state["job"] is None else to_json(context.jobs.get(state["job"]))
        return at(draw_pending(state, "relational forest", job), way, read(RELATIONAL_FORESTS, artefact_id))
    return at(draw_relational_forest(state, LINKS), way, read(RELATIONAL_FORESTS, artefact_id))


@view("reports")
def filed_report(context: AppContext, report_id: str, _parameters: Parameters) -> str:
    """Draw a report as it is filed."""
    return _filed(context, report_id, is_verified=False)


@view("verified-reports")
def verified_report(context: AppContext, report_id: str, _parameters: Parameters) -> str:
    """Draw a report as it is filed, and say whether it is drawn the same today."""
    return _filed(context, report_id, is_verified=True)


def _filed(context: AppContext, report_id: str, *, is_verified: bool) -> str:
    state = to_json(artefacts.get_one(context, REPORTS, report_id))
    way: list[tuple[str, str | None]] = [(f"report: {state['request']['title']}", None)]
    if state["status"] != "ready":
        job = None if state["job"] is None else to_json(context.jobs.get(state["job"]))
        return at(draw_pending(state, "report", job), way, read(REPORTS, report_id))
    verification = to_json(reports.verify(context, report_id)) if is_verified else None
    drawing = report.draw_filed(state, reports.report_file(context, report_id), verification, LINKS)
    save = Call(f"{REPORTS.path}/{report_id}/content", f'client.reports.get("{report_id}").save("report.html")')
    return at(drawing, way, save)


def _artefact_view(noun: Noun[Any], picture: Picture) -> Draw:
    """Return the view of artefacts that are made of a model and the rows of a dataset."""

    def draw(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
        state = context.artefacts.get(noun.name, artefact_id)
        if state.result is None:
            return _pending(context, noun, artefact_id, picture.words)
        document = ready(context, noun, artefact_id)
        model, dataset = beside(context, document)
        options = _options(context, document, parameters)
        fitting = fitting_datasets(context, model, {noun.name: [document]})
        remedies = forms_of_cautions(noun, document, fitting)
        shown = picture.beside(model, dataset, links=LINKS, remedies=remedies, **options)
        drawing = context.drawings.get(picture.draw, document, shown)
        forms = forms_of_artefact(context, noun, document, fitting, remedies)
        return at(drawing + forms, of_model(model, picture.words), read(noun, artefact_id))

    return draw


def _pending(context: AppContext, noun: Noun[Any], artefact_id: str, words: str) -> str:
    """Draw how far an artefact has come or why it failed."""
    document = to_json(artefacts.get_one(context, noun, artefact_id))
    job = None if document["job"] is None else to_json(context.jobs.get(document["job"]))
    known = to_json(context.models.get(document["request"]["model"]).view)
    return at(draw_pending(document, words, job), of_model(known, words), read(noun, artefact_id))


def _options(context: AppContext, document: Json, parameters: Parameters) -> Json:
    """Return what a picture can use beside the model and the dataset: the newest explainer, and what is asked for."""
    if document["object"] == PROTOTYPE_SETS.singular:
        n_first = int(parameters["k"]) if parameters.get("k", "").isdecimal() else None
        return {"n_first": n_first, "explainer": newest_explainer(context, prototype_set=document["id"])}
    if document["object"] == EVALUATIONS.singular:
        cutoff = int(parameters["cutoff"]) if parameters.get("cutoff", "").isdecimal() else None
        explainer = newest_explainer(context, model=document["request"]["model"])
        return {"outcome": parameters.get("outcome"), "cutoff": cutoff, "explainer": explainer}
    if document["object"] == MAPS.singular:
        return {"explainer": newest_explainer(context, model=document["request"]["model"])}
    return _of_comparison(context, document["request"]) if document["object"] == COMPARISONS.singular else {}


def _of_comparison(context: AppContext, request: Json) -> Json:
    """Return the other model or dataset of a comparison, and the newest explainers of both models."""
    explainer = newest_explainer(context, model=request["model"])
    if request["other_model"] is None:
        return {"other": to_json(context.datasets.summary(request["other_dataset"])), "explainer": explainer}
    other = to_json(context.models.summary(request["other_model"]))
    of_other = newest_explainer(context, model=request["other_model"])
    measured = {each: _measured(context, each, request["dataset"]) for each in (request["model"], other["id"])}
    shown = {each: known for each, known in measured.items() if known is not None}
    return {"other": other, "explainer": explainer, "other_explainer": of_other, "measured": shown}


def _measured(context: AppContext, model_id: str, dataset_id: str) -> Measured | None:
    """Return how well a model predicts the rows of a dataset, or the form that measures it; None without a target."""
    for found in newest(context, EVALUATIONS, model_id, dataset=dataset_id):
        return Measured(ModelFigure.of_evaluation(found["result"]), found["id"])
    body = {"model": model_id, "dataset": dataset_id}
    form = Form("evaluation", EVALUATIONS.path, "evaluations", (), body)
    return Measured(form=form) if context.datasets.get(dataset_id).view.target is not None else None


for _noun in SHOWN:
    view(DRAWN[_noun.singular].part)(_artefact_view(_noun, DRAWN[_noun.singular]))
