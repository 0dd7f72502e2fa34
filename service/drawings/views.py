"""Views of the page: each gathers what the API's own operations answer, and draws it.

A view shows nothing that the contract does not give. What is gathered is bounded: lists have one page, and an artefact
whose result is larger than ``MAX_DRAWN_BYTES`` is not drawn but named.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from leafspace_drawings import (
    AuditContext,
    Call,
    DatasetContext,
    Here,
    MapContext,
    ModelContext,
    Request,
    RulesContext,
    SetContext,
    TreeContext,
    draw_approximation_tree,
    draw_dataset,
    draw_explainer,
    draw_found,
    draw_jobs,
    draw_label_audit,
    draw_map,
    draw_model,
    draw_overview,
    draw_pending,
    draw_prototype_set,
    draw_relational_forest,
    draw_represented,
    draw_rule_set,
    report,
)
from leafspace_drawings.overview import NOUNS as DRAWN
from leafspace_drawings.overview import made_of

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.datasets import DATASETS
from schemas.explainers import EXPLAINERS
from schemas.label_audits import LABEL_AUDITS
from schemas.maps import MAPS
from schemas.models import MODELS
from schemas.next_questions import NextQuestionRequest
from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.relational_forests import RELATIONAL_FORESTS
from schemas.reports import REPORTS
from schemas.rule_sets import RULE_SETS

from ..app_context import AppContext
from ..operations import artefacts, datasets, explainers, jobs, models, prototype_sets, reports
from ..operations.approximation_trees import next_question
from .documents import LINKS, Json, Parameters, at, beside, listed, newest, of_model, read, ready, to_json
from .explanations import value_of
from .reviews import label_review

_LISTED, _LISTED_ARTEFACTS, _SEARCHED = 50, 200, 1000
_MOST_COMPARED = 20  # datasets, whose columns are read while somebody waits
_MOST_NODES = 2_000_000  # of a model whose questions are counted while somebody waits
_REQUESTS = (
    Request("prototypes", PROTOTYPE_SETS.path, "prototypes", (("n_prototypes", "how many", 10),)),
    Request("rules", RULE_SETS.path, "rules", (("max_rules", "at most", 10),)),
    Request("one tree", APPROXIMATION_TREES.path, "trees", (("max_depth", "depth at most", 3),)),
    Request("label audit", LABEL_AUDITS.path, "audits"),
    Request("map", MAPS.path, "maps", (("n_rows", "rows at most", 5_000),)),
)
_SHOWN = tuple(noun for noun in NOUNS.made_by_jobs if noun.name in DRAWN)  # what the overview lists of each model
Draw = Callable[[AppContext, str, Parameters], str]
"""Draws the view of a thing with an id, as the parameters of the address ask."""


def overview(context: AppContext) -> str:
    """Draw what is here, and what is being made."""
    made = {
        noun.name: listed(artefacts.list_all(context, noun, _LISTED_ARTEFACTS, None, status="ready").data)
        for noun in _SHOWN
    }
    return draw_overview(
        Here(
            models=listed(models.list_models(context, _LISTED, None).data),
            datasets=listed(datasets.list_datasets(context, _LISTED, None).data),
            jobs=listed(jobs.list_jobs(context, _LISTED, None).data),
            artefacts=made,
            explainers=listed(explainers.list_explainers(context, _LISTED_ARTEFACTS, None).data),
            reports=listed(artefacts.list_all(context, REPORTS, _LISTED, None).data),
            links=LINKS,
        )
    )


def jobs_under_way(context: AppContext) -> str:
    """Draw jobs alone."""
    return draw_jobs(listed(jobs.list_jobs(context, _LISTED, None).data), LINKS)


def found(context: AppContext, name: str) -> str:
    """Draw the newest models, datasets, explainers and reports whose names contain a text, whatever its case."""
    here: list[tuple[str, str, list[Any]]] = [
        ("model", "models", models.list_models(context, _SEARCHED, None).data),
        ("dataset", "datasets", datasets.list_datasets(context, _SEARCHED, None).data),
        ("explainer", "explainers", explainers.list_explainers(context, _SEARCHED, None).data),
    ]
    reported = listed(artefacts.list_all(context, REPORTS, _SEARCHED, None).data)
    titled = [("report", "reports", {**each, "name": each["request"]["title"]}) for each in reported]
    things = [*((kind, part, to_json(thing)) for kind, part, of_kind in here for thing in of_kind), *titled]
    wanted = name.casefold()
    rows = [
        (kind, thing, LINKS.to(part, thing["id"]))
        for kind, part, thing in things
        if wanted in (thing["name"] or "").casefold() or thing["id"].startswith(name)
    ]
    return draw_found(name, rows[:_LISTED])


def model(context: AppContext, model_id: str, _parameters: Parameters) -> str:
    """Draw a model and how far what explains it can be trusted."""
    document = to_json(models.get_model(context, model_id))
    made = [newest(context, noun, model_id) for noun in (PROTOTYPE_SETS, RULE_SETS, APPROXIMATION_TREES)]
    has_trees = 0 < document["n_nodes"] <= _MOST_NODES
    usage = to_json(models.feature_usage(context, model_id))["data"] if has_trees else []
    ready = _ready(context, model=model_id)
    fitting = _with_its_features(context, document, ready)
    requests = _requests_of(document, has_trees=has_trees) if fitting else []
    every = made_of(ready, LINKS)
    titled = next((each for each in fitting if any(column.get("title") for column in each["columns"])), None)
    known = ModelContext(made[0], made[1], made[2], usage, fitting, requests, every, titled, LINKS)
    drawing = draw_model(document, known)
    return at(drawing, [(document["name"] or model_id, None)], read(MODELS, model_id))


def _requests_of(model: Json, *, has_trees: bool) -> list[Request]:
    """Return what can be requested of a model: without leaves only a tree, and audits only of classes."""
    requests = [each for each in _REQUESTS if has_trees or each.part == "trees"]
    return [each for each in requests if model["task"] == "classification" or each.part != "audits"]


def dataset(context: AppContext, dataset_id: str, _parameters: Parameters) -> str:
    """Draw a dataset's columns, and what was made of its rows."""
    document = to_json(datasets.get_dataset(context, dataset_id))
    drawing = draw_dataset(document, DatasetContext(_ready(context, dataset=dataset_id), LINKS))
    return at(drawing, [(document["name"] or dataset_id, None)], read(DATASETS, dataset_id))


