"""Transports: carry out programs over HTTP, one by blocking and one by awaiting. Nothing else here waits."""

import asyncio
import os
import random
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, TypeVar

import httpx

from .arguments import not_sendable
from .calls import Call, NoAnswer, Pause, Program, Step, Work
from .errors import Invalid, writing
from .known_documents import KnownDocuments
from .labels import KnownLabels
from .retrying import Contact, RetryPolicy, with_retries
from .version import __version__

T = TypeVar("T")

_LONGEST_CONNECT_SECONDS = 10.0
_BLOCK_BYTES = 1 << 20
_KEY = re.compile(r"[\x21-\x7e]+")
_SCHEMES = ("http://", "https://")


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the service is and how to speak to it."""

    base_url: str
    api_key: str | None = field(repr=False)
    timeout_seconds: float
    retries: RetryPolicy
    contact: Contact = field(default_factory=Contact, repr=False, compare=False)

    @classmethod
    def checked(
        cls, base_url: str, api_key: str | None, timeout_seconds: float, retries: RetryPolicy | None
    ) -> "Connection":
        """Return the connection that either client is given.

        Raises
        ------
        Invalid
            If the address or the key cannot be right; the message shows neither a key nor a password.
        """
        return cls(_service_url(base_url), _key_to_send(api_key), timeout_seconds, retries or RetryPolicy())

    def httpx_options(self) -> dict[str, Any]:
        """Return what httpx's clients take."""
        headers = {"User-Agent": f"leafspace-client/{__version__}", "Accept": "application/json"}
        if self.api_key is not None:
            headers["Authorization"] = f"Bearer {self.api_key}"
        connect = min(self.timeout_seconds, _LONGEST_CONNECT_SECONDS)
        timeout = httpx.Timeout(self.timeout_seconds, connect=connect)
        return {"base_url": self.base_url, "headers": headers, "timeout": timeout}

    def __reduce__(self) -> tuple[Any, ...]:
        # A pickle never holds a key: the program that loads it has its own in the environment, or none.
        return Connection.checked, (self.base_url, None, self.timeout_seconds, self.retries)

    def draw(self, program: Program[T]) -> Program[T]:
        """Return the program with retries; with pauses drawn for this program."""
        return with_retries(program, self.retries, self.contact, random.Random())  # noqa: S311  # no secret depends on a pause

    def no_answer(self, error: httpx.HTTPError) -> NoAnswer:
        """Return what is known when no answer came."""
        if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
            reason = f"{self.base_url} took longer than {self.timeout_seconds:g} s; pass a longer `timeout`"
            return NoAnswer(reason, may_try_again=False)
        reason = f"no answer from {self.base_url} ({error or type(error).__name__}); is the service running there?"
        return NoAnswer(
            reason,
            may_try_again=not isinstance(error, httpx.UnsupportedProtocol),
            is_unreached=isinstance(error, httpx.ConnectError | httpx.ConnectTimeout),
        )


def _key_to_send(api_key: str | None) -> str | None:
    # The key given, or that in the environment, or none. Checked here, because the HTTP library would show it.
    key = (os.environ.get("LEAFSPACE_API_KEY", "") if api_key is None else api_key).strip()
    if key and not _KEY.fullmatch(key):
        detail = "the API key holds blanks or characters that no key has; is it copied whole, and nothing else?"
        raise Invalid("invalid_api_key", detail)
    return key or None


def _service_url(base_url: str) -> str:
    url = base_url.strip()
    if not url.lower().startswith(_SCHEMES):
        # Not shown where it may hold a password.
        shown = "base_url" if "@" in url else f"base_url {url!r}"
        raise Invalid("invalid_base_url", f"{shown} has no scheme; write http:// or https:// before it")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        raise Invalid("invalid_base_url", "base_url is not a valid URL, such as http://127.0.0.1:8000") from None
    if parsed.userinfo:
        detail = "base_url holds a user name or password, which errors and logs would show; pass a key as api_key"
        raise Invalid("invalid_base_url", detail)
    if not parsed.host or parsed.query or parsed.fragment:
        detail = "base_url must be a host, perhaps with a port and a path, such as http://127.0.0.1:8000"
        raise Invalid("invalid_base_url", detail)
    # Paths of the contract begin with /v1: callers who know that often write it here as well.
    return url.rstrip("/").removesuffix("/v1")


class SyncTransport:
    """Carries out programs at once."""

    is_blocking: ClassVar[bool] = True

    def __init__(self, connection: Connection, labels: KnownLabels | None = None) -> None:
        self.connection = connection
        self.labels = labels or KnownLabels()
        self.known_documents = KnownDocuments()
        self._client = httpx.Client(**connection.httpx_options())

    def __reduce__(self) -> tuple[Any, ...]:
        return SyncTransport, (self.connection, self.labels)

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

    def _outcome(self, step: Step) -> Any:  # of each kind of step its own
        if isinstance(step, Work):
            return step.compute()
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return self._download(step, step.into)
            return self._client.send(_request(self._client, step))
        except httpx.TransportError as error:
            return self.connection.no_answer(error)

    def _download(self, call: Call, target: Path) -> httpx.Response:
        with self._client.stream(call.method, call.url, headers=call.headers, **call.body) as response:
            if not response.is_success:
                response.read()
                return response
            with _written(target) as file:
                for block in response.iter_bytes(_BLOCK_BYTES):
                    file.write(block)
        return response


class AsyncTransport:
    """Carries out programs when awaited."""

    is_blocking: ClassVar[bool] = False

    def __init__(self, connection: Connection, labels: KnownLabels | None = None) -> None:
        self.connection = connection
        self.labels = labels or KnownLabels()
        self.known_documents = KnownDocuments()
        self._client = httpx.AsyncClient(**connection.httpx_options())

    def __reduce__(self) -> tuple[Any, ...]:
        return AsyncTransport, (self.connection, self.labels)

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

    async def _outcome(self, step: Step) -> Any:  # of each kind of step its own
        if isinstance(step, Work):
            return await asyncio.to_thread(step.compute)
        if isinstance(step, Pause):
            await asyncio.sleep(step.seconds)
            return None
        try:
            if step.into is not None:
                return await self._download(step, step.into)
            return await self._client.send(_request(self._client, step))
        except httpx.TransportError as error:
            return self.connection.no_answer(error)

    async def _download(self, call: Call, target: Path) -> httpx.Response:
        async with self._client.stream(call.method, call.url, headers=call.headers, **call.body) as response:
            if not response.is_success:
                await response.aread()
                return response
            with _written(target) as file:  # as it comes: a block takes no time
                async for block in response.aiter_bytes(_BLOCK_BYTES):
                    file.write(block)
        return response


def _request(client: httpx.Client | httpx.AsyncClient, call: Call) -> httpx.Request:
    """Return a call as httpx sends it."""
    try:
        return client.build_request(call.method, call.url, headers=call.headers, **call.body)
    except (TypeError, ValueError) as error:
        raise not_sendable(error) from error


@contextmanager
def _written(target: Path) -> Iterator[BinaryIO]:
    """Yield a file that becomes the target when it is complete; of one that does not, nothing is left."""
    with writing(target):
        partial = target.parent / f"{target.name}.part"
        file = partial.open("wb")
        try:
            with file:
                yield file
            partial.replace(target)
        except BaseException:
            partial.unlink(missing_ok=True)
            raise
