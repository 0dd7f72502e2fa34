"""The view of a dataset's dictionary: a form, with the features that are hidden, as the dictionary itself has them."""

from leafspace_drawings import Call, DictionaryForm, draw_dictionary
from leafspace_drawings.words import name_or_id

from schemas.datasets import DATASETS
from schemas.dictionaries import DictionaryRequest

from ..app_context import AppContext
from .documents import LINKS, Json, Parameters, at, to_json, view

_MOST_OUTCOMES = 50


@view("dictionary")
def dictionary(context: AppContext, dataset_id: str, parameters: Parameters) -> str:
    """Draw the words for a dataset as a form; ``from`` is the number of the first feature that has fields."""
    dataset = to_json(context.datasets.get(dataset_id).view)
    stored = context.dictionaries.get(dataset_id)
    words = DictionaryRequest(**(stored.words or {})).model_dump(mode="json", exclude_defaults=True)
    form = DictionaryForm(
        dataset=dataset,
        words=words,
        revision=None if stored.words is None else stored.revision,
        outcomes=_outcomes(dataset),
        start=int(parameters["from"]) if parameters.get("from", "").isdecimal() else 0,
        links=LINKS,
    )
    way = [(name_or_id(dataset), LINKS.to("datasets", dataset_id)), ("dictionary", None)]
    path = f"{DATASETS.path}/{dataset_id}/dictionary"
    return at(draw_dictionary(form), way, Call(path, f'client.datasets.dictionary("{dataset_id}")'))


def _outcomes(dataset: Json) -> list[str]:
    """Return the classes of the target that are few enough to have a field each."""
    target = next((column for column in dataset["columns"] if column["role"] == "target"), None)
    if target is None:
        return []
    known = ["true", "false"] if target["type"] == "boolean" else target["categories"] or []
    return known if len(known) <= _MOST_OUTCOMES else []
