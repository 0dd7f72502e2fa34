"""What one field finds: things by name or id, rows by their ids, and features by name or title."""

from collections.abc import Iterator, Mapping, Sequence
from time import monotonic
from typing import Any
from urllib.parse import urlencode

from leafspace_drawings import (
    ColumnName,
    ColumnNames,
    FeatureShown,
    Found,
    FoundFeature,
    FoundRow,
    draw_feature,
    draw_found,
)
from leafspace_drawings.pictures import address_of, words_of
from leafspace_drawings.words import name_or_id

from schemas.explainers import EXPLAINERS
from schemas.prototype_sets import PROTOTYPE_SETS
from schemas.reports import REPORTS
from storage.dataset_files.dataset_file import rows_by_number
from storage.errors import NotFound

from ..app_context import AppContext
from ..operations import artefacts
from ..operations.row_search import Wanted, find_rows
from .documents import (
    LINKS,
    SHOWN,
    Json,
    Parameters,
    at,
    beside,
    listed,
    mean_effects,
    of_model,
    read,
    ready,
    shown_dataset,
    to_json,
    view,
)

_LISTED, _SEARCHED = 50, 1000
_SEARCHED_RESULTS = 200  # of each kind, the newest first
_MOST_DATASETS = 30  # of explainers, the newest first, in which rows and features are looked for
_MOST_EXPLAINERS = 50
_MOST_OTHERS = 100  # other datasets, in which rows are looked for
_SECONDS = 1.0  # for rows of datasets whose ids are texts
_MOST_FEATURES = 30
_MOST_CURVES = 12  # rows that are named


def search(context: AppContext, name: str) -> str:
    """Draw what a text finds, whatever its case; hidden features are not found."""
    explained = _explained(context)
    row_id = name.strip().removeprefix("row ").strip()
    rows, n_unsearched = _rows(context, row_id, explained) if row_id else ([], 0)
    features = list(_features(name.strip().casefold(), explained))[:_MOST_FEATURES]
    return draw_found(Found(name, _things(context, name)[:_LISTED], rows, features, n_unsearched))


def _things(context: AppContext, name: str) -> list[tuple[str, Json, str | None]]:
    """Return the newest things that a text names, or whose ids begin with it: a result by its kind and its model."""
    here: list[tuple[str, str, list[Any]]] = [
        ("model", "models", context.models.list(_SEARCHED, None).data),
        ("dataset", "datasets", context.datasets.list(_SEARCHED, None).data),
        ("explainer", "explainers", context.explainers.list(_SEARCHED, None).data),
    ]
    reported = listed(artefacts.list_all(context, REPORTS, _SEARCHED, None).data)
    titled = [("report", "reports", {**each, "name": each["request"]["title"]}) for each in reported]
    things = [*((kind, part, to_json(thing)) for kind, part, of_kind in here for thing in of_kind), *titled]
    wanted, begin = name.strip().casefold(), name.strip()
    named = [
        (kind, thing, LINKS.to(part, thing["id"]))
        for kind, part, thing in things
        if wanted in (thing["name"] or "").casefold() or (begin and thing["id"].startswith(begin))
    ]
    return [*named, *_results(context, begin, {thing["id"]: name_or_id(thing) for _, _, thing in things})]


def _results(context: AppContext, text: str, names: Mapping[str, str]) -> Iterator[tuple[str, Json, str | None]]:
    """Yield the newest results whose ids begin with a text, or all of whose words are in their kinds and names.

    ``names`` are those of models and datasets, by id. A text without a word of the kind finds no result: the model's
    own view lists them.
    """
    words = text.casefold().split()
    for noun in SHOWN:
        for each in listed(artefacts.list_all(context, noun, _SEARCHED_RESULTS, None, status="ready").data):
            kind, request = words_of(each["id"]), each["request"]
            made_from = [names.get(request.get(field) or "", "") for field in ("model", "dataset")]
            called = f"{kind} {' '.join(made_from)}".casefold()
            is_named = any(word in kind for word in words) and all(word in called for word in words)
            if each["status"] == "ready" and (is_named or (text and each["id"].startswith(text))):
                said = f"{kind} of {made_from[0]}" if made_from[0] else kind
                yield kind, {**each, "name": said}, address_of(each["id"], LINKS)


