"""``settings: "paper"`` for every noun that a job makes: what it fills in, and what it leaves as it was given."""

from collections.abc import Mapping
from typing import Any, get_args

import pytest
from pydantic import ValidationError

from schemas.approximation_trees import ApproximationTreeRequest, RequestedMethod
from schemas.contract import Contract
from schemas.datasets import SourceDatasetRequest
from schemas.explainers import EXPLAINERS
from schemas.feature_sets import FeatureDatasetRequest
from schemas.label_audits import LabelAuditRequest
from schemas.noun import Noun
from schemas.nouns import NOUNS
from schemas.paper_settings import MethodRequest
from schemas.prototype_sets import PrototypeSetRequest
from schemas.relational_forests import RelationalForestRequest
from schemas.rule_sets import InTreesOptions, RuleSetMethod, RuleSetRequest
from tests.support.api import Api, Json, Registered, csv_of, frame_of
from tests.support.models import fitted
from tests.support.nouns import inputs_of

_TAKING = tuple(noun for noun in NOUNS.values() if noun.request is not None and issubclass(noun.request, MethodRequest))
_RULES, _TREES, _FORESTS = RuleSetRequest, ApproximationTreeRequest, RelationalForestRequest
_KERNEL = {"method": "kernel", "bandwidth": 0.1, "neighbor_probability": 0.1}
_IN_TREES = InTreesOptions().model_dump()
_SMALL: dict[str, Json] = {
    "approximation_trees": {"max_pseudo_samples": 1000},
    "relational_forests": {"n_trees": 1},
    "feature_sets": {"generate": {"depth": 1}},
    "maps": {"n_rows": 40, "n_neighbors": 12},
    "reports": {"title": "As in the papers"},
}


@pytest.mark.parametrize("noun", _TAKING, ids=lambda noun: noun.name)
@pytest.mark.sampled("thirds")
def test_every_job_takes_the_settings_of_the_papers(api: Api, forest: Registered, noun: Noun[Any]) -> None:
    """The answer shows what was filled in, and the same request in full is the same artefact."""
    assert noun.request is not None
    request = {**inputs_of(api, forest, noun), **_SMALL.get(noun.name, {})}

    made = api.made(noun.path, {**request, "settings": "paper"})

    if noun == EXPLAINERS:  # which show their parts, and no request
        assert made["id"] == api.post(noun.path, request).json()["id"]
        return
    shown: Json = made["request"]
    assert "settings" not in shown
    for name, value in _filled(noun.request, request).items():  # type: ignore[arg-type]  # one of those
        assert shown[name] == value, name
    again = api.post(noun.path, shown)
    assert (again.status_code, again.json()["id"]) == (200, made["id"])


def _filled(kind: type[MethodRequest], request: Mapping[str, Any]) -> Json:
    """Return the fields that the papers set, as answers show them."""
    full = kind.model_validate({**request, "settings": "paper"}).model_dump(mode="json")
    method = kind.of_papers.get("", {}).get("method", full.get("method"))
    return {name: full[name] for name in {**kind.of_papers.get("", {}), **kind.of_papers.get(str(method), {})}}


def test_they_are_taken_wherever_a_job_makes_something_and_by_explainers() -> None:
    assert {noun.name for noun in _TAKING} == {noun.name for noun in NOUNS.made_by_jobs} | {EXPLAINERS.name}


@pytest.mark.parametrize("kind", [SourceDatasetRequest, FeatureDatasetRequest])
def test_datasets_that_a_job_makes_take_them(kind: type[Contract]) -> None:
    assert [noun.name for noun in NOUNS.kinds_of_jobs if noun not in NOUNS.made_by_jobs] == ["datasets"]
    given = {"source": {"files": "file:///rows/*.csv"}} if kind == SourceDatasetRequest else {}
    assert kind.model_validate(given | {"settings": "paper"}) == kind.model_validate(given)


@pytest.mark.parametrize(
    ("kind", "given", "filled"),
    [
        (PrototypeSetRequest, {}, {"min_leaf_rows": 1, "labels": "target", "method": "sm_a", "per_outcome": "by_gain"}),
        (PrototypeSetRequest, {"min_leaf_rows": "auto"}, {"min_leaf_rows": "auto", "labels": "target"}),
        (LabelAuditRequest, {}, {"method": "neighbors", "min_leaf_rows": 1}),
        (_RULES, {}, {"method": "fab", "boxes": "whole", "labels": "target", "omega": None}),
        (_RULES, {}, {"start": "algorithm_1", "e_step_rounds": 100, "n_restarts": 20}),
        (_RULES, {"method": "em", "labels": "predicted"}, {"method": "em", "labels": "predicted"}),
        (_RULES, {"method": "in_trees"}, {"in_trees": _IN_TREES | {"decay": "relative"}}),
        (
            _RULES,
            {"method": "in_trees", "in_trees": {"max_depth": 4}},
            {"in_trees": _IN_TREES | {"decay": "relative", "max_depth": 4}},
        ),
        (_RULES, {"method": "in_trees", "in_trees": {"decay": "absolute"}}, {"in_trees": _IN_TREES}),
        (_RULES, {"method": "in_trees", "in_trees": None}, {"in_trees": None}),
        (_TREES, {"generator": {"bandwidth": 0.3}}, {"generator": _KERNEL | {"bandwidth": 0.3}}),
        (_TREES, {}, {"method": "sta", "generator": _KERNEL, "choose_by": "gain", "max_depth": 4}),
        (_TREES, {"generator": {"method": "ranks"}, "max_depth": 7}, {"choose_by": "gain", "max_depth": 7}),
        (
            _TREES,
            {"method": "ism"},
            {"fitted_on": "dataset", "stop_when_pure": True, "min_samples_leaf": 1, "max_depth": 30},
        ),
        (
            _TREES,
            {"method": "ism", "fitted_on": "generator"},
            {"fitted_on": "generator", "choose_by": "gain", "generator": {**_KERNEL, "method": "ranks"}},
        ),
        (_TREES, {"method": "auto"}, {"method": "sta", "generator": _KERNEL, "choose_by": "gain", "max_depth": 4}),
        (_TREES, {"method": "ism", "stop_when_pure": False}, {"fitted_on": "dataset", "stop_when_pure": False}),
        (_TREES, {"method": "born_again"}, {"smearing_probability": 0.25, "max_depth": 5, "stop_when_pure": False}),
        (_FORESTS, {}, {"aggregates": False, "pruning": "none", "test_share": 0.25, "criterion": "gain"}),
        (_FORESTS, {"method": "tilde"}, {"aggregates": False, "pruning": "c45"}),
    ],
)
def test_papers_fill_in_what_is_left_out(kind: type[MethodRequest], given: Json, filled: Json) -> None:
    names = {name: "x" for name, field in kind.model_fields.items() if field.is_required()}
    full = kind.model_validate({**names, **given, "settings": "paper"}).model_dump(mode="json")
    assert {name: full[name] for name in filled} == filled
    assert kind.model_validate(full).model_dump(mode="json") == full


