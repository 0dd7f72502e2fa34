"""Models registered as oracles only: predicted, approximated by a tree, and refused where leaves are needed."""

from typing import Any, get_args

import numpy as np
import pandas as pd
import pytest

from schemas.models import MODELS, Model, ModelSummary
from schemas.noun import Noun
from schemas.nouns import NOUNS
from tests.support.api import Api, Json, csv_of
from tests.support.oracle_models import fitted_oracle, layers

_NETWORK = fitted_oracle("network")
_NAMES = [f"x{column}" for column in range(_NETWORK.features.shape[1])]
_MADE_FROM_MODELS = [noun for noun in NOUNS.values() if "models" in noun.made_from.values()]
_FROM = {"dataset": "ds_none", "evaluation_dataset": None, "prototype_set": "prs_none"}


@pytest.fixture(scope="module")
def oracle(api: Api) -> Json:
    scores = _NETWORK.estimator.predict_proba(_NETWORK.features[:20])
    parity = {"rows": _NETWORK.features[:20].tolist(), "predictions": scores.tolist()}
    answer = api.upload("/v1/models", _NETWORK.onnx, {"name": "a network", "oracle_only": True, "parity": parity})
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


@pytest.fixture(scope="module")
def dataset(api: Api) -> str:
    frame = pd.DataFrame(_NETWORK.features, columns=_NAMES).assign(target=_NETWORK.target)
    identifier: str = api.upload("/v1/datasets", csv_of(frame), {"target": "target"}).json()["id"]
    return identifier


def test_an_oracle_says_what_it_is_and_predicts(api: Api, oracle: Json) -> None:
    rows = _NETWORK.features[:50]

    answer = api.post(f"/v1/models/{oracle['id']}/predictions", {"instances": rows.tolist()})

    assert oracle["oracle_only"]
    assert 0 < oracle["seconds_per_1000_rows"] < 1
    assert (oracle["task"], oracle["classes"], oracle["ensemble"]) == ("classification", ["0", "1"], None)
    assert (oracle["n_trees"], oracle["n_leaves"], oracle["max_depth"], oracle["column_map"]) == (0, 0, 0, [])
    assert oracle["parity"]["n_rows"] == 20
    assert (
        api.get(f"/v1/models/{oracle['id']}").json() == oracle == Model.model_validate(oracle).model_dump(mode="json")
    )
    listed = {name: oracle[name] for name in ModelSummary.model_fields}
    assert listed in api.get("/v1/models?limit=1000").json()["data"]
    predicted = [row["prediction"] for row in answer.json()["data"]]
    assert [each["label"] for each in predicted] == _NETWORK.estimator.predict(rows).astype(str).tolist()
    scores = [[score["value"] for score in each["scores"]] for each in predicted]
    np.testing.assert_allclose(scores, _NETWORK.estimator.predict_proba(rows), atol=1e-5)


def test_a_tree_approximates_it(api: Api, oracle: Json, dataset: str) -> None:
    request = {"model": oracle["id"], "dataset": dataset, "max_depth": 3, "max_pseudo_samples": 1_000}

    made = api.made("/v1/approximation-trees", request)

    assert made["status"] == "ready", made["problem"]
    result = made["result"]
    assert (result["method"], result["n_trees"]) == ("sta", 0)
    evaluation = result["evaluation"]
    assert evaluation["fidelity"] > max(0.85, evaluation["constant"]["fidelity"] + 0.1)
    labels = _NETWORK.estimator.predict(_NETWORK.features)
    assert evaluation["model"]["accuracy"] == pytest.approx((labels == _NETWORK.target).mean())
    assert all(node["settled"] is None for node in result["nodes"])
    on_rows = api.made("/v1/approximation-trees", {**request, "method": "cart", "fitted_on": "dataset"})["result"]
    assert on_rows["evaluation"]["fidelity"] > 0.85
    text = api.get(f"/v1/approximation-trees/{made['id']}/export?format=text").text
    assert "a model without trees" in text


@pytest.mark.parametrize("noun", _MADE_FROM_MODELS, ids=lambda noun: noun.name)
def test_what_is_made_from_leaves_is_refused_unless_its_noun_says_otherwise(
    api: Api, oracle: Json, dataset: str, noun: Noun[Any]
) -> None:
    assert noun.request is not None
    base = {**{name: _FROM.get(name) for name in noun.made_from}, "model": oracle["id"]}
    base |= {"dataset": dataset} if "dataset" in noun.made_from else {}
    request = {name: value for name, value in base.items() if value is not None}
    for method in _methods_of(noun):
        answer = api.post(noun.path, {**request, **method})
        if noun.needs_leaves(noun.request(**request, **method)):
            problem = answer.json()
            assert (answer.status_code, problem["code"]) == (422, "model_without_leaves"), answer.text
            assert problem["errors"][0]["pointer"] == "/model"
            assert noun.words in problem["detail"]
            assert all(f"by {name} `{value}` need leaves" in problem["detail"] for name, value in method.items())
        else:
            assert answer.status_code == 202, answer.text
            api.post(f"/v1/jobs/{answer.json()['job']}/cancel")


def test_what_is_read_from_leaves_is_refused_unless_models_say_otherwise(api: Api, oracle: Json) -> None:
    instances = _NETWORK.features[:2].tolist()
    below = {
        "predictions": api.post(f"/v1/models/{oracle['id']}/predictions", {"instances": instances}),
        "proximities": api.post(
            f"/v1/models/{oracle['id']}/proximities", {"instances": instances, "others": instances}
        ),
        "features": api.get(f"/v1/models/{oracle['id']}/features"),
        "trees/{tree}": api.get(f"/v1/models/{oracle['id']}/trees/0"),
    }
    prefix = f"{MODELS.item_path}/"
    paths = {path.removeprefix(prefix) for path in api.get("/openapi.json").json()["paths"] if path.startswith(prefix)}

    leaves = api.post(f"/v1/models/{oracle['id']}/predictions", {"instances": instances, "include": ["leaves"]})

    assert paths == set(below)
    for path, answer in below.items():
        if path in MODELS.read_without_leaves:
            assert answer.status_code == 200
        else:
            assert (answer.status_code, answer.json()["code"]) == (422, "model_without_leaves"), path
    assert (leaves.status_code, leaves.json()["code"]) == (422, "model_without_leaves")


@pytest.mark.long
def test_a_model_too_slow_for_the_sandbox_is_refused_and_nothing_is_kept(api: Api) -> None:
    before = api.get("/v1/models?limit=1000").json()["data"]
    slow = bytes(layers(700, 600).SerializeToString())

    answer = api.upload("/v1/models", slow, {"oracle_only": True})
    while answer.status_code == 503:  # the machine is too busy to try it in time
        answer = api.upload("/v1/models", slow, {"oracle_only": True})

    assert (answer.status_code, answer.json()["code"]) == (422, "model_too_slow"), answer.text
    assert api.get("/v1/models?limit=1000").json()["data"] == before


def _methods_of(noun: Noun[Any]) -> list[dict[str, str]]:
    """Return requests' methods, where these decide whether leaves are needed."""
    fields = noun.made_without_leaves or {}
    assert noun.request is not None
    if not fields:
        return [{}]
    (name,) = fields
    return [{name: value} for value in get_args(noun.request.model_fields[name].annotation)]
