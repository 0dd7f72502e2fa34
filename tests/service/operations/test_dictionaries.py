"""Dictionaries of datasets: they fit their dataset, are replaced at once, and go with it."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pandas as pd
import pytest

from schemas.api_keys import ApiKeyRequest
from schemas.dictionaries import MAX_DICTIONARY_BYTES, Dictionary, DictionaryRequest
from service.callers import CURRENT_KEY
from service.drawings.dictionaries import dictionary as dictionary_view
from service.operations import datasets
from service.operations.dictionaries import delete_dictionary, get_dictionary, put_dictionary
from service.operations.preconditions import Precondition
from storage.entity_versions import entity_version
from storage.errors import NotFound, PreconditionFailed, StorageError
from tests.support.workshop import Workshop, workshop_in

_ANY = Precondition()
_FRAME = pd.DataFrame(
    {
        "age": [20.0, 35.0, 61.0, 48.0],
        "status": ["A11", "A14", "A11", "A12"],
        "foreign": [True, False, True, True],
        "risk": ["good", "bad", "good", "good"],
    }
)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("dictionaries")) as workshop:
        yield workshop


@pytest.fixture
def dataset(workshop: Workshop) -> str:
    return workshop.register_dataset(_FRAME, target="risk")


def _put(workshop: Workshop, dataset: str, precondition: Precondition = _ANY, **words: Any) -> Dictionary:
    return put_dictionary(workshop.context, dataset, DictionaryRequest(**words), precondition)[0]


def test_words_are_replaced_and_shown_with_the_dataset(workshop: Workshop, dataset: str) -> None:
    described = entity_version(workshop.context.database, "datasets", dataset)
    first = _put(workshop, dataset, features=[{"name": "age", "label": "age of the applicant", "unit": "years"}])

    assert get_dictionary(workshop.context, dataset) == first
    column = workshop.context.datasets.get(dataset).view.columns[0]
    assert (column.title, column.unit) == ("age of the applicant", "years")
    assert entity_version(workshop.context.database, "datasets", dataset) != described
    assert workshop.context.dictionary_revisions.of(dataset) == first.revision

    values = [{"value": "A11", "label": "overdrawn"}]
    second = _put(workshop, dataset, features=[{"name": "status", "values": values}])

    assert second.revision > first.revision
    assert get_dictionary(workshop.context, dataset).features[0].values[0].label == "overdrawn"
    assert workshop.context.datasets.get(dataset).view.columns[0].title is None
    delete_dictionary(workshop.context, dataset, _ANY)
    with pytest.raises(NotFound, match="dictionary"):
        get_dictionary(workshop.context, dataset)
    assert workshop.context.dictionary_revisions.of(dataset) > second.revision


def test_the_key_that_saved_the_words_is_stored_and_shown_by_its_name(workshop: Workshop, dataset: str) -> None:
    context = workshop.context
    assert _put(workshop, dataset).key is None
    assert ", with the key" not in dictionary_view(context, dataset, {})
    key = context.api_keys.add(ApiKeyRequest(name="Model risk", scopes=["read", "write"]))
    before = datetime.now(UTC)
    token = CURRENT_KEY.set(key.id)
    try:
        saved = _put(workshop, dataset, features=[{"name": "age", "unit": "years"}])
    finally:
        CURRENT_KEY.reset(token)
    assert (saved.key, get_dictionary(context, dataset).key) == (key.id, key.id)
    assert before <= saved.saved_at <= datetime.now(UTC)
    shown = f"Saved last at {saved.saved_at:%Y-%m-%d %H:%M}, UTC, with the key “<bdi>{{}}</bdi>”."
    assert shown.format("Model risk") in dictionary_view(context, dataset, {})
    context.api_keys.revoke(key.id)
    assert shown.format(key.id) in dictionary_view(context, dataset, {})


def test_a_change_against_another_state_is_refused(workshop: Workshop, dataset: str) -> None:
    first = _put(workshop, dataset, features=[{"name": "age", "unit": "years"}])
    _put(workshop, dataset, Precondition(frozenset({str(first.revision)}), exists=True))

    with pytest.raises(PreconditionFailed, match="changed meanwhile"):
        _put(workshop, dataset, Precondition(frozenset({str(first.revision)}), exists=True))
    with pytest.raises(PreconditionFailed, match="already"):
        _put(workshop, dataset, Precondition(exists=False))


def test_a_dictionary_goes_with_its_dataset(workshop: Workshop) -> None:
    dataset = workshop.register_dataset(_FRAME.assign(more=1.0), target="risk")
    first = _put(workshop, dataset, features=[{"name": "more", "unit": "m"}])
    datasets.delete_dataset(workshop.context, dataset)

    with pytest.raises(NotFound, match="dataset"):
        get_dictionary(workshop.context, dataset)
    assert workshop.register_dataset(_FRAME.assign(more=1.0), target="risk") == dataset
    assert _put(workshop, dataset).revision > first.revision


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"features": [{"name": "agee"}]}, "no feature 'agee'; its features are 'age', 'status', 'foreign'"),
        ({"features": [{"name": "risk"}]}, "no feature 'risk'"),
        ({"features": [{"name": "status", "values": [{"value": "A1", "label": "x"}]}]}, "'status': 'A1' is none"),
        ({"features": [{"name": "age", "values": [{"value": "old", "label": "x"}]}]}, "'age': 'old' is none"),
        ({"features": [{"name": "age", "values": [{"value": "99", "label": "x"}]}]}, "'age': '99' is none"),
        ({"features": [{"name": "foreign", "values": [{"value": "1", "label": "x"}]}]}, "'foreign': '1' is none"),
        ({"features": [{"name": "status", "unit": "EUR"}]}, "'status': unit is for numbers"),
        ({"features": [{"name": "status", "only_up": True}]}, "'status': categories neither rise nor fall"),
        ({"features": [{"name": "age", "group": "status"}]}, "'age': its group 'status' has the name of a feature"),
        ({"outcomes": [{"name": "ok"}]}, "'ok' is no class of the dataset's target"),
    ],
)
def test_what_does_not_fit_the_dataset_is_named(
    workshop: Workshop, dataset: str, words: dict[str, Any], message: str
) -> None:
    with pytest.raises(StorageError, match=message):
        _put(workshop, dataset, **words)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"features": [{"name": "age", "fixed": True, "only_up": True}]}, "'age' is fixed and may still rise"),
        ({"features": [{"name": "age", "only_down": True, "only_up": True}]}, "'age' may only rise and only fall"),
        ({"features": [{"name": "age"}, {"name": "age"}]}, "'age' is described more than once"),
        ({"outcomes": [{"name": "bad"}, {"name": "bad"}]}, "'bad' is described more than once"),
        ({"features": [{"name": "age", "values": [{"value": "1", "label": "a"}] * 2}]}, "'age' has two labels"),
    ],
)
def test_contradictions_are_named(words: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DictionaryRequest(**words)


def test_a_dictionary_has_a_capacity_in_bytes(workshop: Workshop) -> None:
    names = [f"feature_{number}" for number in range(300)]
    frame = pd.DataFrame({name: [0.0, 1.0] for name in names})
    dataset = workshop.register_dataset(frame)
    features = [{"name": name, "description": "x" * 2000, "reason_text": "y" * 2000} for name in names]

    with pytest.raises(StorageError, match=f"more than the {MAX_DICTIONARY_BYTES:,}"):
        _put(workshop, dataset, features=features)
