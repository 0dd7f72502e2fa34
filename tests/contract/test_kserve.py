"""KServe's protocols: what its own client and Triton's receive is what our API answers, row by row."""

import json
import os
import re
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest
import yaml
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from schemas.explainer_names import NAME_PATTERN
from service.settings import ServiceSettings
from tests.support.api import Api, Json, Registered, parquet_of, register
from tests.support.pipelines import columns_onnx
from tests.support.sampling import mostly_long

_CLIENTS = Path(sys.prefix) / "kserve-clients" / "bin" / "python"
_NAME, _VALUES = "credit-risk", "prices"


@dataclass(frozen=True)
class Named:
    """An explainer of numbers and categories with a name, and rows for it."""

    explainer: str
    columns: dict[str, list[Any]]
    instances: list[Json]
    answer: Json  # our own, by its id


@pytest.fixture(scope="module")
def named(api: Api) -> Named:
    random = np.random.default_rng(0)
    colors = random.choice(["red", "grün", "blue"], 200)
    incomes, ages = random.normal(50, 20, 200).round(1), random.integers(20, 80, 200)
    frame = pd.DataFrame({"income": incomes, "color": colors, "age": ages})
    steps = make_column_transformer((OneHotEncoder(), ["color"]), remainder="passthrough")
    forest = make_pipeline(steps, RandomForestClassifier(10, max_depth=4, random_state=0))
    forest.fit(frame, np.where((frame["income"] > 50) ^ (frame["color"] == "red"), "yes", "no"))
    model = api.upload("/v1/models", columns_onnx(forest, frame)).json()["id"]
    dataset = api.upload("/v1/datasets", parquet_of(frame)).json()["id"]
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=6, proximity_kind="random_forest")["id"]
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes}).json()["id"]
    assert api.http.put(f"/v1/explainer-names/{_NAME}", json={"explainer": explainer, "force": True}).is_success
    instances = json.loads(frame.head(7).to_json(orient="records"))
    columns = {name: [row[name] for row in instances] for name in frame.columns}
    return Named(explainer, columns, instances, api.explain(explainer, instances))


@pytest.fixture(scope="module")
def received(named: Named, api: Api) -> Json:
    """Return what both clients received, in one go: they take seconds to start."""
    if not _CLIENTS.exists():
        message = "there are no clients of KServe to call the service with; make kserve-clients installs them"
        if os.environ.get("LEAFSPACE_REQUIRE_KSERVE") == "1":
            pytest.fail(message)
        pytest.skip(message)
    given: Json = {"url": str(api.http.base_url).rstrip("/"), "name": _NAME, "explainer": named.explainer}
    given |= {"columns": named.columns, "instances": named.instances}
    program = Path(__file__).parents[1] / "support" / "kserve_clients.py"
    command = [str(_CLIENTS), str(program)]
    done = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=False)  # ours
    assert done.returncode == 0, done.stderr
    found: Json = json.loads(done.stdout)
    return found


def _check(tensors: Json, answer: Json) -> None:
    """Hold the tensors of an answer against our own answer."""
    rows = answer["data"]
    assert tensors["label"] == [[row["prediction"]["label"]] for row in rows]
    assert tensors["scores"] == [[score["value"] for score in row["prediction"]["scores"]] for row in rows]
    assert [json.loads(text) for (text,) in tensors["explanation"]] == rows


@pytest.mark.long
@pytest.mark.parametrize("form", mostly_long(["json", "binary", "version"], "binary"))
def test_triton_s_client_receives_our_predictions_and_explanations(received: Json, named: Named, form: str) -> None:
    _check(received["triton"][form], named.answer)


@pytest.mark.long
@pytest.mark.parametrize("form", ["json", "binary"])
def test_kserve_s_client_receives_them_by_version_2(received: Json, named: Named, form: str) -> None:
    _check(received["kserve"]["v2"][form], named.answer)


@pytest.mark.long
def test_kserve_s_client_receives_them_by_version_1(received: Json, named: Named, api: Api) -> None:
    version_1 = received["kserve"]["v1"]
    labels = [row["prediction"]["label"] for row in named.answer["data"]]

    predicted = [row["prediction"] for row in named.answer["data"]]
    assert version_1["predictions"] == {
        "predictions": labels,
        "labels": labels,
        "classes": ["no", "yes"],
        "scores": [[score["value"] for score in each["scores"]] for each in predicted],
    }
    explained = api.explain(named.explainer, named.instances, n_prototypes=2)
    assert version_1["explanations"] == {
        "predictions": labels,
        "explanations": explained["data"],
        "explainer": named.explainer,
        "explainer_name": _NAME,
        "provenance": explained["provenance"],
    }


