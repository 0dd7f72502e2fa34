"""Backup and restore: all that was committed comes back byte for byte, or it is said what is wrong."""

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from leafspace.cli import main
from schemas.api_keys import ApiKeyRequest
from storage.api_keys import ApiKeyStore
from storage.attempts import AttemptStore
from storage.database import Database
from storage.explanations import ExplanationStore
from storage.jobs import JobStore
from storage.leaf_tables import LeafTableKey, LeafTableObjects, LeafTableStore
from storage.local_objects import LocalObjects
from storage.object_store import file_sha256
from storage.settings import embedded
from tests.support.api import Api, Registered, csv_of, register
from tests.support.databases import put_tables
from tests.support.patience import PATIENCE_SECONDS
from tests.support.raw_http import NO_TLS
from tests.support.serving import serving
from tests.support.stored import Shelf, kept_explanation, new_dataset, new_model

_ROOT = Path(__file__).parents[2]


class House:
    """A data directory with rows and objects, without a service on it."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory = directory
        settings = embedded(directory)
        put_tables(directory / "leafspace.db")
        self.database = Database(settings.database_url)
        self.objects = LocalObjects(settings.objects_dir)
        self.shelf = Shelf(self.database)
        # What a shelf is filled with refers to objects that were never there.
        self.shelf.models.delete("mdl_1")
        self.shelf.datasets.delete("ds_1")
        put = self.objects.put
        self.shelf.models.add(new_model("mdl_2", sha256=put(b"m"), leaf_graph=put(b"g"), ensemble=put(b"e")))
        self.shelf.datasets.add(new_dataset("ds_2", sha256=put(b"d"), content=put(b"c" * 100_000)))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    built = House(tmp_path / "data with a ?#% blank")
    yield built
    built.database.close()


def _done(*arguments: object) -> str:
    completed = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert completed.exit_code == 0, completed.output
    return completed.output


def _refused(*arguments: object) -> str:
    completed = CliRunner().invoke(main, [str(argument) for argument in arguments])
    assert completed.exit_code == 1
    assert isinstance(completed.exception, SystemExit), completed.exception
    return completed.output


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_rows_and_objects_come_back_and_jobs_under_way_wait_again(house: House, tmp_path: Path, name: str) -> None:
    jobs, attempts = JobStore(house.database), AttemptStore(house.database)
    with house.database.transaction() as connection:
        running = jobs.add(connection, "prototype_sets", "prs_1", {}, 60)
        cancelling = jobs.add(connection, "prototype_sets", "prs_2", {}, 60)
    assert attempts.claim(running, 30)
    assert attempts.claim(cancelling, 30)
    jobs.request_cancel(cancelling)
    house.objects.put(b"an orphan")
    stored = kept_explanation("xpn_1")
    ExplanationStore(house.database).add([stored])

    _done("backup", tmp_path / name, "--data-dir", house.directory)
    assert "2 jobs" in _done("restore", tmp_path / name, "--data-dir", tmp_path / "new" / "data")

    again = Database(embedded(tmp_path / "new" / "data").database_url)
    objects = LocalObjects(embedded(tmp_path / "new" / "data").objects_dir)
    assert {path.name for path in objects.files()} == {path.name for path in house.objects.files()} - {
        _hash_of(house, b"an orphan")
    }
    assert objects.get(_hash_of(house, b"c" * 100_000)) == b"c" * 100_000
    found = {job.id: (job.status, job.attempt) for job in JobStore(again).list(10, None).data}
    assert found == {running: ("queued", 0), cancelling: ("cancelled", 1)}
    assert ExplanationStore(again).get("xpn_1") == stored
    again.close()


def _hash_of(house: House, data: bytes) -> str:
    return house.objects.put(data)


def test_a_folder_takes_only_what_is_new_and_mends_what_is_damaged(house: House, tmp_path: Path) -> None:
    target = tmp_path / "backup"
    assert "6 files copied" in _done("backup", target, "--data-dir", house.directory)
    house.shelf.datasets.add(
        new_dataset("ds_3", sha256=house.objects.put(b"new"), content=house.objects.put(b"new content"))
    )
    house.shelf.datasets.delete("ds_2")
    damaged = target / "objects" / _hash_of(house, b"m")[:2] / _hash_of(house, b"m")
    damaged.chmod(0o600)
    damaged.write_bytes(b"x")

    # The two new ones, the damaged one, and the rows.
    assert "4 files copied" in _done("backup", target, "--data-dir", house.directory)

    assert len(list(target.glob("objects/??/*"))) == 5
    assert len(list(target.glob("leafspace-*.db"))) == 1
    _done("restore", target, "--data-dir", tmp_path / "new")


def test_a_directory_that_is_not_empty_is_not_restored_to(house: House, tmp_path: Path) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)

    assert "is not empty" in _refused("restore", tmp_path / "backup", "--data-dir", house.directory)


@pytest.mark.parametrize("part", ["objects/??/*", "leafspace-*.db", "manifest.json"])
@pytest.mark.parametrize("fault", ["damaged", "missing"])
@pytest.mark.sampled("values")
def test_a_backup_that_is_not_whole_is_refused_and_nothing_is_left(
    house: House, tmp_path: Path, part: str, fault: str
) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    path = next((tmp_path / "backup").glob(part))
    path.chmod(0o600)
    path.unlink()
    if fault == "damaged":
        path.write_bytes(b"{}")

    refusal = _refused("restore", tmp_path / "backup", "--data-dir", tmp_path / "new")
    assert "damaged" in refusal or "no whole backup" in refusal or "format" in refusal

    assert {found.name for found in tmp_path.iterdir()} == {"backup", house.directory.name}


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_all_that_is_damaged_or_missing_is_reported_at_once_and_everything_else_is_copied(
    house: House, tmp_path: Path, name: str
) -> None:
    # The damaged ones have the same length, or none at all, so that nothing but their hashes shows it.
    damaged, shorter, missing = (_hash_of(house, data) for data in (b"g", b"c" * 100_000, b"m"))
    for sha256, data in ((damaged, b"x"), (shorter, b"")):
        house.objects.file(sha256).chmod(0o600)
        house.objects.file(sha256).write_bytes(data)
    house.objects.file(missing).unlink()

    refusal = _refused("backup", tmp_path / name, "--data-dir", house.directory)

    assert "2 objects (2 bytes), 3 files copied" in refusal
    assert all(sha256 in refusal for sha256 in (damaged, shorter, missing))
    printed = _done("restore", tmp_path / name, "--data-dir", tmp_path / "new")
    assert all(sha256 in printed for sha256 in (damaged, shorter, missing))
    objects = LocalObjects(embedded(tmp_path / "new").objects_dir)
    assert sorted(path.read_bytes() for path in objects.files()) == [b"d", b"e"]


def test_what_an_earlier_backup_into_the_folder_has_whole_stays_whole(house: House, tmp_path: Path) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    house.objects.file(_hash_of(house, b"g")).unlink()

    _done("backup", tmp_path / "backup", "--data-dir", house.directory)

    assert "5 objects checked" in _done("restore", tmp_path / "backup", "--data-dir", tmp_path / "new")


def test_a_tar_file_is_read_by_others_and_holds_nothing_of_what_was_damaged(house: House, tmp_path: Path) -> None:
    for data in (b"c" * 100_000, b"m"):
        house.objects.file(_hash_of(house, data)).chmod(0o600)
        house.objects.file(_hash_of(house, data)).write_bytes(b"damaged" * 20_000)

    _refused("backup", tmp_path / "backup.tar", "--data-dir", house.directory)

    subprocess.run(["tar", "-xf", tmp_path / "backup.tar", "-C", tmp_path], check=True)  # noqa: S607  # the system's
    assert {path.name: file_sha256(path) for path in tmp_path.glob("objects/??/*")} == {
        _hash_of(house, data): _hash_of(house, data) for data in (b"d", b"e", b"g")
    }
    assert b"damaged" * 10 not in (tmp_path / "backup.tar").read_bytes()


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_leaf_tables_a_cache_are_left_out(house: House, tmp_path: Path, name: str) -> None:
    table = LeafTableObjects(house.objects.put(b"codes"), house.objects.put(b"outcome"))
    place = LeafTableKey("mdl_2", "ds_2", 1)
    assert LeafTableStore(house.database).add(place, table) == table

    assert "5 objects" in _done("backup", tmp_path / name, "--data-dir", house.directory)
    _done("restore", tmp_path / name, "--data-dir", tmp_path / "new")

    again = Database(embedded(tmp_path / "new").database_url)
    assert LeafTableStore(again).find(place) is None
    assert LeafTableStore(house.database).find(place) == table
    again.close()


def test_backups_and_what_is_made_of_them_are_for_their_owner_alone(house: House, tmp_path: Path) -> None:
    umask = os.umask(0o022)
    try:
        _done("backup", tmp_path / "new" / "backup", "--data-dir", house.directory)
        _done("backup", tmp_path / "new" / "backup.tar", "--data-dir", house.directory)
        _done("restore", tmp_path / "new" / "backup.tar", "--data-dir", tmp_path / "new" / "data")
        _done("keys", "create", "a key", "--data-dir", tmp_path / "new" / "other data")
    finally:
        os.umask(umask)

    made = [tmp_path / "new", *(tmp_path / "new").rglob("*")]
    assert len(made) > 20
    assert [path for path in made if path.stat().st_mode & 0o077] == []


def test_keys_that_come_back_are_reported_or_stay_away(house: House, tmp_path: Path) -> None:
    keys = ApiKeyStore(house.database)
    made = keys.add(ApiKeyRequest(name="scoring", scopes=["read"]))
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    keys.revoke(made.id)

    printed = _done("restore", tmp_path / "backup", "--data-dir", tmp_path / "with")
    assert made.id in printed
    assert "scoring" in printed
    assert made.id in _done("keys", "list", "--data-dir", tmp_path / "with")

    assert made.id not in _done("restore", tmp_path / "backup", "--data-dir", tmp_path / "without", "--without-keys")
    assert _done("keys", "count", "--data-dir", tmp_path / "without").strip() == "0"


def test_a_directory_that_is_there_and_empty_stays_the_same_one(house: House, tmp_path: Path) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    volume = tmp_path / "volume"
    volume.mkdir()
    before = volume.stat().st_ino

    _done("restore", tmp_path / "backup", "--data-dir", volume)

    assert volume.stat().st_ino == before
    assert {path.name for path in volume.iterdir()} == {"leafspace.db", "objects"}


@pytest.mark.parametrize(
    ("name", "url"),
    [("OBJECT_STORE", "file:///elsewhere/objects"), ("DATABASE", "sqlite:////elsewhere/rows.db")],
)
def test_where_the_service_would_not_look_nothing_is_restored_to(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, url: str
) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    monkeypatch.setenv(f"LEAFSPACE_{name}_URL", url)

    refusal = _refused("restore", tmp_path / "backup", "--data-dir", tmp_path / "new")

    assert "unset" in refusal
    assert "/elsewhere/" in refusal
    assert not (tmp_path / "new").exists()


def test_names_of_the_places_where_the_service_looks_anyway_are_fine(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    monkeypatch.setenv("LEAFSPACE_OBJECT_STORE_URL", (tmp_path / "new" / "objects").as_uri())
    monkeypatch.setenv("LEAFSPACE_DATABASE_URL", f"sqlite:///{tmp_path / 'new' / 'leafspace.db'}")

    assert "5 objects" in _done("restore", tmp_path / "backup", "--data-dir", tmp_path / "new")


def test_rows_in_postgresql_are_left_to_its_own_tools(tmp_path: Path) -> None:
    environment = {**os.environ, "LEAFSPACE_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none"}
    command = [sys.executable, "-m", "leafspace", "backup", str(tmp_path / "b"), "--data-dir", str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=_ROOT)  # ours

    assert refused.returncode == 1
    assert "pg_dump" in refused.stderr


@pytest.mark.long
def test_under_load_everything_that_was_ready_before_comes_back_byte_for_byte(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir, LEAFSPACE_WORKER_NICENESS="0") as service:
        api = Api(service.url)
        registered = register(api, "random_forest_binary")
        made = api.made("/v1/proximities", {**_both(registered), "n_neighbors": 3})
        answers = _answers(api, registered, made)
        nearest_id, nearest = _nearest_rows(api, registered)
        stopped = threading.Event()
        load = [
            threading.Thread(target=work, args=(service.url, registered, stopped)) for work in (_send_requests, _upload)
        ]
        for thread in load:
            thread.start()
        try:
            command = [
                sys.executable,
                "-m",
                "leafspace",
                "backup",
                str(tmp_path / "backup"),
                "--data-dir",
                str(data_dir),
            ]
            subprocess.run(command, check=True, cwd=_ROOT)  # ours
            _done("backup", tmp_path / "backup.tar", "--data-dir", data_dir)
            _done("backup", tmp_path / "backup", "--data-dir", data_dir)
        finally:
            stopped.set()
            for thread in load:
                thread.join()
    shutil.rmtree(data_dir)

    for source in ("backup", "backup.tar"):
        restored = tmp_path / f"restored from {source}"
        _done("restore", tmp_path / source, "--data-dir", restored)
        with serving(restored, LEAFSPACE_WORKER_NICENESS="0") as service:
            api = Api(service.url)
            assert _answers(api, registered, made) == answers
            # Requested again, so that it takes leaf tables, which were left out and are made again.
            assert api.delete(f"/v1/proximities/{nearest_id}").status_code == 204
            assert _nearest_rows(api, registered)[1] == nearest
            for job in list(api.pages("/v1/jobs", 100)):
                assert api.wait(job["id"])["status"] == "succeeded"
            for dataset in api.pages("/v1/datasets", 100):
                assert api.get(f"/v1/datasets/{dataset['id']}/rows?limit=1").status_code == 200


def _both(registered: Registered) -> dict[str, Any]:
    return {"model": registered.model["id"], "dataset": registered.dataset["id"]}


def _nearest_rows(api: Api, registered: Registered) -> tuple[str, bytes]:
    made = api.made("/v1/proximities", {**_both(registered), "n_neighbors": 51})
    return made["id"], api.content(f"/v1/proximities/{made['id']}", "text/csv")


def _answers(api: Api, registered: Registered, made: dict[str, Any]) -> list[bytes]:
    explained = api.post(
        f"/v1/explainers/{registered.explainer['id']}/explanations", {"instances": [registered.instance(3)]}
    )
    paths = (
        f"/v1/models/{registered.model['id']}",
        f"/v1/datasets/{registered.dataset['id']}/rows?limit=5",
        f"/v1/prototype-sets/{registered.prototype_set['id']}/content",
    )
    table = api.content(f"/v1/proximities/{made['id']}", "application/vnd.apache.parquet")
    return [explained.content, table, *(api.get(path).content for path in paths)]


def _send_requests(url: str, registered: Registered, stopped: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, verify=NO_TLS) as client:
        seed = 0
        while not stopped.wait(0.1):
            seed += 1
            client.post("/v1/proximities", json={**_both(registered), "n_neighbors": 1 + seed % 50})


def _upload(url: str, _registered: Registered, stopped: threading.Event) -> None:
    rng = np.random.default_rng(0)
    with httpx.Client(base_url=url, timeout=PATIENCE_SECONDS, verify=NO_TLS) as client:
        while not stopped.wait(0.1):
            csv = csv_of(pd.DataFrame(rng.normal(size=(200, 5))))
            assert client.post("/v1/datasets", files={"file": ("rows.csv", csv)}).status_code in {201, 503}
