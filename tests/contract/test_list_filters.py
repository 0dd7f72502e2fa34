"""Lists of every noun can be narrowed by the fields that its declaration has; what is no filter is refused by name."""

from itertools import chain
from typing import Any

import pytest

from schemas.noun import TIME_FILTERS, Noun
from schemas.nouns import NOUNS
from tests.support.api import Api, Json, Registered
from tests.support.nouns import LISTED, MADE, create

_FILTERS = [(noun, field) for noun in LISTED for field in noun.filters if field not in TIME_FILTERS]
_TEXTS = ("name", "row_id")
_OPTIONAL = frozenset(
    {
        *("evaluation_dataset", "prototype_set", "rule_set", "approximation_tree"),
        *("map", "label_audit", "compare_with", "comparison", "other_model", "newer_dataset"),
        "evaluation",
    }
)
_EVERY_FILTER = pytest.mark.parametrize(
    ("noun", "field"), _FILTERS, ids=[f"{noun.name}-{field}" for noun, field in _FILTERS]
)


def _parameters(api: Api, path: str) -> dict[str, Json]:
    described = api.get("/openapi.json").json()["paths"][path]["get"]["parameters"]
    return {parameter["name"]: parameter for parameter in described}


def _value(item: Json, field: str) -> str | None:
    """Return what an item of a list has in a field: its own, or its request's."""
    found: str | None = item[field] if field in item else item["request"].get(field)
    return found


def _list(api: Api, noun: Noun[Any], query: dict[str, str]) -> list[Json]:
    answer = api.http.get(noun.path, params={"limit": 1000, **query})
    assert answer.status_code == 200, answer.text
    found: list[Json] = answer.json()["data"]
    return found


def _make_two(api: Api, forest: Registered, noun: Noun[Any]) -> None:
    for number in (31, 32) if noun in MADE else ():
        made = create(api, forest, noun, number).json()
        if made.get("job"):
            api.wait(made["job"])


def test_what_a_noun_is_listed_by_follows_from_its_declaration() -> None:
    assert NOUNS["models"].filters == NOUNS["datasets"].filters == NOUNS["api_keys"].filters == ("name",)
    assert NOUNS["proximities"].filters == ("model", "dataset", "status")
    assert NOUNS["prototype_sets"].filters == ("model", "dataset", "evaluation_dataset", "status")
    assert NOUNS["explainers"].filters == ("model", "prototype_set", "rule_set", "approximation_tree", "name")
    assert NOUNS["explainer_names"].filters == ("explainer",)
    assert NOUNS["explanations"].filters == ("explainer", "row_id", "created_from", "created_before")
    assert NOUNS["explanation_sets"].filters == ("explainer", "dataset", "status")
    assert NOUNS["jobs"].filters == ("status", "kind", "artefact")


@pytest.mark.parametrize("noun", LISTED, ids=lambda noun: noun.name)
@pytest.mark.sampled("thirds")
def test_the_contract_describes_them_with_an_example(api: Api, noun: Noun[Any]) -> None:
    parameters = _parameters(api, noun.path)

    assert list(parameters) == ["limit", "cursor", *noun.filters]
    for field in noun.filters:
        assert parameters[field]["description"].startswith(f"Only {noun.words} ")
        for example in parameters[field]["schema"]["examples"]:
            assert api.http.get(noun.path, params={field: example}).status_code == 200


@_EVERY_FILTER
@pytest.mark.sampled("tenths")
def test_exactly_what_has_the_value_is_listed(api: Api, forest: Registered, noun: Noun[Any], field: str) -> None:
    _make_two(api, forest, noun)
    everything = _list(api, noun, {})
    values = {value for item in everything if (value := _value(item, field)) is not None}
    assert values or field in _OPTIONAL

    for value in sorted(values)[:3]:
        expected = [item for item in everything if _value(item, field) == value]
        assert _list(api, noun, {field: value}) == expected
        first = api.http.get(noun.path, params={field: value, "limit": 1}).json()
        query = {field: value, "cursor": first["next_cursor"]} if first["next_cursor"] else None
        assert list(chain(first["data"], _list(api, noun, query) if query else ())) == expected


@pytest.mark.usefixtures("forest")
@_EVERY_FILTER
@pytest.mark.sampled("thirds")
def test_what_no_thing_has_is_an_empty_list(api: Api, noun: Noun[Any], field: str) -> None:
    ids = {**noun.made_from, "artefact": "prototype_sets", "explainer": "explainers"}
    never = {"status": "failed", "kind": "label_audits", **dict.fromkeys(_TEXTS, "of nothing at all, % _")}
    value = f"{NOUNS[ids[field]].id_prefix}gone" if field in ids else never[field]

    assert [item for item in _list(api, noun, {field: value}) if _value(item, field) != value] == []
    if field in ids or field in _TEXTS:
        assert _list(api, noun, {field: value}) == []


@pytest.mark.usefixtures("forest")
@_EVERY_FILTER
@pytest.mark.sampled("thirds")
def test_an_odd_value_is_refused_by_name(api: Api, noun: Noun[Any], field: str) -> None:
    odd = ["", "a\x00b"] if field in _TEXTS else ["", "ds", "key_a", "%", "READY", "null", "x" * 300]

    for value in odd:
        refused = api.http.get(noun.path, params={field: value})
        problem = refused.json()
        assert (refused.status_code, problem["errors"][0]["pointer"]) == (422, f"/{field}"), value


def test_a_refusal_says_what_there_is(api: Api) -> None:
    def detail(query: str) -> str:
        refused = api.get(f"/v1/{query}")
        assert refused.status_code == 422
        return str(refused.json()["detail"])

    assert "'pending', 'ready', 'failed' or 'cancelled'" in detail("rule-sets?status=done")
    assert "'queued', 'running'" in detail("jobs?status=ready")
    assert "'prototype_sets'" in detail("jobs?kind=prototype-sets")
    assert "mdl_" in detail("rule-sets?model=ds_1")
    assert "there is no query parameter 'model'" in detail("datasets?model=mdl_1")
    assert "did you mean 'status'?" in detail("rule-sets?state=ready")
    assert "is given 2 times" in detail("rule-sets?status=ready&status=failed")


def test_filters_hold_together_and_a_new_name_counts_at_once(api: Api, forest: Registered) -> None:
    model, dataset = forest.model["id"], forest.dataset["id"]
    sets = api.get(f"/v1/prototype-sets?model={model}&dataset={dataset}&status=ready").json()["data"]
    assert forest.prototype_set["id"] in [item["id"] for item in sets]
    assert api.get(f"/v1/prototype-sets?model={model}&status=failed&dataset={dataset}").json()["data"] == []

    explainer = create(api, forest, NOUNS["explainers"], 33).json()
    api.patch(f"/v1/explainers/{explainer['id']}", {"name": "of this test alone"})
    named = _list(api, NOUNS["explainers"], {"name": "of this test alone", "model": model})
    assert [item["id"] for item in named] == [explainer["id"]]
    assert _list(api, NOUNS["explainers"], {"name": explainer["name"], "model": model}) == []
