"""Server: uvicorn, which on SIGTERM is first not ready for a moment, then takes no more requests, then ends."""

import socket
import time
from collections.abc import Callable
from types import FrameType

import uvicorn

from .draining import Draining


class Server(uvicorn.Server):
    """Serves until it is stopped by a signal.

    At the first signal it drains: ``/readyz`` answers 503 and connections are closed after their next answer, while
    requests are still taken for ``drain_seconds``. Then it stops listening, and what is under way may finish within
    uvicorn's own time limit. A second signal ends the draining at once.
    """

    def __init__(
        self, config: uvicorn.Config, draining: Draining, drain_seconds: float, announce: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._draining = draining
        self._drain_seconds = drain_seconds
        self._announce = announce
        self._stop: tuple[float, int] | None = None  # when, and because of which signal

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start to listen, and announce that to whoever started this process."""
        await super().startup(sockets)
        self._announce()

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Answer a signal."""
        if self._stop is None and self.started:
            self._draining.begin()
            self._stop = time.monotonic() + self._drain_seconds, sig
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        """Look whether it is time to stop."""
        if self._stop is not None and time.monotonic() >= self._stop[0]:
            super().handle_exit(self._stop[1], None)
        return await super().on_tick(counter)
