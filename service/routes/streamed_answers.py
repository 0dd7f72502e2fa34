"""Answers of any size: pages, files and drawings, made once there is room for them, and sent block by block."""

from collections.abc import Callable, Generator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from schemas.noun import HTML, JSON, Noun

from ..admission.response_memory import ResponseMemory
from ..app_context import AppContext
from ..drawings.files import export_html
from ..operations.artefacts import file_blocks
from ..operations.json_pages import MAX_PAGE_BYTES
from .dependencies import RequestMemory

_PAGE_BYTES = MAX_PAGE_BYTES + (256 << 10)  # of a whole page, as it is sent
_MAKING_BYTES = 12 << 20  # what such a page is read from, and what is made of that on the way
_READING_BYTES = 2 << 20  # of which as much does not depend on the page
_COLUMN_BYTES = 8 << 10  # readers of columns, most of which hold a few numbers each
_SMALL_BYTES = 1 << 20
_PLAIN_BYTES = 64 << 10
BLOCK_BYTES = 1 << 20
"""What an answer takes that is passed on in blocks, each made of a few lines of a table."""
_FILE_BYTES = 512 << 10  # of a file: the block being sent, and the one read next
_COPIES = 7  # beside the answer: text, plain values and text again
_DRAWING_BYTES, _DRAWN_BYTES = 5 << 20, 24 << 20  # of a drawing, and of what it is drawn from
_GROWTH_OF_DRAWINGS = 4  # bytes of a drawing for each byte of its document, at most about


class StreamedAnswer(StreamingResponse):
    """Blocks of bytes, drawn in a thread (of the ``room``, if there is one) as fast as the caller takes them.

    However the answer ends, the source of its blocks is closed: callers that disconnect in the middle leave no file
    open. Callers that read too slowly are disconnected by ``AnswerGuard``.
    """

    def __init__(
        self,
        blocks: Generator[bytes],
        media_type: str,
        size_bytes: int | None = None,
        memory: ResponseMemory | None = None,
    ) -> None:
        headers = None if size_bytes is None else {"Content-Length": str(size_bytes)}
        drawn = blocks if memory is None else memory.draw(blocks)
        super().__init__(drawn, headers=headers, media_type=media_type)
        self._blocks = blocks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Where the service is stopped by force, a thread may still be drawing a block.
            with suppress(ValueError):
                self._blocks.close()


@dataclass(frozen=True, slots=True)
class PageSize:
    """What a page takes: as long as it is kept for its caller, and on top of that while it is made."""

    n_held: int = _PAGE_BYTES
    n_making: int = _MAKING_BYTES

    @classmethod
    def of(cls, n_rows: int, row_bytes: int | None, n_columns: int) -> Self:
        """Return the size of a page of ``n_rows`` rows; ``row_bytes`` is ``None`` where their size is unknown."""
        n_held = _PAGE_BYTES if row_bytes is None else min(_PAGE_BYTES, _PLAIN_BYTES + n_rows * row_bytes)
        n_making = min(_MAKING_BYTES, _READING_BYTES + _COPIES * n_held)
        return cls(n_held, n_making + _COLUMN_BYTES * n_columns)


_LARGEST_PAGE = PageSize()


async def page_json(
    context: AppContext, memory: RequestMemory, make: Callable[[], Generator[bytes]], size: PageSize = _LARGEST_PAGE
) -> Response:
    """Return a page of JSON, whole before any of it is sent: what it is made from is not kept for slow callers."""
    joined = lambda: b"".join(make())  # noqa: E731  # as others are made
    body = await memory.make_whole(context.response_memory, size.n_held, size.n_making, joined)
    return Response(body, media_type=JSON)


async def stream_json(
    context: AppContext, memory: RequestMemory, make: Callable[[], Generator[bytes]], n_bytes: int = _FILE_BYTES
) -> StreamedAnswer:
    """Return JSON that is passed on, or made, in blocks, once there is room for what that takes."""
    chosen = _memory_for(context, n_bytes)
    return StreamedAnswer(await memory.make(chosen, n_bytes, make), JSON, memory=chosen)


async def whole_json(context: AppContext, memory: RequestMemory, n_bytes: int, make: Callable[[], bytes]) -> Response:
    """Return JSON that is made at once, of something that is kept as ``n_bytes`` of JSON."""
    n_held, n_making = n_bytes + _PLAIN_BYTES, _COPIES * n_bytes
    body = await memory.make_whole(_memory_for(context, n_held + n_making), n_held, n_making, make)
    return Response(body, media_type=JSON)


async def stream_file(
    context: AppContext, memory: RequestMemory, make: Callable[[], StreamedAnswer], n_bytes: int = BLOCK_BYTES
) -> StreamedAnswer:
    """Return the answer that sends a file, however long that takes, as long as its caller takes it."""
    return await memory.make(context.download_memory, n_bytes, make)


async def stream_stored_file(
    context: AppContext, memory: RequestMemory, find: Callable[[], Path], media_type: str
) -> StreamedAnswer:
    """Return the answer that sends a file as it is kept."""

    def make() -> StreamedAnswer:
        path = find()
        return StreamedAnswer(file_blocks(path), media_type, path.stat().st_size)

    return await stream_file(context, memory, make, _FILE_BYTES)


async def rewritten(
    context: AppContext,
    memory: RequestMemory,
    path: Path,
    write: Callable[[bytes], bytes | str],
    media_type: str,
    growth: int = 1,
) -> Response:
    """Return a result in another form than the JSON in which it is kept, of at most ``growth`` times its size."""
    n_bytes = growth * (await run_in_threadpool(path.stat)).st_size
    n_held, n_making = n_bytes + _PLAIN_BYTES, _COPIES * n_bytes
    chosen = _memory_for(context, n_held + n_making)
    written = await memory.make_whole(chosen, n_held, n_making, lambda: _encoded(write(path.read_bytes())))
    return Response(written, media_type=media_type)


async def drawn(context: AppContext, memory: RequestMemory, path: Path, noun: Noun[Any], artefact_id: str) -> Response:
    """Return the drawing of an artefact whose result is in the file ``path``."""
    write = lambda _: export_html(context, noun, artefact_id)  # noqa: E731  # as others are written
    return await rewritten(context, memory, path, write, HTML, _GROWTH_OF_DRAWINGS)


async def drawn_by(context: AppContext, memory: RequestMemory, draw: Callable[[], str]) -> Response:
    """Return a file that ``draw`` makes, once there is room for it and for what it is drawn from."""
    drawn_bytes = lambda: draw().encode()  # noqa: E731  # as others are made
    return Response(
        await memory.make_whole(context.response_memory, _DRAWING_BYTES, _DRAWN_BYTES, drawn_bytes), media_type=HTML
    )


def _memory_for(context: AppContext, n_bytes: int) -> ResponseMemory:
    return context.small_response_memory if n_bytes <= _SMALL_BYTES else context.response_memory


def _encoded(text: bytes | str) -> bytes:
    return text.encode() if isinstance(text, str) else text