@pytest.mark.parametrize("method", get_args(RuleSetMethod))
def test_rules_of_every_method_predict_the_target_as_in_its_paper(method: str) -> None:
    request = {"model": "x", "dataset": "x", "method": method}
    assert RuleSetRequest.model_validate({**request, "settings": "paper"}).labels == "target"
    assert RuleSetRequest.model_validate(request).labels == "predicted"


@pytest.mark.parametrize("method", get_args(RuleSetMethod))
@pytest.mark.sampled("thirds")
def test_rule_sets_of_every_method_are_made_as_in_its_paper(api: Api, forest: Registered, method: str) -> None:
    few = {"n_restarts": 1, "max_rules": 3} if method in {"rule_list", "fab", "em"} else {}
    request = {"model": forest.model["id"], "dataset": forest.dataset["id"], "method": method, **few}

    made = api.made("/v1/rule-sets", {**request, "settings": "paper"})

    assert (made["status"], made["request"]["labels"]) == ("ready", "target"), made["problem"]


@pytest.mark.parametrize("method", get_args(RequestedMethod))
@pytest.mark.parametrize("task", ["binary", "regression"])
@pytest.mark.sampled("values")
def test_trees_of_classes_and_of_values_are_made_as_in_the_papers(api: Api, task: str, method: str) -> None:
    model = fitted(f"random_forest_{task}")
    metadata = {"feature_names": list(model.rows.names), "ensemble": "random_forest"}
    request = {
        "model": api.upload("/v1/models", model.onnx, metadata).json()["id"],
        "dataset": api.upload("/v1/datasets", csv_of(frame_of(model)), {"target": "t"}).json()["id"],
        "method": method,
        "max_pseudo_samples": 1000,
        "settings": "paper",
    }

    made = api.made("/v1/approximation-trees", request)

    assert made["status"] == "ready", made["problem"]
    assert made["request"]["stop_when_pure"] == (method == "ism" and task == "binary")
    if method == "auto":
        assert made["id"] == api.post("/v1/approximation-trees", {**request, "method": "sta"}).json()["id"]


def test_the_papers_criterion_of_true_classes_takes_some(api: Api, forest: Registered) -> None:
    unlabelled = api.upload("/v1/datasets", csv_of(frame_of(forest.fitted).drop(columns="t"))).json()["id"]
    request = {"model": forest.model["id"], "dataset": unlabelled, "method": "ism", "settings": "paper"}

    made = api.made("/v1/approximation-trees", request)
    refused = api.post("/v1/approximation-trees", {**request, "stop_when_pure": True})

    assert (made["status"], made["request"]["stop_when_pure"]) == ("ready", False)
    assert refused.json()["errors"][0]["pointer"] == "/stop_when_pure"
    assert "`stop_when_pure: false`" in refused.json()["detail"]
    assert api.post("/v1/approximation-trees", {**request, "stop_when_pure": False}).json()["id"] == made["id"]


@pytest.mark.parametrize("given", ["papers", "", 1, True, ["paper"]])
def test_no_other_settings_are_known(given: object) -> None:
    with pytest.raises(ValidationError, match="settings"):
        PrototypeSetRequest.model_validate({"model": "x", "dataset": "x", "settings": given})


def test_what_papers_need_and_a_dataset_lacks_is_named(api: Api, forest: Registered) -> None:
    """They compare with the target, so that a dataset needs one; the caller may take the model's labels instead."""
    lines = "\n".join(",".join(map(repr, row)) for row in forest.fitted.features[:20].tolist())
    unlabelled = api.upload("/v1/datasets", f"{','.join(forest.names)}\n{lines}\n".encode()).json()["id"]
    request = {"model": forest.model["id"], "dataset": unlabelled, "settings": "paper"}

    refused = api.post("/v1/prototype-sets", request)

    assert (refused.status_code, refused.json()["code"]) == (422, "schema_mismatch")
    assert "labels=predicted" in refused.json()["detail"]
    assert api.post("/v1/prototype-sets", {**request, "labels": "predicted", "n_prototypes": 2}).is_success
