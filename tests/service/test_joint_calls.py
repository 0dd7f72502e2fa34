"""Calls for explanations that wait at the same time are computed together, and answered as each is alone."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from schemas.api_keys import ApiKeyRequest
from service.main import create_server_app
from service.middleware.admission.current_calls import OTHERS_WAIT
from service.middleware.asgi import Application, Message
from service.operations import explained_calls

from .conftest import Shop

Answer = tuple[int, bytes]


@asynccontextmanager
async def _started(app: Application) -> AsyncIterator[None]:
    """Run the application's start, and at the end its stop."""
    to_app, from_app = asyncio.Queue[Message](), asyncio.Queue[Message]()
    running = asyncio.ensure_future(app({"type": "lifespan"}, to_app.get, from_app.put))
    await to_app.put({"type": "lifespan.startup"})
    assert (await from_app.get())["type"] == "lifespan.startup.complete"
    try:
        yield
    finally:
        await to_app.put({"type": "lifespan.shutdown"})
        await running


async def _answer(app: Application, path: str, body: bytes, key: str, *, others_wait: bool) -> Answer:
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    headers.append((b"authorization", f"Bearer {key}".encode()))
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": body, "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "path": path, "query_string": b"", "headers": headers}
    await app({**scope, "client": ("127.0.0.1", 1), OTHERS_WAIT: others_wait}, receive, send)
    return sent[0]["status"], b"".join(message["body"] for message in sent[1:])


def _without_request_id(answer: Answer) -> Answer:
    body = json.loads(answer[1])
    return answer if "request_id" not in body else (answer[0], json.dumps({**body, "request_id": ""}).encode())


def _bodies(shop: Shop) -> list[dict[str, Any]]:
    rows = [shop.instance(row) for row in range(12)]
    lists = [list(row.values()) for row in rows]
    return [
        *({"instances": [row]} for row in rows),
        *({"instances": [row]} for row in lists),
        {"instances": [{**rows[0], "other": 1, "more": "x"}]},
        {"instances": [rows[1]], "row_ids": ["é"]},
        {"instances": [rows[1]], "row_ids": ["a", "b"]},
        {"instances": [{}]},
        {"instances": [[None] * len(lists[0])]},
        {"instances": [[1e39] * len(lists[0])]},
        {"instances": [["x"] * len(lists[0])]},
        {"instances": [rows[2]], "include": ["rules"]},
        *({"instances": [row], "include": ["contrast", "values"], "n_prototypes": 2} for row in rows[:3]),
        *({"instances": [row], "detail": "full"} for row in rows[:3]),
        {"instances": [rows[3]], "n_prototypes": 0},
        {"instances": [rows[4], {}, rows[5]]},
        *({"dataset": shop.dataset, "row_ids": [row_id]} for row_id in ("3", "7", "no such row")),
    ]


def test_joint_answers_are_those_of_each_call_alone(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = shop.workshop.context.settings.model_copy(update={"require_keys": True})
    keys = [
        shop.workshop.context.api_keys.add(ApiKeyRequest(name=name, scopes=["explain", "read"])).secret for name in "ab"
    ]
    bodies = [json.dumps(body).encode() for body in _bodies(shop)]
    path = f"/v1/explainers/{shop.explainer}/explanations"
    sizes: list[int] = []

    def note_size(calls: Sequence[explained_calls.CallOf]) -> list[bytes | None]:
        computed = joint(calls)
        sizes.append(len(computed) - computed.count(None))
        return computed

    joint = explained_calls.explain_calls
    monkeypatch.setattr(explained_calls, "explain_calls", note_size)

    async def answers() -> tuple[list[Answer], list[Answer]]:
        app = create_server_app(settings)
        async with _started(app):
            alone = [await _answer(app, path, body, keys[0] or "", others_wait=False) for body in bodies]
            calls = [_answer(app, path, body, keys[at % 2] or "", others_wait=True) for at, body in enumerate(bodies)]
            return alone, list(await asyncio.gather(*calls))

    alone, together = asyncio.run(answers())

    assert list(map(_without_request_id, together)) == list(map(_without_request_id, alone))
    assert [status for status, _ in alone].count(200) >= 30
    assert sorted(sizes) == [3, 3, 27]  # of 32 calls at a time; others are refused, or take too long
