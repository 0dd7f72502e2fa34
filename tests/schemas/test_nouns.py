"""Declarations of nouns are consistent; a piece that is missing elsewhere is named when it is imported."""

import importlib
import inspect
from dataclasses import replace

import pytest
from leafspace_client import AsyncLeafspace, Leafspace

from schemas.approximation_trees import APPROXIMATION_TREES
from schemas.explainers import EXPLAINERS
from schemas.jobs import JOBS
from schemas.key_texts import draw_key
from schemas.models import MODELS
from schemas.nouns import NOUNS, Nouns
from schemas.rule_sets import RULE_SETS
from service.operations.job_estimates import estimated_kinds
from service.web.route_scopes import scope_of
from storage import artefacts
from workers.job_kinds import load_job_kinds

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def test_every_method_of_every_noun_has_a_scope_and_nothing_else_has() -> None:
    for noun in NOUNS.stored:
        for path in (noun.path, noun.item_path):
            of_path = [scope_of(method, path) for method in _METHODS]
            expected = {
                "api_keys": ["admin"] * 5,
                "explainer_names": ["read", *["deploy"] * 4],
                "explanations": ["audit"] * 5,
            }
            assert of_path == expected.get(noun.name, ["read", *["write"] * 4])
    assert scope_of("POST", "/v1/explainers/{explainer_id}/explanations") == "explain"
    assert scope_of("POST", "/v1/models/{model_id}/predictions") == "explain"
    assert scope_of("POST", "/v1/jobs/{job_id}/cancel") == "write"
    decisions = "/v1/label-audits/{label_audit_id}/decisions"
    of_decisions = {method: scope_of(method, f"{decisions}/{{row}}") for method in ("GET", "PUT", "DELETE")}
    assert of_decisions == {"GET": "read", "PUT": "review", "DELETE": "review"}
    assert scope_of("GET", f"{decisions}/export") == "read"
    assert scope_of("GET", "/v1/models/{model_id}/trees/{tree}") == "read"
    for method, path in [
        ("POST", "/v1/models/{model_id}/retrain"),
        ("POST", "/v1/explainers/{explainer_id}/predictions"),
        ("POST", "/v1/explanations/{stored_explanation_id}/restore"),
        ("TRACE", "/v1/models"),
        ("GET", "/v1/nowhere"),
    ]:
        with pytest.raises(LookupError, match=f"{method} {path}"):
            scope_of(method, path)


def test_the_sdk_has_a_collection_for_every_noun() -> None:
    for client in (Leafspace("http://127.0.0.1:9"), AsyncLeafspace("http://127.0.0.1:9")):
        for noun in NOUNS.stored:
            assert hasattr(client, noun.name), f"{type(client).__name__} has no collection {noun.name}"
            collection = getattr(client, noun.name)
            assert hasattr(collection, "delete") == (noun is not JOBS)
            assert hasattr(collection, "rename") == ("name" in noun.mutable)
            assert hasattr(collection, "put") == noun.named_by_callers
            assert tuple(inspect.signature(collection.list).parameters) == noun.filters
            if noun.is_made_by_job:
                assert hasattr(collection, "create")


def test_ids_of_keys_are_as_declared() -> None:
    assert draw_key().id.startswith(NOUNS["api_keys"].id_prefix)


def test_a_declaration_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(LookupError, match="rule_sets are made by jobs: declare their request and their result"):
        replace(RULE_SETS, result=None)
    with pytest.raises(LookupError, match="rule_sets are made from 'forest', which their request does not have"):
        replace(RULE_SETS, made_from={"forest": "models"})
    with pytest.raises(LookupError, match="models have no field 'nickname' to change"):
        replace(MODELS, mutable=("nickname",))
    with pytest.raises(LookupError, match="jobs have no field 'colour' to be listed by"):
        replace(JOBS, listed_by=("colour",))
    with pytest.raises(LookupError, match="the same name or the same prefix"):
        Nouns(MODELS, replace(MODELS, name="copies"))
    with pytest.raises(LookupError, match=r"explainers refer to '[a-z_]+', which"):
        Nouns(MODELS, EXPLAINERS)


def test_nouns_may_be_mutable_have_several_products_and_be_made_at_once_or_by_a_job() -> None:
    either = replace(RULE_SETS, making="either")

    assert either.is_made_by_job
    assert len(APPROXIMATION_TREES.products) == 2
    assert replace(MODELS, mutable=("name",)).scope_of("PATCH") == "write"


def test_a_kind_without_an_estimate_or_a_function_is_named() -> None:
    another = replace(RULE_SETS, name="leaf_counts", singular="leaf_count", id_prefix="lfc_")

    with pytest.raises(LookupError, match="jobs of leaf_counts have no estimate: declare ESTIMATE in service/operati"):
        estimated_kinds(Nouns(*NOUNS.values(), another))
    with pytest.raises(LookupError, match="jobs of leaf_counts have no function: write make_leaf_count in"):
        load_job_kinds({"leaf_counts": "workers.jobs.leaf_counts.make_leaf_count"})


def test_an_artefact_that_explainers_name_is_protected_from_deletion(monkeypatch: pytest.MonkeyPatch) -> None:
    assert [column.name for column in artefacts.EXPLAINER_PARTS] == ["prototype_set", "rule_set", "approximation_tree"]

    another = replace(EXPLAINERS, made_from={**EXPLAINERS.made_from, "shown_features": "rule_sets"})
    monkeypatch.setattr(artefacts, "EXPLAINERS", another)
    with pytest.raises(LookupError, match="explainers are made from 'shown_features': add that column"):
        artefacts._explainer_parts()


def test_every_noun_has_one_module_per_layer_named_after_it() -> None:
    for noun in NOUNS.stored:
        for layer in ("schemas", "service.operations"):
            assert importlib.import_module(f"{layer}.{noun.name}")
