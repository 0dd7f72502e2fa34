"""``leafspace serve`` as a user runs it: the whole of it, with real processes."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from sqlalchemy import insert

from leafspace import embedded as embedded_service
from leafspace.embedded import n_workers_here
from service.settings import ServiceSettings
from storage.database import Database
from storage.jobs import JobStore
from storage.settings import embedded
from storage.tables import datasets
from tests.support.job_farm import JobFarm
from tests.support.patience import PATIENCE_SECONDS, when_idle
from tests.support.processes import (
    children_of,
    command_of,
    descendants_of,
    heeding,
    ignoring,
    is_alive,
    kept_port,
    open_files_of,
)
from tests.support.raw_http import NO_TLS
from tests.support.redis import OwnRedis
from tests.support.running import running_service, start_service, wait_until_ready
from tests.support.serving import Service, serving

_N_WORKERS = n_workers_here()


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data with a blank"


@pytest.fixture(scope="module")
def quiet(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Yield a service that no test changes, in a folder that others could read, started by somebody who is generous."""
    data_dir = tmp_path_factory.mktemp("quiet") / "data"
    data_dir.mkdir(mode=0o755)
    before = os.umask(0o022)
    try:
        with serving(data_dir, "--no-worker") as service:
            yield service
    finally:
        os.umask(before)


