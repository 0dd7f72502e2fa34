"""The shared bad inputs: what is expected of each, and how it is sent to where it is meant for."""

import json
from dataclasses import dataclass

import pytest

from .api import Api, Json
from .nouns import CREATED, UPLOADED
from .raw_http import exchange
from .shared import shared_path

ALSO_FINE = {"125_http_multipart_filename_traversal.http": 422, "127_http_bearer_crlf_and_unicode.http": 401}

Answer = tuple[int, Json]


def expected_answers() -> dict[str, Json]:
    """Return by file what is expected of it; nothing where the files are not there."""
    try:
        found: dict[str, Json] = json.loads(shared_path("badinputs/expected.json").read_text(encoding="utf-8"))
    except pytest.skip.Exception:
        return {}
    return found


def is_expected(name: str, answer: Answer, expected: Json) -> bool:
    """Return whether an answer is what is expected of the file."""
    status, body = answer
    if status not in {expected["status"], ALSO_FINE.get(name)}:
        return False
    return status < 400 or body["code"] == expected["code"] or (expected["code"] is None and body["status"] == status)


@dataclass(frozen=True)
class BadInputSender:
    """Sends files to one service."""

    api: Api
    port: int
    model: str
    explainer: str

    def send(self, name: str, data: bytes, endpoint: str) -> list[Answer]:
        """Send a file to where it is meant for; return the answers."""
        if endpoint == "raw bytes to the socket":
            raw = exchange(self.port, data)
            return [(raw.status, json.loads(raw.body))]
        if endpoint in {"POST /v1/models", "POST /v1/datasets"}:
            return [self.upload(endpoint.removeprefix("POST "), name, data)]
        return [self._post(path, data) for path in self._paths(endpoint)]

    def upload(self, path: str, name: str, data: bytes) -> Answer:
        """Upload a file."""
        answer = self.api.http.post(path, files={"file": (name, data)})
        return answer.status_code, answer.json()

    def _post(self, path: str, data: bytes) -> Answer:
        answer = self.api.http.post(path, content=data, headers={"Content-Type": "application/json"})
        return answer.status_code, answer.json()

    def _paths(self, endpoint: str) -> list[str]:
        paths = [f"/v1/explainers/{self.explainer}/explanations"]
        if endpoint == "POST /v1/... (JSON body)":
            paths += [noun.path for noun in CREATED if noun.path not in UPLOADED]
            paths += [f"/v1/models/{self.model}/{product}" for product in ("predictions", "proximities")]
        return paths
