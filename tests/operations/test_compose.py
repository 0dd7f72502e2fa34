"""docker-compose.yml: what every container is denied, which secrets it takes, and what its commands do."""

import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from leafspace.redis_server import find_redis_binary
from storage.job_notifications import JobNotifier
from storage.worker_heartbeats import WorkerHeartbeats
from tests.support.job_farm import JobFarm
from tests.support.patience import PATIENCE_SECONDS
from tests.support.redis import OwnRedis

_ROOT = Path(__file__).parents[2]
_FILE = (_ROOT / "docker-compose.yml").read_text(encoding="utf-8")
_SERVICES: dict[str, dict[str, Any]] = yaml.safe_load(_FILE)["services"]
_VARIABLE = re.compile(r"\$\{(?P<name>\w+)(?::(?P<kind>[-?])(?P<text>[^}]*))?\}")
_SECRETS = {"LEAFSPACE_REDIS_PASSWORD": "hush"}
_EVERY_SERVICE = pytest.mark.parametrize("name", _SERVICES)


def _filled_in(text: str) -> str:
    """Return a text as compose reads it where only secrets are set."""
    return _VARIABLE.sub(lambda found: _SECRETS.get(found["name"], found["text"] if found["kind"] == "-" else ""), text)


@_EVERY_SERVICE
def test_a_container_has_no_more_rights_than_it_needs(name: str) -> None:
    service = _SERVICES[name]

    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]
    assert not {"cap_add", "privileged", "pid", "ipc", "network_mode", "devices"} & set(service)


@_EVERY_SERVICE
def test_a_container_writes_to_its_volume_and_to_memory_alone(name: str) -> None:
    targets = [volume.split(":")[1] for volume in _SERVICES[name]["volumes"]]

    assert targets == ["/var/lib/postgresql/data" if name == "postgres" else "/data"]
    assert not any("docker.sock" in volume or volume.startswith(("/", ".")) for volume in _SERVICES[name]["volumes"])


@_EVERY_SERVICE
def test_a_container_has_a_limit_of_memory_and_says_whether_it_is_healthy(name: str) -> None:
    assert re.fullmatch(r"\d+[mg]", _filled_in(_SERVICES[name]["mem_limit"]))
    assert _SERVICES[name]["healthcheck"]["test"][0] == "CMD"


@_EVERY_SERVICE
def test_a_container_has_a_limit_of_processes_and_logs_and_databases_reach_nobody_outside(name: str) -> None:
    service = _SERVICES[name]

    assert service["pids_limit"] == 512
    assert set(service["logging"]["options"]) == {"max-size", "max-file"}
    assert ("outside" in service["networks"]) == (name in {"service", "workers", "cluster-worker"})
    assert yaml.safe_load(_FILE)["networks"]["inside"] == {"internal": True}
    assert not [word for word in service.get("command", ()) if "PASSWORD" in word]


def test_a_job_may_use_less_memory_than_its_container_has_and_as_much_as_the_api_believes() -> None:
    jobs = {_filled_in(_SERVICES[name]["environment"]["LEAFSPACE_JOB_MEMORY_BYTES"]) for name in ("service", "workers")}
    limit = _filled_in(_SERVICES["workers"]["mem_limit"])

    n_workers = int(_filled_in(_SERVICES["workers"]["environment"]["LEAFSPACE_WORKERS"]))

    (job,) = jobs
    assert limit.endswith("g")
    assert n_workers * int(job) <= (int(limit[:-1]) << 30) * 3 // 4


def test_an_image_is_named_by_a_variable_and_runs_as_a_user() -> None:
    dockerfile = (_ROOT / "Dockerfile").read_text(encoding="utf-8")
    default = re.search(r"^ARG PYTHON_IMAGE=(\S+)\nFROM \$\{PYTHON_IMAGE\}$", dockerfile, re.MULTILINE)

    assert default is not None
    for name, service in _SERVICES.items():
        image = service["build"]["args"]["PYTHON_IMAGE"] if "build" in service else service["image"]
        assert re.fullmatch(r"\$\{LEAFSPACE_[A-Z]+_IMAGE:-[a-z/]+:[\w.-]+\}", image), name
        assert "build" in service or service["user"] not in {"root", "0"}
        assert "build" not in service or _filled_in(image) == default[1]


def test_secrets_are_required_and_every_variable_is_documented() -> None:
    operations = (_ROOT / "docs/operations.md").read_text(encoding="utf-8")
    for found in _VARIABLE.finditer(_FILE):
        assert f"`{found['name']}`" in operations, found["name"]
        assert not found["name"].endswith("PASSWORD") or found["kind"] == "?", found[0]


@pytest.fixture
def composed_redis(tmp_path: Path) -> Iterator[int]:
    """Start the server with the words of docker-compose.yml on a free port, which is returned."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    shell, option, script = [_filled_in(word).replace("$$", "$") for word in _SERVICES["redis"]["command"]]
    assert "hush" not in script
    here = f"{find_redis_binary()} - --port {port} --bind 127.0.0.1 --dir {tmp_path}"
    command = [shell, option, script.replace("valkey-server -", here, 1)]
    environment = {**os.environ, "REDISCLI_AUTH": _filled_in(_SERVICES["redis"]["environment"]["REDISCLI_AUTH"])}
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL) as server:  # the file's own
        yield port
        server.terminate()  # the shell, if the server had not taken its place
        assert server.wait(PATIENCE_SECONDS) == 0
        with suppress(ConnectionRefusedError), socket.create_connection(("127.0.0.1", port)):
            pytest.fail("the server still runs")


@pytest.mark.parametrize("name", ["service", "workers"])
def test_the_composed_redis_hears_those_with_the_password_alone(composed_redis: int, name: str) -> None:
    place = f"@127.0.0.1:{composed_redis}/"
    given = _filled_in(_SERVICES[name]["environment"]["LEAFSPACE_REDIS_URL"])
    url = given.replace("@redis:6379/", place)

    JobFarm.wait_until(JobNotifier(url).is_available)
    assert not JobNotifier(url.replace("hush", "wrong")).is_available()
    assert not JobNotifier(url.replace(":hush@", "")).is_available()


def test_a_composed_worker_is_healthy_while_it_shows_signs_of_life(tmp_path: Path) -> None:
    _, program, *arguments = _SERVICES["workers"]["healthcheck"]["test"]
    assert program == "leafspace"
    redis = OwnRedis(tmp_path / "redis")

    def check() -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "leafspace", *arguments, "--data-dir", str(tmp_path)]
        environment = {**os.environ, "LEAFSPACE_REDIS_URL": redis.url}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)  # ours

    redis.start()
    WorkerHeartbeats(redis.notifier.redis).record("another-container.7")
    silent = check()
    WorkerHeartbeats(redis.notifier.redis).record(f"{os.uname().nodename}.7")
    living = check()
    redis.kill()
    unreachable = check()

    assert (silent.returncode, living.returncode, unreachable.returncode) == (1, 0, 1)
    assert "no worker of" in silent.stderr
    assert "Redis does not answer" in unreachable.stderr
