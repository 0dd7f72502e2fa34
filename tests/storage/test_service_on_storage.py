"""The whole service, a worker included, on its own storage and on PostgreSQL with a bucket: restarts, and damage."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from storage.database import Database
from storage.settings import embedded
from storage.tables import artefact_files, artefacts, datasets, leaf_tables, models
from tests.support.api import Api, Json, Registered, register
from tests.support.job_farm import JobFarm
from tests.support.real_storage import Storage, storage
from tests.support.sampling import mostly_long
from tests.support.serving import serving
from tests.support.storage_servers import S3Server

__all__ = ["storage"]


@dataclass(frozen=True)
class Host:
    """A service with a registered forest, its prototypes and its nearest rows."""

    data_dir: Path
    api: Api
    registered: Registered
    proximities: Json

    def objects(self, storage: Storage) -> dict[str, str]:
        """Return the object of each kind."""
        database = Database(embedded(self.data_dir, storage.environment.get("LEAFSPACE_DATABASE_URL")).database_url)
        columns = {
            "graph": models.c.leaf_graph,
            "ensemble": models.c.ensemble,
            "content": datasets.c.content,
            "leaves": leaf_tables.c.codes,
        }
        result = select(artefacts.c.result).where(artefacts.c.id == self.registered.prototype_set["id"])
        table = select(artefact_files.c.object).where(artefact_files.c.artefact == self.proximities["id"])
        with database.reading() as connection:
            found = {name: connection.execute(select(column)).scalars().first() for name, column in columns.items()}
            found["result"] = connection.execute(result).scalar_one()
            found["table"] = connection.execute(table).scalar_one()
        database.close()
        return {name: str(sha256) for name, sha256 in found.items()}


def _request_neighbors(api: Api, registered: Registered, n_neighbors: int) -> Json:
    request = {"model": registered.model["id"], "dataset": registered.dataset["id"], "n_neighbors": n_neighbors}
    return api.made("/v1/proximities", request)


@pytest.fixture(scope="module")
def host(storage: Storage, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    data_dir = tmp_path_factory.mktemp("host") / "data"
    with serving(data_dir, LEAFSPACE_WORKER_NICENESS="0", **storage.environment) as service:
        api = Api(service.url)
        registered = register(api, "random_forest_binary")
        yield Host(data_dir, api, registered, _request_neighbors(api, registered, 3))


def _seen(api: Api, host: Host) -> list[object]:
    """Return what a caller sees of everything that is kept."""
    registered = host.registered
    nouns = {"models": registered.model, "datasets": registered.dataset, "proximities": host.proximities}
    paths = [f"/v1/{noun}/{each['id']}" for noun, each in nouns.items()]
    pages = [f"/v1/datasets/{registered.dataset['id']}/rows", f"/v1/models/{registered.model['id']}/trees/0"]
    answers = [api.get(path) for path in [*paths, *pages]]
    assert {answer.status_code for answer in answers} == {200}
    contents = [
        api.content(f"/v1/prototype-sets/{registered.prototype_set['id']}", "application/json"),
        api.content(f"/v1/proximities/{host.proximities['id']}", "text/csv"),
    ]
    explained = api.explain(registered.explainer["id"], [registered.instance(row) for row in range(3)])
    return [*(answer.json() for answer in answers), *contents, explained["data"]]


def test_what_is_made_is_shown_on_every_storage(host: Host) -> None:
    assert host.proximities["status"] == "ready"
    assert len(_seen(host.api, host)) == 8


@pytest.mark.long  # another service takes four seconds of a processor; .ci/run runs it
def test_everything_is_found_again_by_another_host(host: Host, storage: Storage, tmp_path: Path) -> None:
    if storage.bucket_url is None:
        return  # one process at a time serves a data directory: restarts are tried with `leafspace serve`

    seen = _seen(host.api, host)
    with serving(tmp_path / "another host", LEAFSPACE_WORKER_NICENESS="0", **storage.environment) as service:
        api = Api(service.url)
        assert _seen(api, host) == seen
        assert _request_neighbors(api, host.registered, 4)["status"] == "ready"
    assert not list(host.data_dir.glob("*.db"))
    assert not (host.data_dir / "objects").exists()


_READ_BY = {
    "ensemble": "/v1/models/{model}/trees/0",
    "content": "/v1/datasets/{dataset}/rows",
    "result": "/v1/prototype-sets/{prototype_set}/content",
    "table": "/v1/proximities/{proximities}/content",
}


@pytest.mark.parametrize("kind", _READ_BY)
def test_a_flipped_byte_is_found_and_reported_and_never_served(host: Host, storage: Storage, kind: str) -> None:
    registered = host.registered
    path = _READ_BY[kind].format(
        model=registered.model["id"],
        dataset=registered.dataset["id"],
        prototype_set=registered.prototype_set["id"],
        proximities=host.proximities["id"],
    )
    sha256 = host.objects(storage)[kind]
    assert host.api.get(path).status_code == 200

    storage.flip_a_byte(host.data_dir, sha256)
    refused = host.api.get(path)
    storage.flip_a_byte(host.data_dir, sha256)

    assert (refused.status_code, refused.json()["code"]) == (500, "object_damaged")
    assert sha256 in refused.json()["detail"]
    assert "restored from a backup" in refused.json()["detail"]
    assert str(host.data_dir) not in refused.text
    assert host.api.get(path).status_code == 200


@pytest.mark.parametrize("kind", mostly_long(["ensemble", "content"], "content"))
def test_a_job_that_meets_a_flipped_byte_fails_and_says_what_to_do(host: Host, storage: Storage, kind: str) -> None:
    registered = host.registered
    found = host.objects(storage)
    # Kept leaves would spare the job both.
    for sha256 in (found[kind], found["leaves"]):
        storage.flip_a_byte(host.data_dir, sha256)

    failed = _request_neighbors(host.api, registered, 5 if kind == "ensemble" else 6)

    storage.flip_a_byte(host.data_dir, found[kind])
    assert failed["status"] == "failed"
    job = host.api.get(f"/v1/jobs/{failed['job']}").json()
    assert (job["status"], job["attempt"], job["problem"]["code"]) == ("failed", 1, "object_damaged")
    assert found[kind] in job["problem"]["detail"]
    assert _request_neighbors(host.api, registered, 7)["status"] == "ready"


def test_damaged_leaves_are_made_again_with_the_same_outcome(host: Host, storage: Storage) -> None:
    before = _request_neighbors(host.api, host.registered, 8)
    storage.flip_a_byte(host.data_dir, host.objects(storage)["leaves"])

    after = _request_neighbors(host.api, host.registered, 9)

    assert (before["status"], after["status"]) == ("ready", "ready")
    rows = [
        host.api.content(f"/v1/proximities/{made['id']}", "text/csv").splitlines()[1].split(b",")[:8]
        for made in (before, after)
    ]
    assert rows[0] == rows[1]


@pytest.mark.long
def test_while_the_bucket_is_away_uploads_are_a_503_with_retry_after_and_leave_nothing(tmp_path: Path) -> None:
    server = S3Server(tmp_path)
    away = {**server.environment, "LEAFSPACE_OBJECT_STORE_URL": "s3://objects/there"}
    rows = b"a,b\n1,2\n3,4\n"
    with serving(tmp_path / "data", "--no-worker", **away) as service:
        api = Api(service.url)

        refused = api.upload("/v1/datasets", rows)

        assert (refused.status_code, refused.json()["code"]) == (503, "unavailable")
        assert int(refused.headers["Retry-After"]) > 0
        assert server.url not in refused.text
        assert api.get("/v1/datasets").json()["data"] == []
        assert api.get("/readyz").json() == {"status": "ok", "degraded": ["objects"]}
        server.start()
        server.make_bucket("objects")
        try:
            dataset = api.upload("/v1/datasets", rows)
            assert dataset.status_code == 201
            assert api.get(f"/v1/datasets/{dataset.json()['id']}/rows").status_code == 200
            JobFarm.wait_until(lambda: api.get("/readyz").json()["degraded"] == [], 10)
        finally:
            server.stop()
