"""Transports: carry out programs over HTTP, one by blocking and one by awaiting. Nothing else here waits."""

import asyncio
import os
import random
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import httpx

from .calls import Call, NoAnswer, Pause, Program, Step, Work
from .retrying import RetryPolicy, with_retries
from .version import __version__

T = TypeVar("T")

_LONGEST_CONNECT_SECONDS = 10.0
_BLOCK_BYTES = 1 << 20
_SENDABLE = re.compile(r"[\x21-\x7e]+")


def key_to_send(api_key: str | None) -> str | None:
    """Return the key given, or that in the environment, or none.

    Raises
    ------
    ValueError
        If it cannot be part of a header; the message does not show it, as those of the HTTP library would.
    """
    key = (os.environ.get("LEAFSPACE_API_KEY", "") if api_key is None else api_key).strip()
    if key and not _SENDABLE.fullmatch(key):
        message = "the API key holds blanks or characters that no key has; is it copied whole, and nothing else?"
        raise ValueError(message)
    return key or None


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the service is and how to speak to it."""

    base_url: str
    api_key: str | None = field(repr=False)
    timeout_seconds: float
    retries: RetryPolicy

    def httpx_options(self) -> dict[str, Any]:
        """Return what httpx's clients take."""
        headers = {"User-Agent": f"leafspace-client/{__version__}", "Accept": "application/json"}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        connect = min(self.timeout_seconds, _LONGEST_CONNECT_SECONDS)
        timeout = httpx.Timeout(self.timeout_seconds, connect=connect)
        return {"base_url": self.base_url, "headers": headers, "timeout": timeout}

    def draw(self, program: Program[T]) -> Program[T]:
        """Return the program with retries; their pauses are drawn anew for each."""
        return with_retries(program, self.retries, random.Random())  # noqa: S311  # no secret depends on a pause

    def no_answer(self, error: httpx.HTTPError) -> NoAnswer:
        """Return what is known when no answer came."""
        if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
            reason = f"{self.base_url} took longer than {self.timeout_seconds:g} s; pass a longer `timeout`"
            return NoAnswer(reason, may_try_again=False)
        is_wrong_address = isinstance(error, httpx.UnsupportedProtocol | httpx.InvalidURL)
        reason = f"no answer from {self.base_url} ({error or type(error).__name__}); is the service running there?"
        return NoAnswer(reason, may_try_again=not is_wrong_address)


class SyncTransport:
    """Carries out programs at once."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._client = httpx.Client(**connection.httpx_options())

    def run(self, program: Program[T]) -> T:
        """Carry out the program and return its result."""
        steps = self.connection.draw(program)
        try:
            step = next(steps)
            while True:
                step = steps.send(self._outcome(step))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _outcome(self, step: Step) -> Any:  # noqa: ANN401  # of each kind of step its own
        if isinstance(step, Work):
            return step.compute()
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return self._download(step, step.into)
            return self._client.request(step.method, step.url, headers=step.headers, **step.body)
        except httpx.TransportError as error:
            return self.connection.no_answer(error)

    def _download(self, call: Call, target: Path) -> httpx.Response:
        with self._client.stream(call.method, call.url, headers=call.headers, **call.body) as response:
            if not response.is_success:
                response.read()
                return response
            partial = _partial(target)
            with partial.open("wb") as file:
                for block in response.iter_bytes(_BLOCK_BYTES):
                    file.write(block)
            partial.replace(target)
        return response


class AsyncTransport:
    """Carries out programs when awaited."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._client = httpx.AsyncClient(**connection.httpx_options())

    async def run(self, program: Program[T]) -> T:
        """Carry out the program and return its result."""
        steps = self.connection.draw(program)
        try:
            step = next(steps)
            while True:
                step = steps.send(await self._outcome(step))
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            steps.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def _outcome(self, step: Step) -> Any:  # noqa: ANN401  # of each kind of step its own
        if isinstance(step, Work):
            return await asyncio.to_thread(step.compute)
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return await self._download(step, step.into)
            return await self._client.request(step.method, step.url, headers=step.headers, **step.body)
        except httpx.TransportError as error:
            return self.connection.no_answer(error)

    async def _download(self, call: Call, target: Path) -> httpx.Response:
        async with self._client.stream(call.method, call.url, headers=call.headers, **call.body) as response:
            if not response.is_success:
                await response.aread()
                return response
            partial = _partial(target)
            with partial.open("wb") as file:  # written as it comes: a block takes no time
                async for block in response.aiter_bytes(_BLOCK_BYTES):
                    file.write(block)
            partial.replace(target)  # within a folder
        return response


def _partial(target: Path) -> Path:
    # Whoever finds the target finds all of it.
    return target.with_name(f"{target.name}.part")
