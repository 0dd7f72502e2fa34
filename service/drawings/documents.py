"""What views are drawn from: documents of the API, gathered within bounds, and the place of each view in the page."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from leafspace_drawings import Call, Links, Place, draw_at, pictures
from leafspace_drawings.classes import with_adverse
from pydantic import BaseModel

from explanations.mean_effects import mean_effects_of_reference_rows
from explanations.result_words import without_hidden
from schemas.noun import Noun
from schemas.nouns import NOUNS
from storage.errors import StorageError

from ..app_context import AppContext
from ..operations import artefacts, models
from ..operations.explanations import warm_explainer

Json = dict[str, Any]
Parameters = Mapping[str, str]
"""Parameters of a view's address."""
Draw = Callable[[AppContext, str, Parameters], str]
"""Draws the view of a thing with an id, as the parameters of the address ask."""
VIEWS: dict[str, Draw] = {}
"""By the first part of an address, such as ``#/models/mdl_1``."""
LINKS = Links("")
_LISTED = 50
_MOST_NODES = 2_000_000  # of a model whose splits are counted while somebody waits
_MOST_COMPARED = 20  # datasets, whose columns are read while somebody waits
MAX_DRAWN_BYTES = 2 << 20  # of a result that is drawn
DRAWN = {kind: picture for kind, picture in pictures().items() if picture.is_made_of_rows}
SHOWN = tuple(noun for noun in NOUNS.made_by_jobs if noun.singular in DRAWN)
"""What is listed of a model or of a dataset."""


def view(part: str) -> Callable[[Draw], Draw]:
    """Return the decorator that adds a view to the page, at addresses that begin with ``part``."""

    def register(draw: Draw) -> Draw:
        VIEWS[part] = draw
        return draw

    return register


def beside(context: AppContext, document: Json) -> tuple[Json, Json]:
    """Return the model and the dataset of an artefact."""
    request = document["request"]
    known = to_json(context.models.get(request["model"]).view)
    return known, shown_dataset(context, request["dataset"], known)


def shown_dataset(context: AppContext, dataset_id: str, model: Json | None = None) -> Json:
    """Return a dataset without what its dictionary hides, and with what a model's decision declares adverse."""
    hidden = context.dictionaries.get(dataset_id).hidden
    whole = without_hidden(to_json(context.datasets.get(dataset_id).view), hidden)
    return dict(with_adverse(whole, model) or whole)


def fitting_datasets(context: AppContext, model: Json, made: Mapping[str, list[Json]] | None = None) -> list[Json]:
    """Return datasets that have a model's features, whatever their order, and no label that it does not know.

    Those that something was made from come first, so that more of the same is what a form offers; then the newest.
    ``made`` has artefacts by noun.
    """
    names, every = set(model["feature_names"]), listed(context.datasets.list(_LISTED, None).data)
    requests = [each["request"] for artefacts_of in (made or {}).values() for each in artefacts_of]
    used = [request["dataset"] for request in requests if request.get("dataset")]
    newest_ones = [each["id"] for each in every if each["n_features"] >= model["n_features"]]
    some = list(dict.fromkeys([*used, *newest_ones]))[:_MOST_COMPARED]
    whole = [to_json(context.datasets.get(each).view) for each in some]
    return [
        each for each in whole if {column["name"] for column in each["columns"]} >= names and _has_labels(each, model)
    ]


def _has_labels(dataset: Json, model: Json) -> bool:
    """Return whether a model knows all labels of a dataset, whose rows each job would refuse otherwise.

    Of numbers the lowest and the highest are looked at; of very many categories nothing but their number is known.
    """
    target = next((column for column in dataset["columns"] if column["role"] == "target"), None)
    if target is None:
        return True
    if not model["classes"]:
        return bool(target["type"] != "category")
    if target["type"] == "number":
        return {target["min"], target["max"]} <= {None, *_as_numbers(model["classes"])}
    if target["categories"] is None:
        return (target["n_categories"] or 0) <= len(model["classes"])
    return set(target["categories"]) <= set(model["classes"])


