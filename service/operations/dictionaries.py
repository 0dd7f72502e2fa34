"""Replace, read and delete the dictionaries of datasets: the words of a domain, checked against the dataset."""

from collections.abc import Container, Iterator, Sequence
from functools import partial
from typing import NoReturn

import structlog

from schemas.datasets import Column
from schemas.dictionaries import MAX_DICTIONARY_BYTES, Dictionary, DictionaryRequest, DictionaryUsed, FeatureWords
from storage.datasets import StoredDataset
from storage.dictionaries import StoredDictionary
from storage.errors import NotFound, StorageError
from tree_explainers.wording import did_you_mean

from ..app_context import AppContext
from ..callers import CURRENT_KEY
from .deletion import with_reserve
from .preconditions import Precondition

_LOG = structlog.get_logger(__name__)
_MOST_MODELS = 200  # the newest models, among whose outcomes one that is no class of the target is looked for
_N_SHOWN, _N_CHARACTERS = 5, 80  # of names in a message
_TRUTH_VALUES = ("true", "false")


def get_dictionary(context: AppContext, dataset_id: str) -> Dictionary:
    """Return the words for a dataset; raise ``NotFound`` where there is no such dataset, or it has none."""
    stored = context.dictionaries.get(dataset_id)
    if stored.words is None:
        raise NotFound("dictionary", dataset_id, "PUT one", known_by="dataset")
    return _view(stored)


def put_dictionary(
    context: AppContext, dataset_id: str, request: DictionaryRequest, precondition: Precondition
) -> tuple[Dictionary, bool]:
    """Give a dataset other words: in this process at once, in others within two seconds.

    Returns
    -------
    tuple
        The words as they are now, and whether there were none before.

    Raises
    ------
    NotFound
        If there is no such dataset.
    PreconditionFailed
        If the dictionary is in another state than the caller expects.
    StorageError
        ``unknown_feature`` or ``validation_failed`` for an entry that does not fit the dataset, which it names.
    """
    _check(context, context.datasets.get(dataset_id), request)
    while True:
        seen = context.dictionaries.get(dataset_id)
        _check_state(precondition, seen)
        stored = context.dictionaries.put(seen, request, CURRENT_KEY.get())
        if stored is not None:  # otherwise another request was faster, and counts as the present state
            break
    _LOG.info("dictionary_put", dataset=dataset_id, revision=stored.revision, key_id=CURRENT_KEY.get())
    context.dictionary_revisions.renew()
    return _view(stored), seen.words is None


def delete_dictionary(context: AppContext, dataset_id: str, precondition: Precondition) -> None:
    """Delete the words for a dataset, which is called by its own names from then on."""
    is_deleted = False
    while not is_deleted:
        seen = context.dictionaries.get(dataset_id)
        _check_state(precondition, seen)
        if seen.words is None:
            raise NotFound("dictionary", dataset_id, "PUT one", known_by="dataset")
        is_deleted = with_reserve(context, partial(context.dictionaries.put, seen, None, CURRENT_KEY.get())) is not None
    _LOG.info("dictionary_deleted", dataset=dataset_id, key_id=CURRENT_KEY.get())
    context.dictionary_revisions.renew()


def refuse_hidden(context: AppContext, what: str, used: DictionaryUsed) -> None:
    """Refuse to show what was made with a dictionary that has hidden a feature since; it may name that."""
    if context.dictionaries.hidden_since(used.dataset, used.revision):
        detail = (
            f"{what} was made before the dictionary of dataset {used.dataset!r} hid a feature, and may show it: "
            "request it again"
        )
        raise StorageError("feature_hidden", detail)


def _view(stored: StoredDictionary) -> Dictionary:
    known = {"dataset": stored.dataset, "revision": stored.revision, "saved_at": stored.saved, "key": stored.caller}
    return Dictionary(**(stored.words or {}), **known)


def _check_state(precondition: Precondition, seen: StoredDictionary) -> None:
    precondition.check(
        None if seen.words is None else str(seen.revision),
        exists=f"dataset {seen.dataset!r} has a dictionary already",
        missing=f"dataset {seen.dataset!r} has no dictionary; leave If-Match out to make it",
        changed=f"the dictionary was changed meanwhile, to revision {seen.revision}: read it again",
    )


