"""Compression: JSON answers and the page as gzip, for callers that accept it (RFC 9110, section 12.5.3).

Only ``application/json``, and the page's files and views, are compressed: tables and archives are compressed already,
and JSON lines of any length are read faster than they would be compressed. Level 1 is chosen for speed: an explanation
of 14 kB takes about a tenth of a millisecond and becomes seven times smaller. Why this does not leak secrets (BREACH):
decision 10.
"""

import asyncio
import zlib
from collections.abc import Callable

from ..asgi import Application, Message, Receive, Scope, Send

_SMALL_BYTES = 1400  # fits one network packet in any case
_LARGE_BYTES = 64 * 1024  # compressing more would hold up the event loop for a millisecond
_LEVEL, _GZIP_WINDOW = 1, 31
_JSON = b"application/json"
_PAGE = ("/ui/", "/page/parts/")  # its files and views are texts, all of them
_SECRETS = "/v1/api-keys"  # the only answers with secrets beside a text of the caller's
GZIP_SUFFIX = "-gzip"
"""Ends the entity tag of a compressed answer, which is another representation than the plain one."""


class Compression:
    """Compress JSON and the page for callers whose ``Accept-Encoding`` names gzip."""

    def __init__(self, app: Application) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and _accepts_gzip(scope) and not scope["path"].startswith(_SECRETS):
            send = _CompressedAnswer(send, is_text=scope["path"].startswith(_PAGE)).send
        await self._app(scope, receive, send)


def _accepts_gzip(scope: Scope) -> bool:
    accepted: dict[bytes, bool] = {}
    for name, value in scope["headers"]:
        if name == b"accept-encoding":
            for entry in value.lower().split(b","):
                coding, _, parameters = entry.partition(b";")
                weight, _, quality = parameters.strip().partition(b"=")  # q=0 and q=0.000 refuse the coding
                is_refused = weight.strip() == b"q" and quality.strip() in {b"0", b"0.", b"0.0", b"0.00", b"0.000"}
                accepted[coding.strip()] = not is_refused
    return accepted.get(b"gzip", accepted.get(b"*", False))


class _CompressedAnswer:
    """One answer, whose head is held back until its first block shows whether it is worth compressing."""

    __slots__ = ("_compress", "_head", "_is_text", "_send")

    def __init__(self, send: Send, *, is_text: bool = False) -> None:
        self._send = send
        self._is_text = is_text  # whatever its type says
        self._head: Message | None = None  # not sent yet
        self._compress: Callable[[bytes, bool], bytes] | None = None  # none: the answer is passed on as it is

    async def send(self, message: Message) -> None:
        """Forward a message, compressed if the answer is JSON or of the page, and not small."""
        if message["type"] == "http.response.start":
            headers = dict(message.get("headers", ()))
            is_json = headers.get(b"content-type", b"").partition(b";")[0].strip() == _JSON
            if (is_json or self._is_text) and b"content-encoding" not in headers:
                self._head = message
                return
        if self._head is not None:
            await self._send_head(self._head, message)
        if self._compress is None:
            await self._send(message)
        else:
            await self._send_compressed(self._compress, message)

    async def _send_head(self, head: Message, first: Message) -> None:
        self._head = None
        if len(first.get("body", b"")) >= _SMALL_BYTES or not _ends(first):
            # The compressed answer's length is not known yet, and its entity tag is another.
            headers = [(name, value) for name, value in head["headers"] if name != b"content-length"]
            suffix = GZIP_SUFFIX.encode() + b'"'
            tagged = ((name, value[:-1] + suffix if name == b"etag" else value) for name, value in headers)
            head = {**head, "headers": [*tagged, (b"content-encoding", b"gzip")]}
            self._compress = _compressor()
        await self._send(head)

    async def _send_compressed(self, compress: Callable[[bytes, bool], bytes], message: Message) -> None:
        body, is_last = message.get("body", b""), _ends(message)
        if len(body) > _LARGE_BYTES:
            compressed = await asyncio.to_thread(compress, body, is_last)
        else:
            compressed = compress(body, is_last)
        if compressed or is_last:
            await self._send({"type": "http.response.body", "body": compressed, "more_body": not is_last})


def _compressor() -> Callable[[bytes, bool], bytes]:
    stream = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)

    def compress(body: bytes, is_last: bool) -> bytes:  # as asyncio.to_thread passes it
        compressed = stream.compress(body)
        return compressed + stream.flush() if is_last else compressed

    return compress


def _ends(message: Message) -> bool:
    return not message.get("more_body", False)
