"""Datasets by reference, from the address of files to prototypes and explanations: the same as by upload."""

import json
import os
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

import numpy as np
import pandas as pd
import pytest
from leafspace_client import JobFailed, Leafspace

from storage.bucket import Bucket
from tests.support.api import Api, Json, Registered, frame_of, parquet_of
from tests.support.models import fitted
from tests.support.processes import children_of, upload_children_of
from tests.support.serving import Service, serving
from tests.support.storage_servers import S3Server

_FOREST = "random_forest_binary"


@dataclass(frozen=True)
class Lake:
    """A folder with the rows of a fitted model in three files of each year, one of which is empty."""

    folder: Path
    frame: pd.DataFrame

    @property
    def files(self) -> str:
        return f"file://{self.folder}/*/part-*.parquet"

    def write(self, year: str) -> None:
        (self.folder / year).mkdir()
        for number, part in enumerate((self.frame[:40], self.frame[:0], self.frame[40:])):
            (self.folder / year / f"part-{number}.parquet").write_bytes(parquet_of(part))


@pytest.fixture(scope="module")
def lake(lake_root: Path) -> Lake:
    folder = lake_root / token_hex(8)
    folder.mkdir()
    found = Lake(folder, frame_of(fitted(_FOREST)))
    found.write("2026")
    return found


def _request(lake: Lake, files: str | None = None) -> Json:
    return {"source": {"files": files or lake.files}, "target": "t"}


@pytest.fixture(scope="module")
def by_reference(lake: Lake, api: Api) -> Json:
    answer = api.post("/v1/datasets", _request(lake))
    assert answer.status_code == 202, answer.text
    job = api.wait(answer.json()["id"])
    assert job["status"] == "succeeded", job
    found: Json = api.get(f"/v1/datasets/{job['artefact']}").json()
    return found


@pytest.fixture(scope="module")
def uploaded(forest: Registered) -> Json:
    return forest.dataset


@pytest.fixture(scope="module")
def model(forest: Registered) -> str:
    return str(forest.model["id"])


def test_it_is_the_same_dataset_as_by_upload(api: Api, lake: Lake, by_reference: Json, uploaded: Json) -> None:
    own = ("id", "sha256", "size_bytes", "source", "created_at")

    assert {key: value for key, value in by_reference.items() if key not in own} == {
        key: value for key, value in uploaded.items() if key not in own
    }
    assert by_reference["source"] == {"files": lake.files, "n_files": 3}
    assert by_reference["id"] in [dataset["id"] for dataset in api.get("/v1/datasets").json()["data"]]
    pages = [list(api.pages(f"/v1/datasets/{each['id']}/rows", 30)) for each in (by_reference, uploaded)]
    assert pages[0] == pages[1]
    refused = api.get(f"/v1/datasets/{by_reference['id']}/rows", Accept="application/vnd.apache.parquet")
    assert (refused.status_code, refused.json()["code"]) == (406, "not_acceptable")


def test_registered_again_it_is_the_same_dataset_and_a_key_gives_the_same_job(
    api: Api, lake: Lake, by_reference: Json
) -> None:
    headers = {"Idempotency-Key": "lake"}
    first, second = (api.post("/v1/datasets", _request(lake), **headers) for _ in range(2))

    assert first.json()["id"] == second.json()["id"]
    assert first.headers["Location"] == f"/v1/jobs/{first.json()['id']}"
    assert api.wait(first.json()["id"])["artefact"] == by_reference["id"]
    assert (
        api.post("/v1/datasets", _request(lake, "file:///etc/*"), **headers).json()["code"] == "idempotency_key_reused"
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"source": {"files": "file:///etc/passwd"}}, "source_not_allowed"),
        ({"source": {"files": "../lake"}}, "validation_failed"),
        ({"source": {"files": "s3://lake/*.parquet", "endpoint": "http://evil"}}, "unknown_field"),
        ({"target": "t"}, "validation_failed"),
    ],
)
def test_what_names_no_files_is_refused_at_once(api: Api, body: Json, code: str) -> None:
    assert api.post("/v1/datasets", body).json()["code"] == code


def test_prototypes_explanations_and_all_rows_explained_are_those_of_an_upload(
    api: Api, model: str, by_reference: Json, uploaded: Json
) -> None:
    found = []
    for dataset in (by_reference, uploaded):
        chosen = api.make(model=model, dataset=dataset["id"], n_prototypes=5, refine="swap")
        explainer = api.post("/v1/explainers", {"model": model, "prototype_set": chosen["id"]}).json()["id"]
        rows = {"dataset": dataset["id"], "row_ids": ["3", "77"]}
        explained = api.post(f"/v1/explainers/{explainer}/explanations", rows).json()["data"]
        whole = api.made("/v1/explanation-sets", {"explainer": explainer, "dataset": dataset["id"]})
        lines = api.content(f"/v1/explanation-sets/{whole['id']}", "application/jsonl").splitlines()
        found.append(
            (chosen["result"], [_said(each) for each in explained], [_said(json.loads(line)) for line in lines])
        )

    assert found[0] == found[1]
    assert len(found[0][2]) == by_reference["n_rows"]


