"""A real HTTP server that gives the answers of a script, one after the other, and keeps the requests."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What to answer; status 0 closes the connection without a word."""

    status: int
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Received:
    """A request as it came."""

    method: str
    path: str
    headers: Message  # found by name in any case
    body: bytes


class ScriptedServer:
    """The server; the last answer of the script is repeated."""

    def __init__(self, answers: list[Answer]) -> None:
        self.answers = answers
        self.requests: list[Received] = []
        self.url = ""

    def next_answer(self, request: Received) -> Answer:
        self.requests.append(request)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def scripted(*answers: Answer, port: int = 0) -> Iterator[ScriptedServer]:
    script = ScriptedServer(list(answers))
    server = ThreadingHTTPServer(("127.0.0.1", port), _handler_of(script))
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler_of(script: ScriptedServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            answer = script.next_answer(Received(self.command, self.path, self.headers, body))
            self.close_connection = True
            if answer.status:
                self._write(answer)

        do_GET = do_POST = do_DELETE = answer  # noqa: N815  # the names that http.server looks for

        def _write(self, answer: Answer) -> None:
            content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
            self.send_response(answer.status)
            for name, value in {"Content-Type": "application/json", **answer.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