def _check(context: AppContext, dataset: StoredDataset, request: DictionaryRequest) -> None:
    """Refuse words that do not fit a dataset."""
    n_bytes = len(request.model_dump_json(exclude_defaults=True).encode())
    if n_bytes > MAX_DICTIONARY_BYTES:
        _refuse(f"the dictionary has {n_bytes:,} bytes, more than the {MAX_DICTIONARY_BYTES:,} that one may have")
    features = {column.name: column for column in dataset.view.columns if column.role == "feature"}
    for index, words in enumerate(request.features):
        if words.name not in features:
            known, near = _some(list(features)), did_you_mean(words.name, features)
            detail = f"the dataset has no feature {words.name[:_N_CHARACTERS]!r}; its features are {known}{near}"
            raise StorageError("unknown_feature", detail, f"/features/{index}/name")
        if (fault := next(_faults(words, features[words.name]), None)) is not None:
            _refuse(f"feature {words.name!r}: {fault}", f"/features/{index}")
    _check_groups(request, features)
    _check_outcomes(context, dataset, request)


def _faults(words: FeatureWords, column: Column) -> Iterator[str]:
    """Yield what in a feature's words does not fit its column."""
    if column.type != "number":
        for name in ("unit", "decimals"):
            if getattr(words, name) is not None:
                yield f"{name} is for numbers, and its values are {_KINDS[column.type]}; leave it out"
        if (words.only_up or words.only_down) and column.type == "category":
            yield "categories neither rise nor fall; leave only_up and only_down out, or say fixed"
    for value in words.values:
        if not _is_value(value.value, column):
            known = f"; they are {_some(column.categories)}" if column.categories else ""
            yield f"{value.value[:_N_CHARACTERS]!r} is none of its values, which are {_KINDS[column.type]}{known}"


_KINDS = {"number": "numbers", "category": "categories", "boolean": "true and false"}


def _is_value(text: str, column: Column) -> bool:
    if column.type == "category":
        return column.categories is None or text in column.categories
    if column.type == "boolean":
        return text in _TRUTH_VALUES
    try:
        value = float(text)
    except ValueError:
        return False
    return column.min is not None and column.max is not None and column.min <= value <= column.max


def _check_groups(request: DictionaryRequest, features: Container[str]) -> None:
    group_of = {words.name: words.group for words in request.features}
    for index, words in enumerate(request.features):
        if words.group is not None and words.group in features and group_of.get(words.group) != words.group:
            detail = f"feature {words.name!r}: its group {words.group!r} has the name of a feature that is not in it"
            _refuse(detail, f"/features/{index}/group")


def _check_outcomes(context: AppContext, dataset: StoredDataset, request: DictionaryRequest) -> None:
    """Refuse outcomes that are neither classes of the target nor known to a model of these features."""
    target = next((column for column in dataset.view.columns if column.role == "target"), None)
    known = dict.fromkeys(_classes_of(target))
    if all(words.name in known for words in request.outcomes):
        return
    if target is not None and target.type == "category" and target.categories is None:
        return  # too many to be listed
    known |= dict.fromkeys(_outcomes_of_models(context, dataset))
    for index, words in enumerate(request.outcomes):
        if words.name not in known:
            some = f"; there are {_some(list(known))}" if known else ""
            detail = (
                f"{words.name[:_N_CHARACTERS]!r} is no class of the dataset's target, and no outcome of a registered "
                f"model that takes its features{some}"
            )
            _refuse(detail, f"/outcomes/{index}/name")


def _classes_of(target: Column | None) -> Sequence[str]:
    if target is None:
        return ()
    return _TRUTH_VALUES if target.type == "boolean" else target.categories or ()


def _outcomes_of_models(context: AppContext, dataset: StoredDataset) -> Iterator[str]:
    features = set(dataset.features)
    for summary in context.models.list(_MOST_MODELS, None).data:
        model = context.models.get(summary.id).view
        if features.issuperset(model.feature_names):
            yield from (*model.outcomes, *model.classes)


def _some(names: Sequence[str]) -> str:
    return ", ".join([*(repr(name[:_N_CHARACTERS]) for name in names[:_N_SHOWN]), *["…"] * (len(names) > _N_SHOWN)])


def _refuse(detail: str, pointer: str | None = None) -> NoReturn:
    raise StorageError("validation_failed", detail, pointer)