def _as_numbers(classes: Sequence[str]) -> list[float]:
    """Return classes as numbers; none where they are others."""
    try:
        return [float(label) for label in classes]
    except ValueError:
        return []


def newest(context: AppContext, noun: Noun[Any], model_id: str, **made_from: str) -> list[Json]:
    """Return the newest artefact of a model that is ready and not too large, with its result, if there is one."""
    listed = artefacts.list_all(context, noun, 1, None, model=model_id, status="ready", **made_from).data
    return [ready(context, noun, each.id) for each in listed if size_of(context, noun, each.id) <= MAX_DRAWN_BYTES]


def ready(context: AppContext, noun: Noun[Any], artefact_id: str) -> Json:
    """Return an artefact's document in the words of its dataset; refuse one that is not ready, or too large."""
    size = size_of(context, noun, artefact_id)
    if size > MAX_DRAWN_BYTES:
        detail = f"the result has {size:,} bytes, more than the {MAX_DRAWN_BYTES:,} that are drawn; download it"
        raise StorageError("too_many_rows", detail)
    return to_json(artefacts.get_one(context, noun, artefact_id))


def at(drawing: str, way: list[tuple[str, str | None]], call: Call) -> str:
    """Return a drawing in its place: below the way to it, and above the call that answers the same."""
    return draw_at(Place((("Overview", LINKS.to()), *way), call), drawing)


def of_model(known: Json, here: str) -> list[tuple[str, str | None]]:
    """Return the way to something that was made of a model."""
    return [(known["name"] or known["id"], LINKS.to("models", known["id"])), (here, None)]


def read(noun: Noun[Any], identifier: str) -> Call:
    """Return the call that reads a thing."""
    return Call(f"{noun.path}/{identifier}", f'client.{noun.name}.get("{identifier}")')


def listed(views: list[Any]) -> list[Json]:
    """Return the documents of a page of a list."""
    return [to_json(view) for view in views]


def to_json(view: BaseModel) -> Json:
    """Return a message as its JSON document."""
    return view.model_dump(mode="json")


def ready_artefacts(context: AppContext, **made_from: str) -> dict[str, list[Json]]:
    """Return the newest artefacts of each noun that were made from a model or a dataset, without their results."""
    return {
        noun.name: listed(artefacts.list_all(context, noun, _LISTED, None, **made_from, status="ready").data)
        for noun in SHOWN
    }


def newest_explainer(context: AppContext, **made_from: str) -> str | None:
    """Return the newest explainer that is made from this, if there is one."""
    newest_first = context.explainers.list(1, None, **made_from).data
    return newest_first[0].id if newest_first else None


def feature_usage(context: AppContext, known: Json) -> list[Json] | None:
    """Return how often a model's splits test each feature; None without trees, and of more than are counted at once."""
    if not 0 < known["n_nodes"] <= _MOST_NODES:
        return None
    return listed(models.feature_usage(context, known["id"]).data)


def column_usage(context: AppContext, known: Json) -> list[Json]:
    """Return how often the model's splits test each column of its rows; nothing where that is not known of some."""
    usage = feature_usage(context, known) or []
    return [] if any(each["transformed"] for each in usage) else usage


def mean_effects(context: AppContext, explainer_id: str) -> Json | None:
    """Return the mean sizes of the effects of an explainer's reference rows, computed once for the words in force."""
    warm = warm_explainer(context, explainer_id)

    def as_text(_document: Json, _shown: None) -> str:
        return json.dumps(mean_effects_of_reference_rows(warm))

    made_from = {"mean_effects_of": explainer_id, "revision": warm.wording.words.revision}
    effects: Json | None = json.loads(context.drawings.get(as_text, made_from, None))
    return effects


def size_of(context: AppContext, noun: Noun[Any], artefact_id: str) -> int:
    """Return how many bytes the result of an artefact has."""
    return artefacts.result_path(context, noun, artefact_id).stat().st_size
