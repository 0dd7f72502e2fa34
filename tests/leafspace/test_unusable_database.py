"""A database that is damaged, something else, or of another history: one sentence says so, at the start and later."""

import os
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from storage.database import Database
from storage.database_file import fault_of
from storage.errors import DatabaseUnusable
from storage.local_objects import LocalObjects
from storage.models import ModelStore
from storage.store_pairs import adopt, make_pair
from tests.support.command_line import Ended, run_leafspace
from tests.support.databases import new_postgresql_database
from tests.support.job_farm import JobFarm
from tests.support.object_stores import RemoteCase
from tests.support.patience import PATIENCE_SECONDS
from tests.support.raw_http import NO_TLS
from tests.support.sampling import mostly_long
from tests.support.stored import Shelf

_PAGE_BYTES = 4096
_NO_REDIS = "redis://127.0.0.1:1/0"
_NO_PORT = "postgresql+psycopg://me:hush@host:port/name"
_Spoil = Callable[[Path], None]


def _made(directory: Path) -> Path:
    """Make the database of a data directory, with rows; return its file."""
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "leafspace.db"
    database = Database(f"sqlite:///{file}")
    database.migrate()
    Shelf(database)
    database.close()
    return file


def _overwrite_with_text(file: Path) -> None:
    file.write_text("no database at all\n" * 1000)


def _overwrite_table(file: Path, table: str = "models") -> None:
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = ?", (table,)).fetchone()
    with file.open("r+b") as opened:
        opened.seek((page - 1) * _PAGE_BYTES)
        opened.write(b"\xff" * _PAGE_BYTES)


def _overwrite_every_third_page(file: Path) -> None:
    n_pages = file.stat().st_size // _PAGE_BYTES
    with file.open("r+b") as opened:
        for page in range(2, n_pages, 3):
            opened.seek(page * _PAGE_BYTES)
            opened.write(b"\xff" * _PAGE_BYTES)


