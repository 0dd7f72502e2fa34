"""A category that a model's library refuses is refused in predictions, explanations, KServe's forms and jobs alike."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from leafspace_client.conversion import convert_model
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from tests.support.api import Api, Json, parquet_of

_NAME = "fares"
_DETAIL = "The model does not know the category of 'port': 'Oslo' (it knows 'C', 'Q', 'S')."


@dataclass(frozen=True)
class Fares:
    """A model whose encoders refuse unknown categories, and an explainer of it."""

    model: str
    prototypes: str
    explainer: str
    instances: list[Json]  # the second of three has an unknown category
    frame: pd.DataFrame


@pytest.fixture(scope="module")
def fares(api: Api) -> Fares:
    random = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"port": random.choice(["C", "Q", "S"], 90), "class": random.integers(1, 4, 90), "fare": random.random(90)}
    )
    steps = make_column_transformer((OneHotEncoder(), ["port"]), (OrdinalEncoder(), ["class"]), remainder="passthrough")
    forest = make_pipeline(steps, RandomForestClassifier(5, max_depth=4, random_state=0))
    forest.fit(frame, np.where((frame["port"] == "S") ^ (frame["class"] == 2), "yes", "no"))
    converted = convert_model(forest, frame)
    model = api.upload("/v1/models", converted.onnx, converted.metadata()).json()["id"]
    dataset = api.upload("/v1/datasets", parquet_of(frame)).json()["id"]
    prototypes = api.make(model=model, dataset=dataset, n_prototypes=4, proximity_kind="random_forest")["id"]
    explainer = api.post("/v1/explainers", {"model": model, "prototype_set": prototypes}).json()["id"]
    assert api.http.put(f"/v1/explainer-names/{_NAME}", json={"explainer": explainer, "force": True}).is_success
    instances = [{"port": port, "class": 2, "fare": 0.5} for port in ("S", "Oslo", "Q")]
    return Fares(model, prototypes, explainer, instances, frame)


@pytest.mark.parametrize("what", ["predictions", "explanations"])
def test_one_row_of_several_is_refused(fares: Fares, api: Api, what: str) -> None:
    path = (
        f"/v1/models/{fares.model}/predictions" if what == "predictions" else f"/v1/explainers/{fares.explainer}/{what}"
    )

    rows = api.post(path, {"instances": fares.instances}).json()["data"]

    assert [row["status"] for row in rows] == ["ok", "error", "ok"]
    problem = rows[1]["problem"]
    assert (problem["status"], problem["code"], problem["detail"]) == (422, "unknown_category", _DETAIL)


def test_a_number_that_an_encoder_does_not_know_is_refused(fares: Fares, api: Api) -> None:
    instances = [fares.instances[0] | {"class": 4}, fares.instances[0] | {"port": None}]

    rows = api.post(f"/v1/models/{fares.model}/predictions", {"instances": instances}).json()["data"]

    assert [row["problem"]["detail"] for row in rows] == [
        "The model does not know the category of 'class': 4 (it knows 1, 2, 3).",
        "The model does not know the category of 'port': a missing value (it knows 'C', 'Q', 'S').",
    ]


def test_kserve_s_calls_are_refused(fares: Fares, api: Api) -> None:
    predicted, explained = (
        api.post(f"/v1/models/{_NAME}:{verb}", {"instances": fares.instances}) for verb in ("predict", "explain")
    )

    assert (predicted.status_code, predicted.json()) == (422, {"error": f"row 1, counted from 0: {_DETAIL}"})
    assert [row["status"] for row in explained.json()["explanations"]] == ["ok", "error", "ok"]
    assert explained.json()["explanations"][1]["problem"]["detail"] == _DETAIL


def test_a_job_fails_and_names_the_category(fares: Fares, api: Api) -> None:
    rows = fares.frame.assign(port=["Oslo" if index == 41 else port for index, port in enumerate(fares.frame["port"])])
    dataset = api.upload("/v1/datasets", parquet_of(rows)).json()["id"]

    accepted = api.post("/v1/prototype-sets", {"model": fares.model, "dataset": dataset, "n_prototypes": 4})
    job = api.wait(accepted.json()["job"])
    assert job["status"] == "failed"
    assert "'Oslo'" in job["problem"]["detail"]
