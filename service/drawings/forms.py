"""What can be requested where a view stands: what a model, a dataset or an artefact can be made into, in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from leafspace_drawings import Choice, Entry, Form, Ticks, draw_forms, options_of
from leafspace_drawings.classes import Classes
from leafspace_drawings.methods import METHODS
from leafspace_drawings.words import moment, name_or_id, requested_size

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.comparisons import COMPARISONS
from schemas.evaluations import EVALUATIONS
from schemas.explainers import EXPLAINERS
from schemas.label_audits import LABEL_AUDITS
from schemas.maps import MAPS
from schemas.noun import Noun
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.reports import NO_EVALUATION, REPORTS
from schemas.rule_sets import RULE_SETS

from ..app_context import AppContext
from ..operations import artefacts
from .documents import Json, listed, to_json
from .remedies import MOST_RULES, RULE_METHODS, TREE_METHODS, held_out_first, prototype_methods, remeasured

_LISTED = 50
_MOST_ROWS_OF_MAP, _MOST_CLASSES = 20_000, 50
_MOST_COMPARED = 20  # models, whose features are read
_AUDIT_METHODS = [("", "whichever finds more"), *((name, METHODS[name]) for name in ("all_rows", "neighbors"))]
_PAIR = 2  # classes, of which the second is the positive outcome
_MEASURE = "measured on"
_ITSELF = "the same rows"


def forms_of_model(context: AppContext, model: Json, datasets: Sequence[Json], *, has_leaves: bool) -> list[Form]:
    """Return the forms of what can be made of a model and the rows of datasets that fit it."""
    if not datasets:
        return []
    of, measured = _of(datasets), _measured(datasets)
    body = {"model": model["id"]}
    tree = Form(
        "one tree",
        APPROXIMATION_TREES.path,
        "trees",
        (of, Entry("max_depth", "depth at most", "3"), Choice("method", "method", TREE_METHODS), measured),
        body,
    )
    forms = [*evaluations_of(model, datasets), tree]
    if has_leaves:
        forms = [*_of_leaves(model, datasets), *forms, *_comparisons(context, model, datasets)]
    return forms


def evaluations_of(model: Json, datasets: Sequence[Json]) -> list[Form]:
    """Return the form of an evaluation on rows whose target is known: those held out from training first."""
    labelled = [each for each in datasets if each["target"] is not None]
    if not labelled:
        return []
    fields: list[Choice | Entry] = [Choice("dataset", "on", options_of(held_out_first(labelled)))]
    if model["classes"]:
        said = _class_names(model, labelled)
        classes = [(label, said(label)) for label in model["classes"][:_MOST_CLASSES]]
        usual = "as decided" if model["decision"] else "each class"
        if not model["decision"] and len(classes) <= _PAIR:
            _, usual = classes.pop()
        fields.append(Choice("positive", "positive outcome", [("", usual), *classes]))
    fields.append(Entry("group_by", "by columns", "", "list", 1000))
    return [Form("evaluation", EVALUATIONS.path, "evaluations", fields, {"model": model["id"]})]


def _class_names(model: Json, labelled: Sequence[Json]) -> Callable[[str], str]:
    """Return what classes are called, by the first dataset whose dictionary says so."""
    every = [Classes(model["classes"], each).said for each in labelled]
    return next((said for said in every if any(said(label) != label for label in model["classes"])), every[0])


def _of_leaves(model: Json, datasets: Sequence[Json]) -> list[Form]:
    """Return the forms of what is made from the leaves of a model's trees."""
    of, measured, body = _of(datasets), _measured(datasets), {"model": model["id"]}
    n_prototypes, n_rules = (
        Entry("n_prototypes", "how many", "10"),
        Entry("max_rules", "at most", "10", most=MOST_RULES),
    )
    chosen = (
        of,
        n_prototypes,
        Choice("method", "method", prototype_methods(is_regression=not model["classes"])),
        measured,
    )
    ruled = (of, n_rules, Choice("method", "method", RULE_METHODS), measured)
    forms = [
        Form("prototypes", PROTOTYPE_SETS.path, "prototypes", chosen, body),
        Form("rules", RULE_SETS.path, "rules", ruled, body),
    ]
    labelled = [each for each in datasets if each["target"] is not None]
    if model["task"] == "classification" and labelled:
        voting = (_of(labelled), Choice("method", "method", _AUDIT_METHODS))
        forms.append(Form("label audit", LABEL_AUDITS.path, "audits", voting, body))
    mapped = (of, Entry("n_rows", "rows at most", "5000", most=_MOST_ROWS_OF_MAP))
    return [*forms, Form("map", MAPS.path, "maps", mapped, body)]