@pytest.mark.long
def test_parameters_of_a_request_are_those_of_an_explanation(received: Json, named: Named, api: Api) -> None:
    _check(received["triton"]["one_prototype"], api.explain(named.explainer, named.instances, n_prototypes=1))


@pytest.mark.long
def test_the_tensors_that_are_wanted_come_in_the_form_that_is_wanted(received: Json, named: Named) -> None:
    some = received["triton"]["some"]

    assert (some["model_name"], some["model_version"], some["id"]) == (_NAME, named.explainer, "7")
    assert [output["name"] for output in some["outputs"]] == ["explanation", "label"]
    assert some["outputs"][0]["parameters"]["binary_data_size"] > 0
    assert some["outputs"][1]["data"] == [row["prediction"]["label"] for row in named.answer["data"]]


@pytest.mark.long
def test_health_and_metadata_are_what_the_clients_expect(received: Json, named: Named) -> None:
    triton, kserve = received["triton"], received["kserve"]

    assert triton["live"] is triton["ready"] is triton["model_ready"] is triton["version_ready"] is True
    assert triton["nobody_ready"] is False
    assert kserve["v1"]["ready"] is True
    assert [kserve["v2"][name] for name in ("live", "ready", "model_ready")] == [True] * 3
    assert triton["server"]["extensions"] == ["binary_tensor_data"]
    assert triton["model"] == {
        "name": _NAME,
        "versions": [named.explainer],
        "platform": "leafspace",
        "inputs": [
            {"name": "income", "datatype": "FP64", "shape": [-1, 1]},
            {"name": "color", "datatype": "BYTES", "shape": [-1, 1]},
            {"name": "age", "datatype": "FP64", "shape": [-1, 1]},
        ],
        "outputs": [
            {"name": "label", "datatype": "BYTES", "shape": [-1, 1]},
            {"name": "scores", "datatype": "FP64", "shape": [-1, 2]},
            {"name": "explanation", "datatype": "BYTES", "shape": [-1, 1]},
        ],
    }


@pytest.mark.long
def test_the_clients_show_our_reasons_for_a_refusal(received: Json) -> None:
    nobody, version, column, parameter = received["triton"]["errors"]

    assert nobody == ["404", "no explainer has the name 'nobody'; list the explainer names to see those that exist"]
    assert version[0] == "404"
    assert "'credit-risk' has one version" in version[1]
    assert column[0] == "422"
    assert column[1].startswith("row 0, counted from 0: the instance lacks the feature 'income'")
    assert parameter[0] == "422"
    assert parameter[1].startswith("parameter 'n_prototypes': ")
    for version_of_protocol in ("v1", "v2"):
        assert received["kserve"][version_of_protocol]["error"].startswith("no explainer has the name 'nobody'")


@pytest.fixture(scope="module")
def prices(api: Api) -> Registered:
    registered = register(api, "random_forest_regression")
    api.http.put(f"/v1/explainer-names/{_VALUES}", json={"explainer": registered.explainer["id"], "force": True})
    return registered


def _column(name: str, values: list[Any], **more: object) -> Json:
    return {"name": name, "datatype": "FP64", "shape": [len(values), 1], "data": values, **more}


def _infer(api: Api, body: object, **headers: str) -> httpx.Response:
    return api.post(f"/v2/models/{_VALUES}/infer", body, **headers)


def test_effects_are_against_the_reference_that_a_parameter_names(api: Api, prices: Registered) -> None:
    instances = [prices.instance(row) for row in range(2)]
    inputs = [_column(name, [[row[name]] for row in instances]) for name in prices.names]
    expected = api.explain(prices.explainer["id"], instances, reference="all")["data"]

    answer = _infer(api, {"inputs": inputs, "parameters": {"reference": "all"}}).json()
    sent = api.post(f"/v1/models/{_VALUES}:explain", {"instances": instances, "reference": "all"}).json()
    refused = _infer(api, {"inputs": inputs, "parameters": {"reference": "most"}}).json()

    assert [json.loads(text) for text in answer["outputs"][-1]["data"]] == expected == sent["explanations"]
    assert expected[0]["effects"]["reference"]["kind"] == "all"
    assert "'reference'" in refused["error"]


