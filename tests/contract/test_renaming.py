"""Names can be changed for every noun that declares it; ids, and what was made of the things, stay."""

from typing import Any

import pytest

from schemas.noun import Noun
from schemas.nouns import NOUNS
from tests.support.api import Api, Json, Registered
from tests.support.nouns import create

_RENAMED = [noun for noun in NOUNS.stored if "name" in noun.mutable]
_EVERY_NOUN = pytest.mark.parametrize("noun", _RENAMED, ids=lambda noun: noun.name)


def test_uploads_and_explainers_can_be_renamed() -> None:
    assert [noun.name for noun in _RENAMED] == ["models", "datasets", "relational_datasets", "explainers"]


@_EVERY_NOUN
@pytest.mark.sampled("thirds")
def test_a_new_name_is_shown_everywhere_under_the_same_id(api: Api, forest: Registered, noun: Noun[Any]) -> None:
    made: Json = create(api, forest, noun, 21).json()
    path = f"{noun.path}/{made['id']}"

    answer = api.patch(path, {"name": "Zweite Fassung, März"})

    assert answer.status_code == 200
    assert answer.json() == {**made, "name": "Zweite Fassung, März"} == api.get(path).json()
    assert api.patch(path, {"name": "Zweite Fassung, März"}).json() == answer.json()
    (listed,) = [item for item in api.pages(noun.path, 1000) if item["id"] == made["id"]]
    assert listed["name"] == "Zweite Fassung, März"
    assert api.patch(path, {"name": None}).json() == {**made, "name": None} == api.get(path).json()


@_EVERY_NOUN
@pytest.mark.sampled("thirds")
def test_what_was_registered_first_is_found_again_under_its_new_name(
    api: Api, forest: Registered, noun: Noun[Any]
) -> None:
    made: Json = create(api, forest, noun, 22).json()
    api.patch(f"{noun.path}/{made['id']}", {"name": "renamed"})

    again = create(api, forest, noun, 22)

    assert again.status_code == 200
    assert again.json() == {**made, "name": "renamed"}


@pytest.mark.parametrize("noun", _RENAMED[:2], ids=lambda noun: noun.name)
@pytest.mark.sampled("thirds")
def test_the_entity_tag_changes_with_the_name(api: Api, forest: Registered, noun: Noun[Any]) -> None:
    path = f"{noun.path}/{create(api, forest, noun, 23).json()['id']}"
    first = api.get(path).headers["ETag"]
    assert api.get(path, **{"If-None-Match": first}).status_code == 304

    api.patch(path, {"name": "another"})

    again = api.get(path, **{"If-None-Match": first})
    assert (again.status_code, again.json()["name"]) == (200, "another")
    assert again.headers["ETag"] != first


@_EVERY_NOUN
@pytest.mark.parametrize(
    ("change", "code", "pointer"),
    [
        ({}, "validation_failed", "/name"),
        ({"name": ""}, "validation_failed", "/name"),
        ({"name": "x" * 256}, "validation_failed", "/name"),
        ({"name": "two\nlines"}, "validation_failed", "/name"),
        ({"name": 7}, "validation_failed", "/name"),
        ({"name": "fine", "id": "mdl_1"}, "unknown_field", "/id"),
    ],
)
@pytest.mark.sampled("values")
def test_an_odd_name_and_any_other_field_are_refused(
    api: Api, forest: Registered, noun: Noun[Any], change: Json, code: str, pointer: str
) -> None:
    made: Json = create(api, forest, noun, 24).json()
    path = f"{noun.path}/{made['id']}"

    refused = api.patch(path, change)

    assert (refused.status_code, refused.json()["code"]) == (422, code)
    assert refused.json()["errors"][0]["pointer"] == pointer
    assert api.get(path).json() == made


@_EVERY_NOUN
def test_what_is_not_there_cannot_be_renamed(api: Api, noun: Noun[Any]) -> None:
    missing = api.patch(f"{noun.path}/{noun.id_prefix}gone", {"name": "anything"})

    assert (missing.status_code, missing.json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("noun", [noun for noun in NOUNS.stored if not noun.mutable], ids=lambda noun: noun.name)
def test_what_has_no_name_to_change_refuses_the_method(api: Api, noun: Noun[Any]) -> None:
    refused = api.patch(f"{noun.path}/{noun.id_prefix}any", {"name": "anything"})

    assert (refused.status_code, refused.json()["code"]) == (405, "method_not_allowed")
    assert "PATCH" not in refused.headers["Allow"]
