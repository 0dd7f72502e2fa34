"""InferenceErrors: problems in the form that clients of KServe's protocols read, ``{"error": "…"}``.

Whatever refuses a request, a limit, a key or the route itself, states a problem. On the paths of these protocols its
``detail`` becomes the error; the status stays.
"""

from collections.abc import Awaitable

import orjson

from ..asgi import PROBLEM_TYPE, Application, Message, Receive, Scope, Send

_OF_VERSION_2, _VERBS_OF_VERSION_1 = "/v2", (":explain", ":predict")
_TYPE, _LENGTH = b"content-type", b"content-length"


class InferenceErrors:
    """State the problems of the application behind as errors, on the paths of KServe's protocols."""

    def __init__(self, app: Application) -> None:
        self._app = app

    def __call__(self, scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
        """Answer one request."""
        if scope["type"] == "http":
            path = scope["path"]
            is_version_2 = path == _OF_VERSION_2 or path.startswith(f"{_OF_VERSION_2}/")
            if is_version_2 or path.endswith(_VERBS_OF_VERSION_1):
                send = _ErrorAnswer(send).send
        return self._app(scope, receive, send)


class _ErrorAnswer:
    """One answer, whose head is held back until the problem that it announces is there."""

    __slots__ = ("_head", "_send")

    def __init__(self, send: Send) -> None:
        self._send = send
        self._head: Message | None = None

    async def send(self, message: Message) -> None:
        """Forward a message; a problem, which is whole in its first block, is stated as an error."""
        if message["type"] == "http.response.start" and (_TYPE, PROBLEM_TYPE) in message.get("headers", ()):
            self._head = message
            return
        if self._head is not None:
            if not message["body"]:  # the answer to HEAD
                await self._send(self._head)
                self._head = None
                await self._send(message)
                return
            body = orjson.dumps({"error": orjson.loads(message["body"])["detail"]})
            others = [(name, value) for name, value in self._head["headers"] if name not in {_TYPE, _LENGTH}]
            headers = [*others, (_TYPE, b"application/json"), (_LENGTH, str(len(body)).encode())]
            await self._send({**self._head, "headers": headers})
            self._head = None
            message = {**message, "body": body}
        await self._send(message)