def test_a_regression_answers_values(api: Api, prices: Registered) -> None:
    instances = [prices.instance(row) for row in range(3)]
    inputs = [_column(name, [[row[name]] for row in instances]) for name in prices.names]  # nested lists, too

    answer = _infer(api, {"inputs": inputs, "parameters": {"include": "contrast", "priority": 1}}).json()

    value, explanation = answer["outputs"]
    expected = api.explain(prices.explainer["id"], instances, include=["contrast"])["data"]
    assert (value["name"], value["datatype"], value["shape"]) == ("value", "FP64", [3, 1])
    assert value["data"] == [row["prediction"]["value"] for row in expected]
    assert [json.loads(text) for text in explanation["data"]] == expected
    predicted = api.post(f"/v1/models/{_VALUES}:predict", {"instances": instances}).json()
    assert predicted == {"predictions": value["data"], "values": value["data"]}


@pytest.mark.usefixtures("prices")
def test_a_row_that_the_model_refuses_fails_an_inference_and_is_one_explanation_of_version_1(
    api: Api, prices: Registered
) -> None:
    rows = [prices.instance(0), {**prices.instance(1), prices.names[0]: "many"}]

    explained = api.post(f"/v1/models/{_VALUES}:explain", {"instances": rows}).json()
    predicted = api.post(f"/v1/models/{_VALUES}:predict", {"instances": rows})

    assert [row["status"] for row in explained["explanations"]] == ["ok", "error"]
    assert explained["predictions"][1] is None
    assert predicted.status_code == 422
    assert predicted.json() == {"error": f"row 1, counted from 0: feature {prices.names[0]!r} is a number, got 'many'"}


def _changed(inputs: list[Json], **changes: object) -> list[Json]:
    return [{**inputs[0], **changes}, *inputs[1:]]


@pytest.mark.parametrize(
    ("changes", "status", "reason"),
    [
        ({"shape": [1, 2]}, 422, "has shape [1, 2]; a column of n rows has [n, 1]"),
        ({"shape": [2, 1]}, 422, "has shape [2, 1], and the number of its values is 1"),
        ({"shape": [2, 1], "data": [1, 2]}, 422, "has 2 rows, and"),
        ({"shape": [1001, 1], "data": [1] * 1001}, 413, "1001 rows in one call"),
        ({"data": None}, 422, "neither data nor binary_data_size"),
        ({"parameters": {"binary_data_size": 8}}, 422, "both data and binary_data_size"),
        ({"data": None, "parameters": {"binary_data_size": 8}}, 422, "where 0 bytes are left"),
        ({"parameters": {"shared_memory_region": "x"}}, 422, "shared memory is not supported"),
        ({"datatype": "FP128"}, 422, "`inputs[0].datatype` must be "),
        ({"name": "surplus"}, 422, "lacks the feature"),
        ({"data": ["many"]}, 422, "is a number, got 'many'"),
        ({"datatype": "BYTES"}, 422, "has datatype BYTES, and the feature is a number: send FP64, or another type of"),
        ({"datatype": "BYTES", "data": ["1.5"]}, 422, "has datatype BYTES, and the feature is a number: send FP64"),
        ({"data": [1e300]}, 422, "the value 1e+300 is infinite as float"),
    ],
)
def test_tensors_that_are_no_columns_of_the_rows_are_refused(
    api: Api, prices: Registered, changes: Json, status: int, reason: str
) -> None:
    inputs = [_column(name, [value]) for name, value in prices.instance(0).items()]

    refused = _infer(api, {"inputs": _changed(inputs, **changes)})

    assert refused.status_code == status
    assert set(refused.json()) == {"error"}
    assert reason in refused.json()["error"]


def test_a_missing_value_is_null_in_json_and_nan_in_binary(api: Api, prices: Registered) -> None:
    first, *others = prices.instance(0).items()
    plain = [_column(name, [value]) for name, value in others]
    in_json = _infer(api, {"inputs": [_column(first[0], [None]), *plain]})
    binary = {**_column(first[0], [None]), "parameters": {"binary_data_size": 4}, "datatype": "FP32"}
    text = json.dumps({"inputs": [{**binary, "data": None}, *plain]}).encode()

    def post(content: bytes, length: str) -> httpx.Response:
        headers = {"Inference-Header-Content-Length": length, "Content-Type": "application/octet-stream"}
        return api.http.post(f"/v2/models/{_VALUES}/infer", content=content, headers=headers)

    in_binary = post(text + struct.pack("<f", float("nan")), str(len(text)))

    assert (in_json.status_code, in_json.json()) == (in_binary.status_code, in_binary.json())
    for content, length, reason in (
        (text + bytes(4), "x", "is 'x'; it is the number of bytes of JSON"),
        (text, str(len(text) + 1), "it is the number of bytes of JSON in a body of"),
        (text + bytes(5), str(len(text)), "1 bytes are left behind the last tensor"),
        (text + bytes(3), str(len(text)), "has binary_data_size 4, where 3 bytes are left"),
    ):
        refused = post(content, length)
        assert refused.status_code == 422
        assert reason in refused.json()["error"]


