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
from storage.attempts import AttemptStore
from storage.database import Database
from storage.jobs import JobStore
from storage.local_objects import LocalObjects
from storage.settings import embedded
from tests.support.api import Api, Registered, csv_of, register
from tests.support.serving import serving
from tests.support.stored import Shelf, new_dataset, new_model

_ROOT = Path(__file__).parents[2]


class House:
    """A data directory with rows and objects, without a service on it."""

    def __init__(self, directory: Path) -> None:
        directory.mkdir()
        self.directory = directory
        settings = embedded(directory)
        self.database = Database(settings.database_url)
        self.database.migrate()
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
def test_a_backup_that_is_not_whole_is_refused_and_nothing_is_left(
    house: House, tmp_path: Path, part: str, fault: str
) -> None:
    _done("backup", tmp_path / "backup", "--data-dir", house.directory)
    path = next((tmp_path / "backup").glob(part))
    path.chmod(0o600)
    path.unlink()
    if fault == "damaged":
        path.write_bytes(b"{}")

    said = _refused("restore", tmp_path / "backup", "--data-dir", tmp_path / "new")
    assert "damaged" in said or "no whole backup" in said or "format" in said

    assert {found.name for found in tmp_path.iterdir()} == {"backup", house.directory.name}


def test_an_object_that_is_damaged_or_missing_is_told_by_the_backup(house: House, tmp_path: Path) -> None:
    path = house.objects.file(_hash_of(house, b"g"))
    path.chmod(0o600)
    path.write_bytes(b"x")
    assert path.name in _refused("backup", tmp_path / "backup", "--data-dir", house.directory)

    path.unlink()

    assert "is missing" in _refused("backup", tmp_path / "backup.tar", "--data-dir", house.directory)
    assert not list(tmp_path.glob("*.tar*"))


def test_rows_in_postgresql_are_left_to_its_own_tools(tmp_path: Path) -> None:
    environment = {**os.environ, "LEAFSPACE_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none"}
    command = [sys.executable, "-m", "leafspace", "backup", str(tmp_path / "b"), "--data-dir", str(tmp_path)]
    refused = subprocess.run(command, capture_output=True, text=True, check=False, env=environment, cwd=_ROOT)  # noqa: S603  # ours

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
        stopped = threading.Event()
        load = [threading.Thread(target=work, args=(service.url, registered, stopped)) for work in (_ask, _upload)]
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
            subprocess.run(command, check=True, cwd=_ROOT)  # noqa: S603  # ours
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
            for job in list(api.pages("/v1/jobs", 100)):
                assert api.wait(job["id"])["status"] == "succeeded"
            for dataset in api.pages("/v1/datasets", 100):
                assert api.get(f"/v1/datasets/{dataset['id']}/rows?limit=1").status_code == 200


def _both(registered: Registered) -> dict[str, Any]:
    return {"model": registered.model["id"], "dataset": registered.dataset["id"]}


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


def _ask(url: str, registered: Registered, stopped: threading.Event) -> None:
    with httpx.Client(base_url=url, timeout=60) as client:
        seed = 0
        while not stopped.wait(0.1):
            seed += 1
            client.post("/v1/proximities", json={**_both(registered), "n_neighbors": 1 + seed % 50})


def _upload(url: str, _registered: Registered, stopped: threading.Event) -> None:
    rng = np.random.default_rng(0)
    with httpx.Client(base_url=url, timeout=60) as client:
        while not stopped.wait(0.1):
            csv = csv_of(pd.DataFrame(rng.normal(size=(200, 5))))
            assert client.post("/v1/datasets", files={"file": ("rows.csv", csv)}).status_code in {201, 503}
