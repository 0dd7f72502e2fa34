"""JSON answers come as gzip to those who accept it, and everything else as it is."""

import asyncio
import gzip
import json
import zlib
from typing import Any

import pytest

from service.middleware.asgi import Application, Message, Receive, Scope, Send
from service.middleware.protocol.compression import Compression
from service.middleware.protocol.plain_paths import HeadAsGet

_LONG = json.dumps({"data": [{"feature": f"number {number % 7}", "value": number} for number in range(300)]}).encode()


def _answering(*blocks: bytes, content_type: str = "application/json", **headers: str) -> Application:
    async def answer(_scope: Scope, _receive: Receive, send: Send) -> None:
        named = {"content-type": content_type, **{name.replace("_", "-"): value for name, value in headers.items()}}
        if len(blocks) == 1:
            named["content-length"] = str(len(blocks[0]))
        encoded = [(name.encode(), value.encode()) for name, value in named.items()]
        await send({"type": "http.response.start", "status": 200, "headers": encoded})
        for number, block in enumerate(blocks, 1):
            await send({"type": "http.response.body", "body": block, "more_body": number < len(blocks)})

    return answer


def _answer_to(
    app: Application, accept: str | None = "gzip", path: str = "/v1/models", method: str = "GET"
) -> tuple[dict[str, str], bytes, list[Message]]:
    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    async def receive() -> Message:
        await asyncio.Event().wait()
        raise AssertionError

    headers = [] if accept is None else [(b"accept-encoding", accept.encode())]
    scope: dict[str, Any] = {"type": "http", "path": path, "method": method, "headers": headers}
    asyncio.run(app(scope, receive, send))  # type: ignore[arg-type]
    named = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
    return named, b"".join(message.get("body", b"") for message in sent[1:]), sent


@pytest.mark.parametrize("accept", ["gzip", "br, gzip", "GZIP;q=0.5", "*", "deflate, *;q=0.1", "gzip; q=1.0"])
def test_who_accepts_gzip_gets_it(accept: str) -> None:
    headers, body, _ = _answer_to(Compression(_answering(_LONG)), accept)

    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == _LONG
    assert len(body) < len(_LONG) / 4
    assert "content-length" not in headers


@pytest.mark.parametrize("accept", [None, "", "identity", "br", "gzip;q=0", "gzip; q=0.000", "gzip;q=0, *", "*;q=0"])
def test_nobody_else_does(accept: str | None) -> None:
    headers, body, sent = _answer_to(Compression(_answering(_LONG)), accept)

    assert "content-encoding" not in headers
    assert headers["content-length"] == str(len(_LONG))
    assert body == _LONG
    assert len(sent) == 2


@pytest.mark.parametrize(
    "app",
    [
        _answering(b'{"small":1}'),
        _answering(_LONG, content_type="application/problem+json"),
        _answering(_LONG, content_type="application/x-ndjson"),
        _answering(_LONG, content_type="application/zstd"),
        _answering(_LONG, content_type="text/event-stream"),
        _answering(_LONG, content_encoding="br"),
        _answering(_LONG, _LONG, content_type="application/vnd.apache.parquet"),
    ],
)
def test_what_is_small_or_not_plain_json_is_passed_on_as_it_is(app: Application) -> None:
    assert _answer_to(Compression(app))[2] == _answer_to(app)[2]


@pytest.mark.parametrize("path", ["/ui/leafspace.css", "/page/parts/models/mdl_1"])
def test_the_page_s_files_and_views_are_compressed_and_no_other_html_is(path: str) -> None:
    app = _answering(_LONG, content_type="text/html; charset=utf-8")
    headers, body, _ = _answer_to(Compression(app), path=path)
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == _LONG
    assert "content-encoding" not in _answer_to(Compression(app), path="/v1/reports/rpt_1/content")[0]


def test_an_answer_with_a_secret_is_never_compressed() -> None:
    headers, body, _ = _answer_to(Compression(_answering(_LONG)), path="/v1/api-keys")

    assert "content-encoding" not in headers
    assert body == _LONG


@pytest.mark.parametrize("n_bytes", [1, 1000, 100_000])
def test_a_stream_is_compressed_block_by_block(n_bytes: int) -> None:
    blocks = [bytes([65 + number % 26]) * n_bytes for number in range(30)]

    headers, body, sent = _answer_to(Compression(_answering(*blocks, b"")))

    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body) == b"".join(blocks)
    assert [message["more_body"] for message in sent[1:]] == [True] * (len(sent) - 2) + [False]


def test_the_compressed_answer_has_an_entity_tag_of_its_own() -> None:
    tagged = Compression(_answering(_LONG, etag='"abc"'))

    assert _answer_to(tagged)[0]["etag"] == '"abc-gzip"'
    assert _answer_to(tagged, None)[0]["etag"] == '"abc"'


def test_head_says_what_get_would() -> None:
    app = HeadAsGet(Compression(_answering(_LONG)))

    head, body, _ = _answer_to(app, method="HEAD")

    assert body == b""
    assert head == _answer_to(app)[0]


def test_the_same_answer_compresses_to_the_same_bytes() -> None:
    app = Compression(_answering(_LONG))

    assert _answer_to(app)[1] == _answer_to(app)[1]
    assert zlib.decompress(_answer_to(app)[1], 31) == _LONG