def _said(explanation: Json) -> Json:
    return {key: explanation[key] for key in ("row_id", "prediction", "nearest_prototypes", "typicality")}


@pytest.mark.long
@pytest.mark.parametrize(
    ("path", "request_"),
    [
        ("/v1/proximities", {"n_neighbors": 3}),
        ("/v1/label-audits", {"method": "neighbors", "n_neighbors": 5}),
        ("/v1/rule-sets", {"method": "fab", "max_rules": 4}),
        ("/v1/rule-sets", {"method": "decision_tree"}),
        ("/v1/approximation-trees", {"method": "cart"}),
        ("/v1/approximation-trees", {"method": "ism"}),
        ("/v1/approximation-trees", {"method": "born_again"}),
    ],
)
def test_every_job_makes_the_same_of_it(
    api: Api, model: str, by_reference: Json, uploaded: Json, path: str, request_: Json
) -> None:
    made = [api.made(path, {"model": model, "dataset": each["id"], **request_}) for each in (by_reference, uploaded)]

    assert [each["status"] for each in made] == ["ready", "ready"], [each["problem"] for each in made]
    contents = [api.content(f"{path}/{each['id']}", "text/csv") for each in made]
    assert contents[0] == contents[1]


def test_a_file_that_changes_fails_what_meets_it_and_says_which(
    service: Service, api: Api, lake: Lake, model: str
) -> None:
    lake.write("2027")
    client = Leafspace(service.url)
    registration = client.datasets.register_source(f"file://{lake.folder}/2027/*.parquet", target="t")
    dataset = registration.wait()
    assert registration.job.artefact == dataset.id

    (lake.folder / "2027/part-2.parquet").unlink()

    answer = api.get(f"/v1/datasets/{dataset.id}/rows?limit=5&cursor=40")
    assert (answer.status_code, answer.json()["code"]) == (409, "dataset_changed")
    assert "2027/part-2.parquet' is gone" in answer.json()["detail"]
    with pytest.raises(JobFailed, match=r"part-2\.parquet' is gone") as failure:
        client.label_audits.create(model, dataset).wait()
    assert failure.value.code == "dataset_changed"
    (lake.folder / "2027/part-1.parquet").write_bytes(b"PAR1 but no more")
    with pytest.raises(JobFailed, match=r"file '.*/2027/part-1\.parquet'") as failure:
        client.datasets.register_source(f"file://{lake.folder}/2027/*.parquet").wait()
    assert failure.value.code == "dataset_parse_error"


@pytest.mark.long
def test_a_job_that_is_killed_goes_on_with_the_files_that_it_has_not_read(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    folder.mkdir()
    rng = np.random.default_rng(0)
    for number in range(6):  # read by several children, one after the other
        rows = pd.DataFrame(rng.normal(size=(100_000, 20)), columns=[f"x{column}" for column in range(20)])
        (folder / f"{number}.parquet").write_bytes(parquet_of(rows))
    with serving(tmp_path / "data", LEAFSPACE_DATASET_SOURCES=f"file://{folder}") as service:
        client = Leafspace(service.url)
        registration = client.datasets.register_source(f"file://{folder}/*.parquet")
        os.kill(_reading_job(service), signal.SIGKILL)

        dataset = registration.wait()

        assert registration.job.attempt > 1
        assert dataset.n_rows == 600_000
        assert list((tmp_path / "data/source-cache/incoming").iterdir()) == []


def _reading_job(service: Service) -> int:
    """Return the process of a job that has source files read, as soon as it does."""
    while True:
        for process in _descendants(service.process.pid):
            if upload_children_of(process):
                return process


def _descendants(process: int) -> Iterator[int]:
    for child in children_of(process):
        yield child
        yield from _descendants(child)


@pytest.mark.long
def test_a_service_reads_a_bucket(
    s3_server: S3Server, lake: Lake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    root = f"s3://objects/{token_hex(8)}"
    for number, part in enumerate((lake.frame[:40], lake.frame[40:])):
        Bucket(root).write(f"part-{number}.parquet", parquet_of(part))
    with serving(tmp_path / "data", LEAFSPACE_DATASET_SOURCES=root, **s3_server.environment) as service:
        client, own = Leafspace(service.url), fitted(_FOREST)
        dataset = client.datasets.register_source(f"{root}/*.parquet", target="t").wait()
        api = Api(service.url)
        metadata = {"feature_names": list(own.rows.names), "ensemble": "random_forest"}
        model = api.upload("/v1/models", own.onnx, metadata).json()["id"]
        chosen = client.prototype_sets.create(model, dataset, n_prototypes=5).wait()
        explainer = client.explainers.create(model, chosen)
        made = client.explanation_sets.create(explainer, dataset).wait()

        assert made.result.n_rows == len(lake.frame)
        Bucket(root).write("part-1.parquet", parquet_of(lake.frame[:40]))
        with pytest.raises(JobFailed, match=r"part-1\.parquet' has changed"):
            client.label_audits.create(model, dataset).wait()  # which reads targets; leaves are kept
        api.http.close()