def _set_foreign_revision(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
        connection.commit()


_FOREIGN = ["another history", "9999", "install the version of Leafspace that made it"]
_SPOILED = [
    (_overwrite_with_text, ["is no SQLite database", "leafspace restore"]),
    (_overwrite_table, ["is damaged", "leafspace restore"]),
    (_overwrite_every_third_page, ["is damaged", "leafspace restore"]),
    (_set_foreign_revision, _FOREIGN),
]


def _run(*module: str, **environment: str) -> "subprocess.CompletedProcess[str]":
    own = {name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")}
    command = [sys.executable, "-m", *module]
    return subprocess.run(  # our own
        command, env={**own, **environment}, capture_output=True, text=True, check=False, timeout=PATIENCE_SECONDS
    )


def _is_one_sentence(ended: "subprocess.CompletedProcess[str] | Ended", *parts: str) -> bool:
    lines = ended.stderr.strip().splitlines()
    return ended.returncode == 1 and len(lines) == 1 and all(part in lines[0] for part in ("Error: ", *parts))


@pytest.mark.parametrize(("spoil", "message"), _SPOILED)
@pytest.mark.sampled("thirds")
def test_serve_says_in_one_sentence_which_file_it_is_and_what_to_do(
    tmp_path: Path, spoil: _Spoil, message: list[str]
) -> None:
    file = _made(tmp_path / "data")
    file.parent.chmod(0o700)
    spoil(file)

    refused = _run("leafspace", "serve", "--port", "0", "--data-dir", str(file.parent))

    assert _is_one_sentence(refused, str(file), *message), refused.stderr


def _remove(file: Path) -> None:
    file.unlink()


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _replace_with_another(file: Path) -> None:
    file.unlink()
    _made(file.parent)


@pytest.mark.parametrize(
    "url",
    mostly_long(["mysql://me:hush@host/name", "host:hush", _NO_PORT], _NO_PORT),
)
@pytest.mark.parametrize(
    "module",
    mostly_long([("leafspace.apis",), ("workers",), ("leafspace", "keys", "list")], ("leafspace", "keys", "list")),
)
def test_a_url_that_is_of_no_database_is_refused_without_its_password(
    tmp_path: Path, module: tuple[str, ...], url: str
) -> None:
    environment = {"LEAFSPACE_DATA_DIR": str(tmp_path / "data"), "LEAFSPACE_REDIS_URL": _NO_REDIS}

    refused = _run(*module, LEAFSPACE_DATABASE_URL=url, **environment)

    assert _is_one_sentence(refused, "LEAFSPACE_DATABASE_URL must be", "%40 for @"), refused.stderr
    assert "hush" not in refused.stderr + refused.stdout


def test_workers_do_not_work_on_a_bucket_of_another_database(remote_case: RemoteCase, tmp_path: Path) -> None:
    owner, other = (Database(f"sqlite:///{_made(tmp_path / name)}") for name in ("owner", "other"))
    remote_case.store.put(b"of the owner")
    adopt(owner, remote_case.store)
    for database in (owner, other):
        database.close()

    refused = _run(
        "workers",
        LEAFSPACE_DATA_DIR=str(tmp_path / "data"),
        LEAFSPACE_DATABASE_URL=f"sqlite:///{tmp_path / 'other' / 'leafspace.db'}",
        LEAFSPACE_OBJECT_STORE_URL=remote_case.url,
        LEAFSPACE_REDIS_URL=_NO_REDIS,
    )

    assert _is_one_sentence(refused, "belongs to another database", "leafspace adopt"), refused.stderr


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("clear",), ("backup", "backup")])
@pytest.mark.parametrize("lose", mostly_long([_remove, _empty, _replace_with_another], _empty))
def test_objects_of_another_database_are_neither_served_nor_cleared_away_nor_backed_up(
    tmp_path: Path, lose: _Spoil, command: tuple[str, ...]
) -> None:
    file, objects = _paired(tmp_path / "data")
    lose(file)
    name, *options = command
    arguments = [str(tmp_path / option) if option == "backup" else option for option in options]

    run = partial(_run, "leafspace") if name == "serve" else run_leafspace
    refused = run(name, *arguments, "--data-dir", str(file.parent))

    what_to_do = "name the service's data directory" if lose is _remove and name != "serve" else "leafspace adopt"
    assert _is_one_sentence(refused, what_to_do), refused.stderr
    assert len(list(objects.files())) == 3


def test_what_was_adopted_is_served_and_a_backup_of_before_is_not_overwritten(tmp_path: Path) -> None:
    file, _ = _paired(tmp_path / "data")
    of_data = ("--data-dir", str(file.parent))
    assert run_leafspace("backup", tmp_path / "backup", *of_data).returncode in {0, 1}  # rows lack objects
    _empty(file)

    adopted = run_leafspace("adopt", *of_data)

    assert adopted.stdout == "the store with 3 objects belongs to this database now\n"
    assert run_leafspace("clear", *of_data).returncode == 0
    refused = run_leafspace("backup", tmp_path / "backup", *of_data)
    assert _is_one_sentence(refused, "is the backup of another database"), refused.stderr


def _paired(directory: Path) -> tuple[Path, LocalObjects]:
    """Make a data directory with rows and three old objects, which know each other."""
    file = _made(directory)
    directory.chmod(0o700)
    database, objects = Database(f"sqlite:///{file}"), LocalObjects(directory / "objects")
    make_pair(database, objects)
    database.close()
    for number in range(3):
        path = objects.file(objects.put(f"object {number}".encode()))
        os.utime(path, (0, 0))
    return file, objects


