"""The view of a dataset's dictionary: a form, with the features that are hidden, as the dictionary itself has them."""

from leafspace_drawings import Call, DictionaryForm, draw_dictionary
from leafspace_drawings.words import name_or_id

from schemas.datasets import DATASETS
from schemas.dictionaries import DictionaryRequest
from storage.errors import NotFound

from ..app_context import AppContext
from .documents import LINKS, Json, Parameters, at, listed, to_json, view

_MOST_OUTCOMES = 50
_MOST_COMPARED = 50  # datasets, the newest ones
_MOST_MODELS = 50  # whose decisions are looked at, the newest ones


@view("dictionary")
def dictionary(context: AppContext, dataset_id: str, parameters: Parameters) -> str:
    """Draw the words for a dataset as a form.

    ``from`` is the number of the first feature that has fields; ``like`` a dataset with whose words it begins.
    """
    dataset = to_json(context.datasets.get(dataset_id).view)
    stored = context.dictionaries.get(dataset_id)
    alike = [] if stored.words is not None else _worded_alike(context, dataset)
    like = next((each for each in alike if each["id"] == parameters.get("like")), None)
    begun = stored if like is None else context.dictionaries.get(like["id"])
    words = DictionaryRequest(**(begun.words or {})).model_dump(mode="json", exclude_defaults=True)
    form = DictionaryForm(
        dataset=dataset,
        words=words,
        revision=None if stored.words is None else stored.revision,
        saved=stored.saved.isoformat(),
        saved_by=None if stored.caller is None else _name_of_key(context, stored.caller),
        outcomes=list(dict.fromkeys([*_outcomes(dataset), *_decided(context, dataset)])),
        start=int(parameters["from"]) if parameters.get("from", "").isdecimal() else 0,
        links=LINKS,
        like=like,
        alike=alike,
    )
    way = [(name_or_id(dataset), LINKS.to("datasets", dataset_id)), ("dictionary", None)]
    path = f"{DATASETS.path}/{dataset_id}/dictionary"
    return at(draw_dictionary(form), way, Call(path, f'client.datasets.dictionary("{dataset_id}")'))


def _name_of_key(context: AppContext, key_id: str) -> str:
    """Return what a key is called; of one that was revoked there is nothing but its id."""
    try:
        return context.api_keys.get(key_id).name
    except NotFound:
        return key_id


def _worded_alike(context: AppContext, dataset: Json) -> list[Json]:
    """Return the newest other datasets of the same features that have words."""
    others = [each for each in listed(context.datasets.list(_MOST_COMPARED, None).data) if each["id"] != dataset["id"]]
    as_many = [each["id"] for each in others if each["n_features"] == dataset["n_features"]]
    worded = [each for each in as_many if context.dictionaries.get(each).words is not None]
    whole = [to_json(context.datasets.get(each).view) for each in worded]
    return [each for each in whole if _features(each) == _features(dataset)]


def _features(dataset: Json) -> set[str]:
    return {column["name"] for column in dataset["columns"] if column["role"] == "feature"}


def _decided(context: AppContext, dataset: Json) -> list[str]:
    """Return the classes and outcomes of models that read these features.

    A target of numbers has no list of its values, and bands are called nowhere else.
    """
    narrow = [
        each.id for each in context.models.list(_MOST_MODELS, None).data if each.n_features <= dataset["n_features"]
    ]
    models = [context.models.get(each).view for each in narrow]
    alike = [each for each in models if set(each.feature_names) <= _features(dataset)]
    found = dict.fromkeys(outcome for model in alike for outcome in (*model.classes, *model.outcomes))
    return [*found][:_MOST_OUTCOMES]


def _outcomes(dataset: Json) -> list[str]:
    """Return the classes of the target that are few enough to have a field each."""
    target = next((column for column in dataset["columns"] if column["role"] == "target"), None)
    if target is None:
        return []
    known = ["true", "false"] if target["type"] == "boolean" else target["categories"] or []
    return known if len(known) <= _MOST_OUTCOMES else []
