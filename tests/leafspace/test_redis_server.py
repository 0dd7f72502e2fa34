"""The embedded Redis: a real server on a private socket."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from redis import Redis

from leafspace.errors import CannotServe
from leafspace.redis_server import RedisServer, find_redis_binary, running_server_url
from workers.runtime.supervisor import stop_processes


@pytest.fixture
def server(tmp_path: Path) -> Iterator[RedisServer]:
    server = RedisServer(tmp_path / "redis", find_redis_binary())
    yield server
    server.discard_socket()


def test_messages_survive_a_kill_and_the_socket_is_private(server: RedisServer, tmp_path: Path) -> None:
    process = server.start()
    redis = Redis.from_url(server.url)
    redis.set("greeting", "hello")
    assert redis.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
    assert redis.config_get("port") == {"port": "0"}
    assert stat.S_IMODE((tmp_path / "redis" / "redis.sock").stat().st_mode) == 0o700
    process.kill()
    process.wait()

    process = server.start()

    assert Redis.from_url(server.url).get("greeting") == b"hello"
    stop_processes([process], patience_seconds=2)


def test_a_damaged_file_of_messages_is_moved_aside(server: RedisServer, tmp_path: Path) -> None:
    stop_processes([server.start()], patience_seconds=2)
    messages = tmp_path / "redis" / "appendonlydir"
    manifest = next(messages.glob("*.manifest"))
    manifest.write_text("this is not a manifest\n")

    process = server.start()

    assert Redis.from_url(server.url).ping()
    assert len(list((tmp_path / "redis").glob("appendonlydir.damaged-*"))) == 1
    stop_processes([process], patience_seconds=2)


def test_a_path_too_long_for_a_socket_is_replaced_by_a_private_one(tmp_path: Path) -> None:
    deep = tmp_path / ("long name " * 12) / ("ß" * 40)
    deep.mkdir(parents=True)
    server = RedisServer(deep / "redis", find_redis_binary())

    process = server.start()

    folder = Path(server.url.removeprefix("unix://")).parent
    assert Redis.from_url(server.url).ping()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert running_server_url(deep / "redis") == server.url
    stop_processes([process], patience_seconds=2)
    server.discard_socket()
    assert not folder.exists()
    assert running_server_url(deep / "redis") is None


def test_a_server_that_does_not_start_is_reported_with_its_log(tmp_path: Path) -> None:
    server = RedisServer(tmp_path / "redis", Path("/bin/false"))

    with pytest.raises(CannotServe, match=r"redis\.log"):
        server.start()


def test_a_server_on_the_path_is_taken_where_none_is_packaged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CannotServe, match="LEAFSPACE_REDIS_URL"):
        find_redis_binary()

    own = tmp_path / "redis-server"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)

    assert find_redis_binary() == own
    assert os.access(own, os.X_OK)
