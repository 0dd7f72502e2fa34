"""Answers of any size, sent block by block."""

import asyncio
from collections.abc import Callable, Generator
from contextlib import suppress
from pathlib import Path

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from ..answer_room import AnswerRoom
from ..dependencies import Room
from ..operations.artefacts import file_blocks
from ..parts import Parts
from .media_types import JSON

_PAGE_BYTES = 16 << 20  # what a page takes while it is made: what it is read from, and what is written of it
_PAGE_SECONDS = 90.0  # a page is sent at 64 kB a second or faster, as bodies are: slower callers keep others waiting
_PLAIN_BYTES = 64 << 10
BLOCK_BYTES = 1 << 20
"""What an answer takes that is passed on as it is kept, block by block."""
_COPIES = 8  # text, plain values and text again


class StreamedAnswer(StreamingResponse):
    """Blocks of bytes, drawn in a thread (of the ``room``, if there is one) as fast as the caller takes them.

    However the answer ends, what they are drawn from is closed: callers who go away in the middle leave no file open.
    With ``seconds``, an answer that is not taken in that time is broken off.
    """

    def __init__(
        self,
        blocks: Generator[bytes],
        media_type: str,
        size_bytes: int | None = None,
        room: AnswerRoom | None = None,
        seconds: float | None = None,
    ) -> None:
        headers = None if size_bytes is None else {"Content-Length": str(size_bytes)}
        drawn = blocks if room is None else room.draw(blocks)
        super().__init__(drawn, headers=headers, media_type=media_type)
        self._blocks = blocks
        self._seconds = seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            # The server closes the connection of an answer without an end.
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await super().__call__(scope, receive, send)
        finally:
            # Where the service is stopped by force, a thread may still be drawing a block.
            with suppress(ValueError):
                self._blocks.close()


async def stream_json(
    parts: Parts, room: Room, make: Callable[[], Generator[bytes]], n_bytes: int = _PAGE_BYTES
) -> StreamedAnswer:
    """Return JSON that is made, and sent, in blocks, once there is room for what that takes."""
    blocks = await room.make(parts.answer_room, n_bytes, make)
    return StreamedAnswer(blocks, JSON, room=parts.answer_room, seconds=_PAGE_SECONDS)


async def whole_json(parts: Parts, room: Room, n_bytes: int, make: Callable[[], bytes]) -> Response:
    """Return JSON that is made at once, of something that is kept as ``n_bytes`` of JSON."""
    return Response(await room.make(parts.answer_room, _COPIES * n_bytes + _PLAIN_BYTES, make), media_type=JSON)


async def stream_file(parts: Parts, room: Room, make: Callable[[], StreamedAnswer]) -> StreamedAnswer:
    """Return the answer that sends a file, however long that takes."""
    return await room.make(parts.download_room, BLOCK_BYTES, make)


async def rewritten(
    parts: Parts, room: Room, path: Path, write: Callable[[bytes], bytes | str], media_type: str
) -> Response:
    """Return a result in another form than the JSON in which it is kept."""
    n_bytes = (await run_in_threadpool(path.stat)).st_size
    written = await room.make(parts.answer_room, _COPIES * n_bytes, lambda: write(path.read_bytes()))
    return Response(written, media_type=media_type)


def kept_file(path: Path, media_type: str) -> StreamedAnswer:
    """Return the answer that sends a file as it is kept."""
    return StreamedAnswer(file_blocks(path), media_type, path.stat().st_size)
