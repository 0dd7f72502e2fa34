"""A backup of PostgreSQL and a bucket, by the commands in docs/operations.md, while the service runs."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from storage.bucket import Bucket
from tests.support.api import Api, register
from tests.support.databases import new_postgresql_database
from tests.support.serving import serving
from tests.support.storage_servers import S3Server, cannot_be_had

_PAGE = (Path(__file__).parents[2] / "docs" / "operations.md").read_text()


def _documented(program: str) -> str:
    (command,) = re.findall(rf"^{program} .+?(?=  +#)", _PAGE, re.MULTILINE)
    return str(command)


def _run(command: str, database_url: str, folder: Path) -> None:
    if shutil.which(command.partition(" ")[0]) is None:
        cannot_be_had("PostgreSQL's own tools are not installed; with Debian: apt-get install postgresql-client")
    environment = {**os.environ, "DATABASE": database_url.replace("+psycopg", "")}
    subprocess.run(command, shell=True, check=True, cwd=folder, env=environment)  # noqa: S602  # as it is documented


def _sync(source: str, target: str, folder: Path) -> None:
    """Copy what is not there yet, as `aws s3 sync` does."""
    there = {file.name for file in Bucket(target).files()}
    for file in Bucket(source).files():
        if file.name not in there:
            Bucket(source).read(file, folder / "object")
            Bucket(target).write(file.name, folder / "object")


@pytest.mark.long
def test_rows_in_postgresql_and_objects_in_a_bucket_come_back_by_the_documented_commands(
    postgresql_url: str, s3_server: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in s3_server.environment.items():
        monkeypatch.setenv(name, value)
    original, backup, restored = (f"s3://{name}/objects" for name in ("leafspace", "leafspace-backup", "leafspace-new"))
    for bucket in ("leafspace", "leafspace-backup", "leafspace-new"):
        s3_server.make_bucket(bucket)
    own = {"LEAFSPACE_WORKER_NICENESS": "0"}

    with new_postgresql_database(postgresql_url) as url:
        there = {"LEAFSPACE_DATABASE_URL": url, "LEAFSPACE_OBJECT_STORE_URL": original}
        with serving(tmp_path / "data", **own, **there) as service:
            api = Api(service.url)
            registered = register(api, "random_forest_binary")
            explained = api.explain(registered.explainer["id"], [registered.instance(3)])
            _run(_documented("pg_dump"), url, tmp_path)
            assert api.upload("/v1/datasets", b"a,b\n1,2\n3,4\n").status_code == 201  # after the backup's moment
            _sync(original, backup, tmp_path)

    with new_postgresql_database(postgresql_url) as url:
        _sync(backup, restored, tmp_path)
        _run(_documented("pg_restore"), url, tmp_path)
        there = {"LEAFSPACE_DATABASE_URL": url, "LEAFSPACE_OBJECT_STORE_URL": restored}
        with serving(tmp_path / "another host", **own, **there) as service:
            api = Api(service.url)
            assert api.explain(registered.explainer["id"], [registered.instance(3)])["data"] == explained["data"]
            assert [dataset["id"] for dataset in api.pages("/v1/datasets", 10)] == [registered.dataset["id"]]
            both = {"model": registered.model["id"], "dataset": registered.dataset["id"]}
            assert api.made("/v1/proximities", {**both, "n_neighbors": 3})["status"] == "ready"
