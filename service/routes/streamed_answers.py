"""Answers of any size, sent block by block."""

from collections.abc import Generator
from contextlib import suppress

from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send


class StreamedAnswer(StreamingResponse):
    """Blocks of bytes, drawn in a thread as fast as the caller takes them.

    However the answer ends, what they are drawn from is closed: callers who go away in the middle leave no file open.
    """

    def __init__(self, blocks: Generator[bytes], media_type: str, size_bytes: int | None = None) -> None:
        headers = None if size_bytes is None else {"Content-Length": str(size_bytes)}
        super().__init__(blocks, headers=headers, media_type=media_type)
        self._blocks = blocks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answer."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            # Where the service is stopped by force, a thread may still be drawing a block.
            with suppress(ValueError):
                self._blocks.close()