def _ready(context: AppContext, **made_from: str) -> dict[str, list[Json]]:
    """Return the newest artefacts of each noun that were made from a model or a dataset."""
    return {
        noun.name: listed(artefacts.list_all(context, noun, _LISTED, None, **made_from, status="ready").data)
        for noun in _SHOWN
    }


def _with_its_features(context: AppContext, model: Json, made: Mapping[str, list[Json]]) -> list[Json]:
    """Return datasets that have a model's features, whatever their order.

    Those that something was made from come first, so that more of the same is what a form offers; then the newest.
    """
    names, found = set(model["feature_names"]), listed(datasets.list_datasets(context, _LISTED, None).data)
    used = [each["dataset"] for things in made.values() for each in things if each.get("dataset")]
    newest_ones = [each["id"] for each in found if each["n_features"] == model["n_features"]]
    some = list(dict.fromkeys([*used, *newest_ones]))[:_MOST_COMPARED]
    whole = [to_json(datasets.get_dataset(context, each)) for each in some]
    return [each for each in whole if {column["name"] for column in each["columns"]} >= names]


def prototype_set(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a prototype set."""
    return _made(context, PROTOTYPE_SETS, artefact_id, "prototypes", _prototypes, parameters)


def represented(context: AppContext, artefact_id: str, rank: int) -> str:
    """Draw the rows that a prototype represents."""
    document = ready(context, PROTOTYPE_SETS, artefact_id)
    page = b"".join(prototype_sets.list_represented_rows(context, artefact_id, rank, _LISTED_ARTEFACTS, None))
    known, dataset = beside(context, document)
    explainer = _explainer_of(context, artefact_id)
    shown = SetContext(known, dataset, links=LINKS, explainer=explainer)
    drawing = draw_represented(document, rank, json.loads(page)["data"], shown)
    way = [*of_model(known, ""), (f"no. {rank}", None)]
    way[1] = ("prototypes", LINKS.to("prototypes", artefact_id))
    python = f'client.prototype_sets.get("{artefact_id}").rows({rank})'
    return at(drawing, way, Call(f"{PROTOTYPE_SETS.path}/{artefact_id}/rows?rank={rank}", python))


def explainer(context: AppContext, explainer_id: str, _parameters: Parameters) -> str:
    """Draw an explainer, and ways to the rows that it explains."""
    document = to_json(explainers.get_explainer(context, explainer_id))
    prototypes = ready(context, PROTOTYPE_SETS, document["prototype_set"])["result"]["prototypes"]
    known = to_json(models.get_model(context, document["model"]))
    drawing = draw_explainer(document, prototypes, LINKS)
    return at(drawing, of_model(known, document["name"] or "explainer"), read(EXPLAINERS, explainer_id))


def rule_set(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a rule set."""
    return _made(context, RULE_SETS, artefact_id, "rules", _rules, parameters)


def approximation_tree(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a tree."""
    return _made(context, APPROXIMATION_TREES, artefact_id, "tree", _tree, parameters)


def label_audit(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw the most suspect rows of a label audit."""
    return _made(context, LABEL_AUDITS, artefact_id, "label audit", _audit, parameters)


def map_of_rows(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a map; a row of it is explained by the newest explainer of its model, if there is one."""
    return _made(context, MAPS, artefact_id, "map", _map, parameters)


def questionnaire(context: AppContext, artefact_id: str, parameters: Parameters) -> str:
    """Draw a tree, and the question that comes after the answers so far; ``set.NAME`` answers for a feature."""
    document = ready(context, APPROXIMATION_TREES, artefact_id)
    known, dataset = beside(context, document)
    types = dict(zip(known["feature_names"], known["feature_types"], strict=True))
    answers = {name: value_of(text, types.get(name, "number")) for name, text in changed_in(parameters).items()}
    question = to_json(next_question(context, artefact_id, NextQuestionRequest(answers=answers)))
    drawing = draw_approximation_tree(document, TreeContext(known, dataset, question, answers, LINKS))
    path = f"{APPROXIMATION_TREES.path}/{artefact_id}/next-question"
    python = f'client.approximation_trees.get("{artefact_id}").next_question({answers!r})'
    return at(drawing, of_model(known, "questionnaire"), Call(path, python, "POST", {"answers": answers}))


def relational_forest(context: AppContext, artefact_id: str, _parameters: Parameters) -> str:
    """Draw a relational forest with its warnings; of one that is not ready, how far it has come or why it failed."""
    state = to_json(artefacts.get_one(context, RELATIONAL_FORESTS, artefact_id))
    way: list[tuple[str, str | None]] = [("relational forest", None)]
    if state["status"] != "ready":
        job = None if state["job"] is None else to_json(jobs.get_job(context, state["job"]))
        return at(draw_pending(state, "relational forest", job), way, read(RELATIONAL_FORESTS, artefact_id))
    return at(draw_relational_forest(state, LINKS), way, read(RELATIONAL_FORESTS, artefact_id))


def filed_report(context: AppContext, report_id: str, _parameters: Parameters) -> str:
    """Draw a report as it is filed."""
    return _filed(context, report_id, is_verified=False)


def verified_report(context: AppContext, report_id: str, _parameters: Parameters) -> str:
    """Draw a report as it is filed, and say whether it is drawn the same today."""
    return _filed(context, report_id, is_verified=True)


def _filed(context: AppContext, report_id: str, *, is_verified: bool) -> str:
    state = to_json(artefacts.get_one(context, REPORTS, report_id))
    way: list[tuple[str, str | None]] = [(f"report: {state['request']['title']}", None)]
    if state["status"] != "ready":
        job = None if state["job"] is None else to_json(jobs.get_job(context, state["job"]))
        return at(draw_pending(state, "report", job), way, read(REPORTS, report_id))
    found = to_json(reports.verify(context, report_id)) if is_verified else None
    drawing = report.draw_filed(state, reports.report_file(context, report_id), found, LINKS)
    save = Call(f"{REPORTS.path}/{report_id}/content", f'client.reports.get("{report_id}").save("report.html")')
    return at(drawing, way, save)


VIEWS: dict[str, Draw] = {
    "models": model,
    "datasets": dataset,
    "explainers": explainer,
    "prototypes": prototype_set,
    "rules": rule_set,
    "trees": approximation_tree,
    "questions": questionnaire,
    "audits": label_audit,
    "reviews": label_review,
    "maps": map_of_rows,
    "relational-forests": relational_forest,
    "reports": filed_report,
    "verified-reports": verified_report,
}
"""By the first part of an address, such as ``#/models/mdl_1``: a view of a thing is added to the page here."""
_CHANGED = "set."  # before the name of a feature that is changed


def changed_in(parameters: Parameters) -> dict[str, str]:
    """Return the values that an address sets, by feature."""
    return {name.removeprefix(_CHANGED): value for name, value in parameters.items() if name.startswith(_CHANGED)}


def _made(
    context: AppContext,
    noun: Noun[Any],
    artefact_id: str,
    words: str,
    draw: Callable[[AppContext, Json, tuple[Json, Json], Parameters], str],
    parameters: Parameters,
) -> str:
    """Return an artefact's drawing in its place; of one that is not ready, how far it has come or why it failed."""
    state = context.artefacts.get(noun.name, artefact_id)
    if state.result is None:
        document = to_json(artefacts.get_one(context, noun, artefact_id))
        job = None if state.job is None else to_json(jobs.get_job(context, state.job))
        known = to_json(models.get_model(context, document["request"]["model"]))
        return at(draw_pending(document, words, job), of_model(known, words), read(noun, artefact_id))
    document = ready(context, noun, artefact_id)
    beside_it = beside(context, document)
    drawing = draw(context, document, beside_it, parameters)
    return at(drawing, of_model(beside_it[0], words), read(noun, artefact_id))


def _prototypes(context: AppContext, document: Json, beside_it: tuple[Json, Json], parameters: Parameters) -> str:
    n_first = int(parameters["k"]) if parameters.get("k", "").isdecimal() else None
    explainer = _explainer_of(context, document["id"])
    shown = SetContext(*beside_it, links=LINKS, n_first=n_first, explainer=explainer)
    return context.drawings.get(draw_prototype_set, document, shown)


def _explainer_of(context: AppContext, prototype_set_id: str) -> str | None:
    """Return the newest explainer with these prototypes, if there is one."""
    made = explainers.list_explainers(context, 1, None, prototype_set=prototype_set_id).data
    return made[0].id if made else None


def _rules(context: AppContext, document: Json, beside_it: tuple[Json, Json], _parameters: Parameters) -> str:
    return context.drawings.get(draw_rule_set, document, RulesContext(*beside_it, links=LINKS))


def _tree(context: AppContext, document: Json, beside_it: tuple[Json, Json], _parameters: Parameters) -> str:
    return context.drawings.get(draw_approximation_tree, document, TreeContext(*beside_it, links=LINKS))


def _audit(_context: AppContext, document: Json, beside_it: tuple[Json, Json], _parameters: Parameters) -> str:
    return draw_label_audit(document, AuditContext(*beside_it, links=LINKS))


def _map(context: AppContext, document: Json, beside_it: tuple[Json, Json], _parameters: Parameters) -> str:
    known, dataset = beside_it
    newest_first = explainers.list_explainers(context, 1, None, model=known["id"]).data
    explainer = newest_first[0].id if newest_first else None
    return draw_map(document, MapContext(known, dataset, explainer, LINKS))