def _comparisons(context: AppContext, model: Json, datasets: Sequence[Json]) -> list[Form]:
    """Return the forms that compare a model with others of its task, and newer rows with older ones."""
    body = {"model": model["id"]}
    others = _comparable(context, model, datasets)
    forms = []
    if others:
        fields = (Choice("other_model", "with", options_of(others)), Choice("dataset", "on", options_of(datasets)))
        forms.append(Form("another model", COMPARISONS.path, "comparisons", fields, body))
    if len(datasets) > 1:
        newer = Choice("other_dataset", "of", options_of(datasets), datasets[1]["id"])
        fields = (newer, Choice("dataset", "against", options_of(datasets)))
        forms.append(Form("drift", COMPARISONS.path, "comparisons", fields, body))
    return forms


def _comparable(context: AppContext, model: Json, datasets: Sequence[Json]) -> list[Json]:
    """Return other models of the task whose features datasets have, and that predict some of the same classes.

    Those that take the first dataset, which a form offers first, come first.
    """
    every = listed(context.models.list(_LISTED, None).data)
    alike = [each["id"] for each in every if each["id"] != model["id"] and each["task"] == model["task"]]
    whole = [to_json(context.models.get(each).view) for each in alike[:_MOST_COMPARED]]
    tables = [{column["name"] for column in dataset["columns"]} for dataset in datasets]
    fitting = [
        each
        for each in whole
        if each["n_trees"]  # rows are compared by leaves
        and any(table.issuperset(each["feature_names"]) for table in tables)
        and (not model["classes"] or not set(model["classes"]).isdisjoint(each["classes"]))
    ]
    return sorted(fitting, key=lambda each: not tables[0].issuperset(each["feature_names"]))


def _of(datasets: Sequence[Json]) -> Choice:
    return Choice("dataset", "of", options_of(datasets))


def _measured(datasets: Sequence[Json]) -> Choice:
    """Return the choice of the rows that figures are measured on: those held out from training, where some are."""
    held_out = next((each["id"] for each in held_out_first(datasets) if each["held_out"]), "")
    return Choice("evaluation_dataset", _MEASURE, options_of(datasets, _ITSELF), held_out)


def forms_of_artefact(
    context: AppContext, noun: Noun[Any], document: Json, datasets: Sequence[Json], beside: Mapping[str, Form]
) -> str:
    """Return what can be made of an artefact next; ``beside`` has the forms that its cautions have already."""
    if noun == EVALUATIONS:
        known = to_json(context.models.get(document["request"]["model"]).view)
        return draw_forms("Measure it in another way", evaluations_of(known, datasets))
    forms = [] if "other_rows" in beside else measured_elsewhere(noun, document, datasets)
    if noun == PROTOTYPE_SETS:
        return draw_forms("Explain rows with these prototypes", [_explainer(context, document)]) + draw_forms(
            "Measure them on other rows", forms
        )
    return draw_forms("Measure it on other rows", forms)


def measured_elsewhere(noun: Noun[Any], document: Json, datasets: Sequence[Json]) -> list[Form]:
    """Return the form that measures on other rows what was measured on those that it was made from."""
    request = document["request"]
    if "evaluation_dataset" not in request or request["evaluation_dataset"] is not None:
        return []
    return remeasured(noun, document, datasets)


def _explainer(context: AppContext, prototype_set: Json) -> Form:
    """Return the form of an explainer by a prototype set, with rules and a tree of its model where there are some."""
    model = prototype_set["request"]["model"]
    fields = (
        Entry("name", "name", "", "text", 200),
        _newest(context, RULE_SETS, model, "rule_set", "rules"),
        _newest(context, APPROXIMATION_TREES, model, "approximation_tree", "tree"),
    )
    body = {"model": model, "prototype_set": prototype_set["id"]}
    return Form("explainer", EXPLAINERS.path, "explainers", fields, body)


@dataclass(frozen=True, slots=True)
class ReportedRow:
    """A row that a report is to be about."""

    title: str  # of the report
    body: Json  # fields of the request that name the row, or have its values
    name: str | None = None  # what a row without an id may be called; None: it has one