@pytest.fixture
def started() -> Iterator[list["subprocess.Popen[str]"]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        process.kill()
        process.communicate()


def _get(url: str) -> tuple[int, Any]:
    answer = httpx.get(url, timeout=PATIENCE_SECONDS, verify=NO_TLS)
    return answer.status_code, answer.json()


def _call(method: str, url: str, **more: Any) -> int:  # httpx's own
    return httpx.request(method, url, timeout=PATIENCE_SECONDS, verify=NO_TLS, **more).status_code


def test_it_is_ready_with_everything_starts_again_whatever_ends_and_stops_within_ten_seconds(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    with heeding(signal.SIGINT):
        process = start_service(data_dir)
    started.append(process)
    url = wait_until_ready(process)

    status, readiness = _get(f"{url}/readyz")

    assert (status, readiness.get("degraded", [])) == (200, [])
    n_processes = 4 + _N_WORKERS  # Redis, the API, and what the API and the workers were forked from
    JobFarm.wait_until(lambda: len(descendants_of(process.pid)) == n_processes)
    killed = descendants_of(process.pid)
    for pid in killed:
        os.kill(pid, signal.SIGKILL)
    JobFarm.wait_until(lambda: _is_whole(url) and len(descendants_of(process.pid) - killed) == n_processes)
    running = descendants_of(process.pid)
    process.send_signal(signal.SIGINT)
    assert process.wait(when_idle(10)) == 0
    assert not [pid for pid in running if is_alive(pid)]


def _is_another(parent: int, killed: int, url: str) -> bool:
    """Return whether a parent has another child than one that was killed, and all is ready."""
    return children_of(parent) not in ([], [killed]) and _is_whole(url)


def test_an_api_that_is_killed_is_forked_again_from_a_parent_that_has_imported_it(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    process = start_service(data_dir, "--no-worker")
    started.append(process)
    url = wait_until_ready(process)
    (parent,) = [pid for pid in children_of(process.pid) if "leafspace.apis" in command_of(pid)]
    (api,) = children_of(parent)

    for _ in range(2):
        os.kill(api, signal.SIGKILL)
        killed = api
        JobFarm.wait_until(partial(_is_another, parent, killed, url))
        (api,) = children_of(parent)

    assert api != killed
    os.kill(parent, signal.SIGKILL)
    JobFarm.wait_until(lambda: not is_alive(api))
    JobFarm.wait_until(lambda: _is_whole(url))


def _is_whole(url: str) -> bool:
    try:
        return bool(_get(f"{url}/readyz")[1].get("degraded", []) == [])
    except httpx.HTTPError:
        return False


@pytest.mark.long
def test_it_stops_on_sigterm_whatever_signals_it_was_started_to_ignore(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    with ignoring(signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        process = start_service(data_dir)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    started.append(process)
    wait_until_ready(process)
    running = descendants_of(process.pid)

    for ignored in (signal.SIGHUP, signal.SIGINT):
        process.send_signal(ignored)
    assert not any(_ignores(pid, signal.SIGTERM) for pid in running)
    assert process.poll() is None
    process.terminate()

    assert process.wait(when_idle(10)) == 0
    assert not [pid for pid in running if is_alive(pid)]


def _ignores(pid: int, number: signal.Signals) -> bool:
    """Whether a process ignores a signal or has it wait."""
    status_lines = dict(line.split(":", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    return bool((int(status_lines["SigIgn"], 16) | int(status_lines["SigBlk"], 16)) >> (number - 1) & 1)


@pytest.mark.long
def test_however_long_the_api_drains_it_is_not_killed_while_it_answers(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    process = start_service(data_dir, "--no-worker", environment={"LEAFSPACE_DRAIN_SECONDS": "8.5"})
    started.append(process)
    url = wait_until_ready(process)
    process.send_signal(signal.SIGTERM)

    until = time.monotonic() + 8
    while time.monotonic() < until:
        assert httpx.get(f"{url}/livez", timeout=PATIENCE_SECONDS, verify=NO_TLS).status_code == 200
        time.sleep(0.1)

    assert process.wait(when_idle(10)) == 0


def test_the_supervisor_and_the_api_have_the_same_defaults_for_stopping() -> None:
    of_api = {
        f"LEAFSPACE_{name.upper()}": ServiceSettings.model_fields[name].default
        for name in ("drain_seconds", "grace_seconds")
    }

    assert of_api == embedded_service._SECONDS_OF_API


@pytest.mark.long
def test_a_job_is_done_and_found_again_after_a_restart(data_dir: Path) -> None:
    with running_service(data_dir, "--no-worker") as url:
        database = Database(embedded(data_dir).database_url)
        jobs = JobStore(database)
        with database.transaction() as connection:
            job_id = jobs.add(connection, "no_such_kind", "prs_x", {}, 60)
            row = {"sha256": "0" * 64, "content": "0" * 64, "size_bytes": 1, "created_at": 1.0}
            row |= {"summary": {"n_rows": 1, "columns": []}, "metadata": {}}
            listed = {"n_rows": 1, "n_columns": 0, "n_features": 0, "target": None, "row_id": None}
            connection.execute(insert(datasets).values(id="ds_1", listed=listed, **row))
        assert _get(f"{url}/v1/jobs/{job_id}")[1]["status"] == "queued"

    with running_service(data_dir) as url:
        assert _get(f"{url}/v1/datasets/ds_1")[1]["n_rows"] == 1
        JobFarm.wait_until(lambda: _get(f"{url}/v1/jobs/{job_id}")[1]["status"] == "failed")


def test_uploads_come_in_on_the_disk_of_the_data_directory(quiet: Service) -> None:
    spool = str(quiet.data_dir / "spool")
    with socket.create_connection(("127.0.0.1", quiet.port)) as upload:
        head = "POST /v1/datasets HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9000000\r\n"
        form = '--x\r\nContent-Disposition: form-data; name="file"; filename="rows.csv"\r\n\r\n'
        upload.sendall(f"{head}Content-Type: multipart/form-data; boundary=x\r\n\r\n{form}".encode() + bytes(4 << 20))
        api = quiet.children()["api"]

        JobFarm.wait_until(lambda: any(file.startswith(spool) for file in open_files_of(api)))

        assert list(Path(spool).iterdir()) == []  # without a name, so that nothing of it can stay


def test_what_the_service_keeps_is_for_its_owner_alone(quiet: Service) -> None:
    assert _call("POST", f"{quiet.url}/v1/datasets", files={"file": b"a,b\n1,2\n3,4\n"}) == 201
    modes: dict[str, int] = {}
    for path in quiet.data_dir.rglob("*"):
        with suppress(FileNotFoundError):  # the service is at work
            modes |= {path.name: path.stat().st_mode} if path.is_file() else {}

    assert {"leafspace.db", "leafspace.db-wal", "leafspace.lock", "url"} <= set(modes)
    assert [name for name, mode in modes.items() if mode & 0o077] == []


def test_a_second_service_on_the_same_data_is_refused(quiet: Service) -> None:
    second = _serve("--port", "0", "--data-dir", str(quiet.data_dir))

    assert second.returncode == 1
    assert "another `leafspace serve`" in second.stderr


def test_a_taken_port_is_reported_before_anything_starts(quiet: Service, tmp_path: Path) -> None:
    second = _serve("--port", str(quiet.port), "--data-dir", str(tmp_path / "other"))

    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {quiet.port}" in second.stderr


def test_a_setting_that_cannot_be_used_ends_the_start_with_its_name(data_dir: Path) -> None:
    refused = _serve("--port", "0", "--no-worker", "--data-dir", str(data_dir), LEAFSPACE_MAX_MODEL_BYTES="1GB")

    assert refused.returncode == 1
    wrong, reason = refused.stderr.strip().splitlines()
    assert "LEAFSPACE_MAX_MODEL_BYTES is '1GB'" in wrong
    assert "the api cannot start with these settings" in reason


def test_other_machines_are_not_let_in_without_keys(data_dir: Path) -> None:
    refused = _serve("--host", "0.0.0.0", "--port", "0", "--data-dir", str(data_dir))  # noqa: S104  # refused

    assert refused.returncode == 1
    assert "leafspace keys create NAME --scope admin" in refused.stderr


@pytest.mark.long
def test_beyond_loopback_callers_need_a_key_that_the_machine_makes(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    key = _leafspace("keys", "create", "reader", "--scope", "read", "--data-dir", str(data_dir)).stdout.strip()
    process = start_service(data_dir, "--no-worker", "--host", "0.0.0.0")  # noqa: S104  # what is tried here
    started.append(process)
    url = wait_until_ready(process).replace("0.0.0.0", "127.0.0.1")  # noqa: S104  # compared with

    assert _call("GET", f"{url}/v1/models") == 401
    assert _call("GET", f"{url}/v1/models", headers={"Authorization": f"Bearer {key}"}) == 200
    assert _call("DELETE", f"{url}/v1/models/x", headers={"Authorization": f"Bearer {key}"}) == 403
    process.terminate()
    assert process.wait(when_idle(10)) == 0


@pytest.mark.long
def test_kill_9_leaves_no_orphan_and_the_next_start_is_ready_by_itself(
    data_dir: Path, started: list["subprocess.Popen[str]"]
) -> None:
    first = start_service(data_dir)
    started.append(first)
    wait_until_ready(first)
    running = descendants_of(first.pid)
    first.kill()

    second = start_service(data_dir)
    started.append(second)
    url = wait_until_ready(second)

    JobFarm.wait_until(lambda: not [pid for pid in running if is_alive(pid)], seconds=5)
    assert _get(f"{url}/readyz")[0] == 200
    second.terminate()
    assert second.wait(when_idle(10)) == 0


def test_the_composed_container_is_healthy_while_the_service_is_ready(quiet: Service) -> None:
    composed = yaml.safe_load((Path(__file__).parents[2] / "docker-compose.yml").read_text())["services"]["service"]
    how, program, *arguments = composed["healthcheck"]["test"]
    assert (how, program, composed["stop_grace_period"]) == ("CMD", "python", "20s")

    for port, is_healthy in ((quiet.port, True), (kept_port(), False)):
        command = [sys.executable, *(argument.replace("8000", str(port)) for argument in arguments)]
        ended = subprocess.run(command, check=False, stderr=subprocess.DEVNULL)  # ours
        assert (ended.returncode == 0) == is_healthy


@pytest.mark.long
def test_a_redis_that_is_named_is_used_and_none_started(
    data_dir: Path, tmp_path: Path, started: list["subprocess.Popen[str]"]
) -> None:
    redis = OwnRedis(tmp_path / "redis")
    redis.start()
    process = start_service(data_dir, "--workers", "2", environment={"LEAFSPACE_REDIS_URL": redis.url})
    started.append(process)

    url = wait_until_ready(process)

    assert _get(f"{url}/readyz")[1].get("degraded", []) == []
    JobFarm.wait_until(lambda: len(descendants_of(process.pid)) == 5)  # two parents, an API and two workers: no Redis
    assert not (data_dir / "redis").exists()
    process.terminate()
    assert process.wait(when_idle(10)) == 0
    assert redis.notifier.is_available()
    redis.kill()


@pytest.mark.long
def test_a_worker_alone_joins_a_service_without_one(data_dir: Path) -> None:
    with running_service(data_dir, "--no-worker") as url:
        database = Database(embedded(data_dir).database_url)
        jobs = JobStore(database)
        with database.transaction() as connection:
            job_id = jobs.add(connection, "no_such_kind", "prs_x", {}, 60)
        command = [sys.executable, "-m", "leafspace", "worker", "--data-dir", str(data_dir)]
        with subprocess.Popen(command) as worker:  # our own command
            JobFarm.wait_until(lambda: _get(f"{url}/v1/jobs/{job_id}")[1]["status"] == "failed")
            worker.terminate()
            assert worker.wait(when_idle(10)) == 0


def test_a_worker_alone_without_redis_says_what_it_needs(tmp_path: Path) -> None:
    refused = _leafspace("worker", "--data-dir", str(tmp_path))

    assert refused.returncode == 1
    assert "LEAFSPACE_REDIS_URL" in refused.stderr


def test_the_supervisor_stays_light() -> None:
    heavy = "{'numpy', 'numba', 'onnxruntime', 'sqlalchemy', 'fastapi', 'redis', 'rq', 'pydantic', 'asyncio'}"
    program = f"import sys, leafspace.cli; print(sorted({heavy} & set(sys.modules)))"

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # ours

    assert printed.stdout.strip() == "[]"


def _serve(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    return _leafspace("serve", *arguments, **settings)


def _leafspace(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "leafspace", *arguments]
    own = {name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")}
    return subprocess.run(  # ours
        command, capture_output=True, text=True, timeout=PATIENCE_SECONDS, check=False, env={**own, **settings}
    )