@pytest.mark.parametrize("kind", mostly_long(["sqlite", "postgresql"], "sqlite"))
@pytest.mark.parametrize(
    "module", mostly_long([("leafspace.apis",), ("workers",), ("leafspace", "keys", "list")], ("leafspace.apis",))
)
def test_a_database_of_another_history_is_refused_in_one_sentence_by_every_process(
    tmp_path: Path, request: pytest.FixtureRequest, module: tuple[str, ...], kind: str
) -> None:
    with _foreign_database(tmp_path, request, kind) as environment:
        refused = _run(*module, **environment)

    assert _is_one_sentence(refused, *_FOREIGN), refused.stderr


def test_serve_refuses_a_postgresql_of_another_history_in_one_sentence(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    tmp_path.chmod(0o700)
    with _foreign_database(tmp_path, request, "postgresql") as environment:
        refused = _run("leafspace", "serve", "--port", "0", "--data-dir", str(tmp_path), **environment)

    assert _is_one_sentence(refused, *_FOREIGN), refused.stderr


@contextmanager
def _foreign_database(directory: Path, request: pytest.FixtureRequest, kind: str) -> Iterator[dict[str, str]]:
    environment = {"LEAFSPACE_DATA_DIR": str(directory), "LEAFSPACE_REDIS_URL": "redis://127.0.0.1:1/0"}
    if kind == "sqlite":
        _set_foreign_revision(_made(directory))
        yield environment
        return
    with new_postgresql_database(request.getfixturevalue("postgresql_url")) as url:
        database = Database(url)
        database.migrate()
        with database.transaction() as connection:
            connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        database.close()
        yield environment | {"LEAFSPACE_DATABASE_URL": url}


def test_a_whole_database_and_none_have_no_fault(tmp_path: Path) -> None:
    assert fault_of(tmp_path / "none.db") is None
    assert fault_of(_made(tmp_path)) is None
    (tmp_path / "empty.db").touch()
    assert fault_of(tmp_path / "empty.db") is None


def test_a_damaged_page_that_is_met_later_is_named_and_what_is_whole_is_read(tmp_path: Path) -> None:
    file = _made(tmp_path)
    _overwrite_table(file)
    database = Database(f"sqlite:///{file}")

    with pytest.raises(DatabaseUnusable, match="restore"):
        ModelStore(database).list(10, None)

    assert database.is_damaged
    with database.reading() as connection:
        assert connection.execute(text("SELECT count(*) FROM datasets")).scalar_one() == 1
    database.close()


@pytest.mark.long
def test_an_api_that_meets_a_damaged_page_says_so_in_its_answer_its_log_and_its_readiness(tmp_path: Path) -> None:
    _overwrite_table(_made(tmp_path / "data"))
    with _api(tmp_path) as (url, log):
        assert httpx.get(f"{url}/v1/datasets", timeout=PATIENCE_SECONDS, verify=NO_TLS).status_code == 200
        answer = httpx.get(f"{url}/v1/models", timeout=PATIENCE_SECONDS, verify=NO_TLS)

        assert (answer.status_code, answer.json()["code"]) == (500, "database_damaged")
        assert "restore" in answer.json()["detail"]
        JobFarm.wait_until(lambda: "database" in httpx.get(f"{url}/readyz", verify=NO_TLS).json()["degraded"], 10)
    (line,) = [line for line in log.read_text().splitlines() if '"request_failed"' in line]
    assert '"code": "database_damaged"' in line


@contextmanager
def _api(directory: Path) -> Iterator[tuple[str, Path]]:
    """Yield the address of an API without anything beside it, and its log."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    own = {"LEAFSPACE_DATA_DIR": str(directory / "data"), "LEAFSPACE_REDIS_URL": "redis://127.0.0.1:1/0"}
    log, url = directory / "log", f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "leafspace.apis", "--port", str(port)]
    with log.open("wb") as output, subprocess.Popen(command, env={**os.environ, **own}, stderr=output) as process:
        try:
            JobFarm.wait_until(lambda: _answers(url), 60)
            yield url, log
        finally:
            process.terminate()


def _answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/livez", verify=NO_TLS).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False
