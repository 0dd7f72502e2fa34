"""A private service of a program: real, and gone with the program, however that ends."""

import os
import select
import signal
import stat
import subprocess
import sys
import webbrowser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import leafspace_client
import pytest
from leafspace_client import Leafspace, LeafspaceError, Unauthenticated

from tests.support.patience import when_idle
from tests.support.processes import children_of, command_of
from tests.support.raw_http import NO_TLS

_PROGRAM = """
import leafspace_client, sys
client = leafspace_client.local()
key = client._transport.connection.api_key
print(client.url, client.data_dir, client._process.pid, key, flush=True)
sys.stdin.read()
"""


@dataclass(frozen=True)
class Program:
    """A program with a service of its own."""

    process: "subprocess.Popen[str]"
    url: str
    folder: Path
    keeper: int  # the process between the program and its service
    key: str

    @property
    def client(self) -> Leafspace:
        return Leafspace(self.url, self.key)

    @property
    def processes(self) -> list[int]:
        found = [self.keeper, *_below(self.keeper)]
        assert len(found) >= 4
        return found


@pytest.fixture(scope="module")
def program() -> Iterator[Program]:
    with subprocess.Popen(  # ours
        [sys.executable, "-c", _PROGRAM], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        url, folder, keeper, key = process.stdout.readline().split()
        yield Program(process, url, Path(folder), int(keeper), key)
        process.kill()


def test_it_answers_its_program_and_nobody_without_the_key(program: Program) -> None:
    assert list(program.client.models.list()) == []
    with pytest.raises(Unauthenticated):
        list(Leafspace(program.url, api_key="").models.list())


def test_its_folder_is_the_owners_alone_and_the_key_is_among_no_arguments(program: Program) -> None:
    assert stat.S_IMODE(program.folder.stat().st_mode) == 0o700
    assert not [each for each in program.processes if program.key in command_of(each)]


def test_showing_opens_the_page_with_a_code_that_works_once(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    address = program.client.show("mdl_1")
    assert address == f"{program.url}/ui/#/models/mdl_1"
    begin, _, code = opened[0].partition("?code=")
    assert begin == address
    answers = [_redeemed(program.url, code) for _ in range(2)]
    assert answers[0].json() == {"key": program.key}
    assert answers[1].status_code == httpx.codes.NOT_FOUND
    assert httpx.post(f"{program.url}/page/codes", verify=NO_TLS).status_code == httpx.codes.UNAUTHORIZED


def test_it_ends_with_the_program_also_by_kill_9(program: Program) -> None:
    processes = program.processes
    program.process.send_signal(signal.SIGKILL)
    program.process.wait()
    _wait_until_gone(processes)
    assert not program.folder.exists()


@pytest.mark.long
def test_a_folder_of_the_callers_is_kept_and_a_second_service_on_it_is_refused(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    with leafspace_client.local(kept) as client:
        assert client.data_dir == kept
        with pytest.raises(LeafspaceError, match="another `leafspace serve`"):
            leafspace_client.local(kept)
    assert (kept / "leafspace.db").exists()


def _redeemed(url: str, code: str) -> httpx.Response:
    return httpx.post(f"{url}/page/codes/redeem", json={"code": code}, verify=NO_TLS)


def _below(pid: int) -> list[int]:
    return [found for child in children_of(pid) for found in (child, *_below(child))]


def _wait_until_gone(processes: list[int]) -> None:
    for each in processes:
        try:
            descriptor = os.pidfd_open(each)
        except ProcessLookupError:
            continue
        readable, _, _ = select.select([descriptor], [], [], when_idle(30))
        os.close(descriptor)
        assert readable, f"process {each} goes on: {command_of(each)}"