def _explained(context: AppContext) -> list[tuple[Json, Json]]:
    """Return the reference datasets of the newest explainers, without hidden columns, each with its newest one."""
    by_dataset: dict[str, Json] = {}
    for explainer in listed(context.explainers.list(_MOST_EXPLAINERS, None).data):
        dataset = context.artefacts.get(PROTOTYPE_SETS.name, explainer["prototype_set"]).dataset
        if dataset is not None and len(by_dataset) < _MOST_DATASETS:
            by_dataset.setdefault(dataset, explainer)
    return [(shown_dataset(context, dataset), explainer) for dataset, explainer in by_dataset.items()]


def _others(context: AppContext, explained: Sequence[tuple[Json, Json]]) -> Iterator[tuple[Json, Json]]:
    """Yield the newest other datasets with the features of a model that is explained, each with its explainer."""
    known = {dataset["id"] for dataset, _ in explained}
    models = [(set(context.models.get(explainer["model"]).view.feature_names), explainer) for _, explainer in explained]
    newest = [each["id"] for each in listed(context.datasets.list(_MOST_OTHERS, None).data) if each["id"] not in known]
    for dataset_id in newest:
        columns = {column.name for column in context.datasets.get(dataset_id).view.columns}
        explainer = next((explainer for features, explainer in models if features <= columns), None)
        if explainer is not None:
            yield shown_dataset(context, dataset_id), explainer


def _rows(context: AppContext, row_id: str, explained: Sequence[tuple[Json, Json]]) -> tuple[list[FoundRow], int]:
    """Return the rows with an id, and in how many datasets they were not looked for, as that took too long."""
    found, until, n_unsearched = list[FoundRow](), monotonic() + _SECONDS, 0
    of_others = ((dataset, explainer, dataset["id"]) for dataset, explainer in _others(context, explained))
    for dataset, explainer, other in [*((*each, None) for each in explained), *of_others]:
        if dataset["row_id"] is None:
            is_there = bool(rows_by_number([row_id], dataset["n_rows"]))
        else:
            wanted = Wanted(dataset["row_id"], row_id)
            searched = find_rows(context, dataset["id"], wanted, 1, seconds=max(0.0, until - monotonic()))
            is_there = bool(searched.rows)
            n_unsearched += not is_there and searched.goes_on is not None
        if is_there:
            found.append(FoundRow(row_id, name_or_id(dataset), LINKS.to_row(explainer["id"], row_id, other)))
    return found, n_unsearched


def _features(wanted: str, explained: Sequence[tuple[Json, Json]]) -> Iterator[FoundFeature]:
    """Yield the features whose names or titles have a text, each with the view of its effects."""
    for dataset, explainer in explained if wanted else ():
        names = ColumnNames(dataset)
        for column in dataset["columns"]:
            said = names[column["name"]]
            if column["role"] == "feature" and _is_called(said, wanted):
                href = f"{LINKS.to('features', explainer['id'])}?{urlencode({'name': column['name']})}"
                yield FoundFeature(said, name_or_id(dataset), href)


def _is_called(column: ColumnName, wanted: str) -> bool:
    return any(wanted in text.casefold() for text in (column.name, column.title or ""))


@view("features")
def feature(context: AppContext, explainer_id: str, parameters: Parameters) -> str:
    """Draw how much the feature ``name`` counts by an explainer; one that is hidden is not there."""
    name = parameters.get("name", "")
    explainer = context.explainers.get(explainer_id)
    prototypes = ready(context, PROTOTYPE_SETS, explainer.prototype_set)
    known, dataset = beside(context, prototypes)
    if name not in known["feature_names"] or all(column["name"] != name for column in dataset["columns"]):
        raise NotFound("feature", name[:80], "find one by its name")
    effects = mean_effects(context, explainer_id) or {}
    sizes = [(each["feature"], each["effect"]) for each in effects.get("mean_absolute_effects", ())]
    place = next(((rank, size) for rank, (of, size) in enumerate(sizes, 1) if of == name), None)
    named = [str(each["row_id"]) for each in prototypes["result"]["prototypes"][:_MOST_CURVES]]
    shown = FeatureShown(
        column=ColumnNames(dataset)[name],
        place=place,
        n_counting=len(sizes),
        n_rows=effects.get("n_rows", 0),
        scale=effects.get("scale", "value"),
        explainer=LINKS.to("explainers", explainer_id),
        curves=[(row, LINKS.to_row(explainer_id, row)) for row in named],
    )
    way = [*of_model(known, "feature")]
    way.insert(1, (explainer.name or "explainer", LINKS.to("explainers", explainer_id)))
    return at(draw_feature(shown), way, read(EXPLAINERS, explainer_id))