def test_binary_data_of_another_length_than_the_shape_says_are_refused_before_they_are_read(
    api: Api, prices: Registered
) -> None:
    (name, _), *others = prices.instance(0).items()
    plain = [_column(other, [value]) for other, value in others]
    for datatype, size, reason in (
        ("BYTES", 4_000_000, "has datatype BYTES, and the feature is a number"),
        ("UINT8", 4_000_000, "has 4000000 bytes, and shape [1, 1]; each value of UINT8 has 1"),
        ("FP64", 7, "has 7 bytes, and shape [1, 1]; each value of FP64 has 8"),
    ):
        tensor = {"name": name, "shape": [1, 1], "datatype": datatype, "parameters": {"binary_data_size": size}}
        text = json.dumps({"inputs": [tensor, *plain]}).encode()
        headers = {"Inference-Header-Content-Length": str(len(text))}

        refused = api.http.post(f"/v2/models/{_VALUES}/infer", content=text + bytes(size), headers=headers)

        assert refused.status_code == 422
        assert reason in refused.json()["error"]


@pytest.mark.parametrize("name", ["instances", "dataset"])
def test_rows_are_no_parameters(api: Api, prices: Registered, name: str) -> None:
    inputs = [_column(feature, [value]) for feature, value in prices.instance(0).items()]

    refused = _infer(api, {"inputs": inputs, "parameters": {name: "x"}})

    assert refused.status_code == 422
    assert f"there is no parameter {name!r}: rows are sent as tensors" in refused.json()["error"]


@pytest.mark.usefixtures("prices")
def test_every_refusal_is_an_error_of_the_protocol(api: Api) -> None:
    path = f"/v2/models/{_VALUES}/infer"
    answers = [
        (api.http.post(path, content=b"{"), 400),
        (api.http.post(path, content=b"{}", headers={"Content-Type": "text/plain"}), 415),
        (api.http.post(path, content=b"{}", headers={"Content-Encoding": "gzip"}), 415),
        (api.http.post(path, content=b'{"inputs": []}'), 422),
        (api.http.post(f"{path}?verbose=1", content=b"{}"), 422),
        (api.http.get(path), 405),
        (api.get("/v2/nowhere"), 404),
        (api.get("/v2", Origin="https://elsewhere.example"), 403),
        (api.http.post("/v1/models/nobody:explain", content=b'{"instances": [[1]]}'), 404),
    ]

    for answer, status in answers:
        assert answer.status_code == status
        assert answer.headers["Content-Type"] == "application/json"
        assert list(answer.json()) == ["error"]
        assert int(answer.headers["Content-Length"]) == len(answer.content)


def test_requests_are_counted_by_their_routes(api: Api, prices: Registered) -> None:
    body = {"instances": [prices.instance(0)]}

    for verb in ("explain", "predict", "praise"):
        api.post(f"/v1/models/{_VALUES}:{verb}", body)
    _infer(api, {})

    counted = set(re.findall(r'route="(/v[12]/models/[^"]+)"', api.get("/metrics").text))
    routes = {f"/v1/models/{{name}}:{verb}" for verb in ("explain", "predict")} | {"/v2/models/{name}/infer"}
    assert counted >= {*routes, "/v1/models/{model_id}"}
    assert not any(_VALUES in route for route in counted)


def test_version_1_s_readiness_leaves_our_own_models_alone(api: Api, prices: Registered) -> None:
    model = f"/v1/models/{prices.model['id']}"

    assert api.get(f"/v1/models/{_VALUES}").json() == {"name": _VALUES, "ready": True}
    assert api.get(model).json() == prices.model
    assert api.get("/v1/models/nobody").status_code == 404
    assert api.get("/v1/models/mdl_nobody").json()["code"] == "not_found"
    assert api.patch(model, {"name": prices.model["name"]}).status_code == 200


def test_the_documented_inference_service_probes_what_is_there(api: Api) -> None:
    text = (Path(__file__).parents[2] / "docs/kserve.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    service = yaml.safe_load(block)
    (container,) = service["spec"]["explainer"]["containers"]

    assert re.fullmatch(NAME_PATTERN, service["metadata"]["name"])
    for probe in ("readinessProbe", "livenessProbe"):
        called = container[probe]["httpGet"]
        assert called["port"] == container["ports"][0]["containerPort"]
        assert f"--port {called['port']}" in container["command"][-1]
        assert api.get(called["path"]).status_code == 200
    given = {variable["name"].removeprefix("LEAFSPACE_").lower() for variable in container["env"]}
    assert given <= ServiceSettings.model_fields.keys()
