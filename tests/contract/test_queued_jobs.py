"""Jobs that wait for a worker: a number for each caller and a number in all; beyond, callers have to come back."""

import concurrent.futures
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from tests.support.api import Api, Json, csv_of, frame_of
from tests.support.guarded import keys_of_new
from tests.support.models import fitted
from tests.support.serving import serving

_OF_CALLER, _IN_ALL = 3, 5


@dataclass(frozen=True)
class Asker:
    """Somebody with a key of their own."""

    api: Api
    inputs: Json  # a model and a dataset

    def create(self, seed: int) -> httpx.Response:
        return self.api.post("/v1/prototype-sets", {**self.inputs, "n_prototypes": 5, "seed": seed})


@pytest.fixture(scope="module")
def askers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Asker]]:
    """Yield three callers of a service without a worker."""
    data_dir = tmp_path_factory.mktemp("queued") / "data"
    keys = keys_of_new(data_dir, 3, "read", "write")
    limits = {"LEAFSPACE_MAX_QUEUED_JOBS": str(_IN_ALL), "LEAFSPACE_MAX_QUEUED_JOBS_OF_CALLER": str(_OF_CALLER)}
    with serving(data_dir, "--no-worker", LEAFSPACE_REQUIRE_KEYS="1", **limits) as service:
        apis = [Api(service.url) for _ in keys]
        for api, key in zip(apis, keys, strict=True):
            api.http.headers["Authorization"] = f"Bearer {key}"
        inputs = _uploaded(apis[0])
        yield [Asker(api, inputs) for api in apis]


def _uploaded(api: Api) -> Json:
    forest = fitted("random_forest_binary")
    names = {"feature_names": list(forest.rows.names), "ensemble": "random_forest"}
    model = api.upload("/v1/models", forest.onnx, names).json()
    dataset = api.upload("/v1/datasets", csv_of(frame_of(forest)), {"target": "t"}).json()
    return {"model": model["id"], "dataset": dataset["id"]}


def test_beyond_what_may_wait_jobs_are_refused_and_nothing_of_them_is_kept(askers: list[Asker]) -> None:
    first, second, third = askers
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(first.create, range(8)))

    assert Counter(answer.status_code for answer in answers) == {202: _OF_CALLER, 429: 8 - _OF_CALLER}
    refused = next(answer for answer in answers if answer.status_code == 429)
    assert refused.json()["code"] == "rate_limited"
    assert "3 jobs of yours wait" in refused.json()["detail"]
    assert int(refused.headers["Retry-After"]) >= 1
    accepted = next(answer for answer in answers if answer.status_code == 202).json()
    # What is being made already needs no job.
    again = first.create(accepted["request"]["seed"])
    assert (again.status_code, again.json()["job"]) == (202, accepted["job"])

    assert [second.create(seed).status_code for seed in (10, 11, 12)] == [202, 202, 429]
    assert "5 jobs wait" in third.create(20).json()["detail"]
    queued = first.api.get("/v1/prototype-sets?limit=100").json()["data"]
    assert [made["status"] for made in queued].count("pending") == _IN_ALL
    assert len(queued) == _IN_ALL

    cancelled = first.api.post(f"/v1/jobs/{accepted['job']}/cancel")
    assert cancelled.json()["status"] == "cancelled"
    assert third.create(20).status_code == 202