def form_of_report(
    context: AppContext, explainer: Json, dataset: Json, datasets: Sequence[Json], row: ReportedRow | None = None
) -> str:
    """Return the form of a report on an explainer, with all that it can show.

    One on a single row begins with the row alone: nothing else is chosen at first.
    """
    model, of_model = explainer["model"], row is None
    others = _explainers_beside(context, model, dataset)
    newer = [each for each in datasets if each["id"] != dataset["id"]]
    shown = [
        _newest(context, RULE_SETS, model, "rule_set", "rules"),
        _newest(context, APPROXIMATION_TREES, model, "approximation_tree", "tree"),
        _newest(context, MAPS, model, "map", "map"),
        _newest(context, LABEL_AUDITS, model, "label_audit", "label audit"),
        _comparisons_of(context, model),
        _evaluation(
            context, model, "the newest on held-out rows, if any" if of_model else "in the summary alone, if any"
        ),
    ]
    fields = (
        Entry("title", "title", (explainer["name"] or "Review") if row is None else row.title, "text", 200),
        Entry("author", "author", "", "text", 255),
        Entry("verdict", "verdict", "", "text", 1000),
        *([Entry("rows", "rows explained, by id", "", "list", 1000)] if row is None else _fields_of_row(row)),
        *(each if of_model else replace(each, chosen="") for each in shown),
        Choice("compare_with", "beside", [("", "no other model"), *others]),
        Choice("newer_dataset", "newer rows", options_of(newer, "none")),
        Entry("note", "note", "", "text", 4000),
    )
    body = {"explainer": explainer["id"], **({} if row is None else {**row.body, "parts": []})}
    form = Form("report", REPORTS.path, "reports", fields, body)
    about = "One HTML file, which can be filed and verified later."
    if of_model:
        return draw_forms("Make a report", [form], about)
    return draw_forms(
        "Make a report of this row", [form], f"{about} It shows the row alone, and what else is chosen.", is_view=True
    )


def _fields_of_row(row: ReportedRow) -> list[Entry | Ticks]:
    named = [] if row.name is None else [Entry("instance_ids", "what the row is called", row.name, "one", 255)]
    return [*named, Ticks("parts", "with", [("model", "the model"), ("prototypes", "its prototypes")])]


def _explainers_beside(context: AppContext, model_id: str, dataset: Json) -> list[tuple[str, str]]:
    """Return ids and names of explainers of other models of the task that take the features of a dataset."""
    features = {column.name for column in context.datasets.get(dataset["id"]).view.columns}
    task, every = context.models.get(model_id).view.task, listed(context.explainers.list(_LISTED, None).data)
    models = list(dict.fromkeys(each["model"] for each in every if each["model"] != model_id))[:_MOST_COMPARED]
    known = {each: context.models.get(each).view for each in models}
    named = {
        each: one.name or each for each, one in known.items() if one.task == task and features >= set(one.feature_names)
    }
    return [
        (each["id"], each["name"] or f"an explainer of {named[each['model']]}")
        for each in every
        if each["model"] in named
    ]


def _evaluation(context: AppContext, model: str, nothing: str) -> Choice:
    """Return the choice among ready evaluations of a model, of which a report may show none."""
    newest = _newest(context, EVALUATIONS, model, "evaluation", "evaluation", nothing)
    return replace(newest, options=[*newest.options, (NO_EVALUATION, "none")])


def _comparisons_of(context: AppContext, model: str) -> Choice:
    """Return the choice among ready comparisons of a model, be it the first or the other one of them."""
    found = [
        each
        for side in ({"model": model}, {"other_model": model})
        for each in listed(artefacts.list_all(context, COMPARISONS, _LISTED, None, **side, status="ready").data)
    ]
    newest_first = sorted(found, key=lambda each: str(each["created_at"]), reverse=True)
    return _choice(context, "comparison", "comparison", newest_first[:_LISTED])


def _newest(context: AppContext, noun: Noun[Any], model: str, field: str, words: str, nothing: str = "none") -> Choice:
    """Return the choice among artefacts of a model that are ready: the newest, unless another one is chosen.

    ``nothing`` is what is written where none is chosen.
    """
    ready = listed(artefacts.list_all(context, noun, _LISTED, None, model=model, status="ready").data)
    return _choice(context, field, words, ready, nothing)


def _choice(context: AppContext, field: str, words: str, ready: Sequence[Json], nothing: str = "none") -> Choice:
    """Return the choice among artefacts, of which the first is chosen at first."""
    options = [(each["id"], _described(context, each)) for each in ready]
    return Choice(field, words, [("", nothing), *options], options[0][0] if options else "")


def _described(context: AppContext, document: Json) -> str:
    """Return what tells an artefact from others of its kind: its rows, what they are compared with, size and time."""
    request = document["request"]
    rows = name_or_id(to_json(context.datasets.summary(request["dataset"])))
    stores: list[tuple[Any, str]] = [(context.models, "other_model"), (context.datasets, "other_dataset")]
    compared = [name_or_id(to_json(store.summary(request[field]))) for store, field in stores if request.get(field)]
    beside = "".join(f" with {name}" for name in compared)
    return f"{rows}{beside}{requested_size(request)}, {moment(document['created_at'])}"
