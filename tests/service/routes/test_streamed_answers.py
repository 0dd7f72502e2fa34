"""Streamed answers leave nothing open behind them, however they end."""

import asyncio
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import pytest
from starlette.requests import ClientDisconnect

from service.routes.streamed_answers import StreamedAnswer

_BLOCK = b"rows" * 1000
_N_BLOCKS = 50


def _blocks(file: BinaryIO) -> Generator[bytes]:
    with file:
        while block := file.read(len(_BLOCK)):
            yield block


async def _answer_until(n_blocks: int, answer: StreamedAnswer, spec_version: str) -> list[bytes]:
    """Return what a caller gets who goes away after a number of blocks."""
    got: list[bytes] = []
    has_gone = asyncio.Event()

    async def receive() -> dict[str, Any]:
        await has_gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:  # of ASGI
        if message["type"] == "http.response.body":
            got.append(message["body"])
        if len(got) >= n_blocks:
            has_gone.set()
            await asyncio.sleep(0.05)
            if spec_version >= "2.4":
                raise OSError

    scope = {"type": "http", "asgi": {"spec_version": spec_version}}
    with suppress(ClientDisconnect):  # servers expect it
        await answer(scope, receive, send)
    return got


@pytest.mark.parametrize("spec_version", ["2.3", "2.4"])
def test_a_caller_who_goes_away_leaves_no_file_open(tmp_path: Path, spec_version: str) -> None:
    path = tmp_path / "table"
    path.write_bytes(_BLOCK * _N_BLOCKS)
    file = path.open("rb")
    answer = StreamedAnswer(_blocks(file), "text/csv")

    got = asyncio.run(_answer_until(3, answer, spec_version))

    # The answer itself is still held here: nobody waited for it to be collected.
    assert answer.media_type == "text/csv"
    assert len(got) < _N_BLOCKS
    assert file.closed


def test_a_caller_who_stays_gets_all_of_it(tmp_path: Path) -> None:
    path = tmp_path / "table"
    path.write_bytes(_BLOCK * _N_BLOCKS)
    file = path.open("rb")

    got = asyncio.run(_answer_until(_N_BLOCKS + 1, StreamedAnswer(_blocks(file), "text/csv"), "2.3"))

    assert b"".join(got) == path.read_bytes()
    assert file.closed
