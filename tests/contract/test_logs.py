"""Logs: one JSON object for each event, whatever callers send, and nothing of what is theirs to keep."""

import json
import re
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from storage.database import Database
from storage.settings import embedded
from tests.support.api import Api, Json, csv_of, frame_of
from tests.support.guarded import keys_of_new
from tests.support.models import fitted
from tests.support.patience import PATIENCE_SECONDS
from tests.support.raw_http import NO_TLS
from tests.support.serving import serving

_FORGED = '{"event": "forged", "level": "info"}'
_EVIL = (
    f"x\n{_FORGED}\n",
    f"x\r\n{_FORGED}",
    f"x\u2028{_FORGED}\u2029{_FORGED}\x85{_FORGED}",
    f"\x1b[2K\x1b[1A\x1b]0;owned\x07{_FORGED}",
    "\x00\x08\x7f\x9b31m",
    "\u202e\u2066evil\ufeff",
    '"}\n{"event": "forged", "level": "info", "x": "',
)
_FORGERS_BYTES = (
    b'x%0A{"event":%20"forged"}',
    b"\x1b[2K",
    b"%00%1b%5B2K",
    b"%ED%A0%80",
    b"\xff\xfe",
    b"%0d%0a%E2%80%A8",
)


@dataclass
class Marks:
    """Texts and numbers that stand nowhere else: one found in a log shows where it came from."""

    made: list[str] = field(default_factory=list)

    def text(self, what: str) -> str:
        self.made.append(f"zq{what}{len(self.made):03d}zq")
        return self.made[-1]

    def number(self) -> float:
        self.made.append(f"7431.{len(self.made):03d}625")
        return float(self.made[-1])


def _session(url: str, api: Api, key: str, marks: Marks) -> None:
    """Do what a careful caller does, with marks wherever something of theirs can stand."""
    model = fitted("random_forest_binary")
    names = [marks.text("feature") for _ in model.rows.names]
    frame = frame_of(model).head(120)
    frame.columns = [*names, marks.text("target")]
    for column in names[:5]:
        frame.loc[3, column] = marks.number()
    frame["row"] = [marks.text("row") for _ in range(len(frame))]
    metadata = {"feature_names": names, "name": marks.text("model"), "ensemble": "random_forest"}
    registered = _made(lambda: api.upload("/v1/models", model.onnx, metadata))
    described = {"target": frame.columns[-2], "row_id": "row", "name": marks.text("dataset")}
    key_of_request = {"Idempotency-Key": marks.text("idempotency")}
    dataset = _made(lambda: api.upload("/v1/datasets", csv_of(frame), described, **key_of_request))
    both = {"model": registered["id"], "dataset": dataset["id"]}
    made = api.made("/v1/prototype-sets", {**both, "n_prototypes": 3})
    assert made["status"] == "ready", made
    assert api.made("/v1/label-audits", both)["status"] == "ready"
    body = {"model": both["model"], "prototype_set": made["id"], "name": marks.text("explainer")}
    explainer = _made(lambda: api.post("/v1/explainers", body))["id"]
    instance = {name: marks.number() for name in names}
    api.explain(explainer, [instance, {**instance, names[0]: marks.text("category")}], row_ids=["a", marks.text("id")])
    api.post(f"/v1/models/{both['model']}/predictions", {"instances": [instance]})
    api.post("/v1/api-keys", {"name": marks.text("key"), "scopes": ["read"]})
    headers = {"Authorization": f"Bearer {key}", "Cookie": marks.text("cookie")}
    httpx.get(f"{url}/v1/models", headers=headers, timeout=PATIENCE_SECONDS, verify=NO_TLS)


def _made(send: Callable[[], httpx.Response]) -> Json:
    answer = send()
    for _ in range(20):
        if answer.status_code != 503:  # the machine may be too busy
            break
        time.sleep(float(answer.headers["Retry-After"]))
        answer = send()
    assert answer.status_code == 201, answer.text
    found: Json = answer.json()
    return found


def _mistakes(url: str, api: Api, key: str, marks: Marks) -> None:
    """Do what a careless caller does: wrong fields, wrong types, wrong keys, keys where none belong."""
    path = "/v1/explainers/xpl_x/explanations"
    api.post(path, {"instances": [{marks.text("feature"): marks.text("value")}], marks.text("field"): marks.number()})
    api.http.post(
        path,
        content=f'{{"instances": [{marks.number()}, {marks.text("broken")}',
        headers={"Content-Type": "application/json"},
    )
    api.upload("/v1/models", marks.text("bytes").encode(), {"name": marks.text("name")})
    api.upload("/v1/datasets", f"a,b\n{marks.text('cell')},1,2\n".encode(), marks.text("metadata"))
    api.upload("/v1/datasets", f"a,b\n1,2\n{marks.number()},\n".encode(), {"target": marks.text("column")})
    api.get(f"/v1/models?cursor={marks.text('cursor')}&api_key={key}")
    wrong = key[:-12] + marks.text("k")[:12]
    marks.made[-1] = wrong
    for credentials in (f"Bearer {wrong}", f"Basic {marks.text('password')}", f"Bearer {key} {key}", key):
        headers = {"Authorization": credentials}
        assert (
            httpx.get(f"{url}/v1/models", headers=headers, timeout=PATIENCE_SECONDS, verify=NO_TLS).status_code == 401
        )


def _failures(data_dir: Path, api: Api, marks: Marks) -> None:
    """Have things fail on our side, which is logged whole."""
    database = Database(embedded(data_dir).database_url)

    def rename(old: str, new: str) -> None:
        with database.transaction() as connection:
            connection.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))

    rename("datasets", "datasets_away")
    answer = api.upload("/v1/datasets", b"a,b\n1,2\n", {"name": marks.text("dataset")})
    rename("datasets_away", "datasets")
    assert answer.status_code >= 500
    database.close()


def _forgeries(url: str, api: Api, key: str) -> None:
    for evil in _EVIL:
        api.post("/v1/explainers", {"model": evil, "prototype_set": evil, "name": evil, evil: evil})
        api.upload("/v1/datasets", f'id,b\n"{evil.replace(chr(34), "")}",2\n'.encode(), {"row_id": "id", "name": evil})
        api.upload("/v1/models", evil.encode(), json.dumps({"name": evil}))
        api.post("/v1/explainers/x/explanations", {"instances": [{evil: evil}], "row_ids": [evil]})
        api.post("/v1/api-keys", {"name": evil, "scopes": [evil]})
    port = int(url.rpartition(":")[2])
    for spoilt in _FORGERS_BYTES:
        names = (b"X-Request-Id", b"User-Agent", b"Idempotency-Key", b"X-Forwarded-For", b"Referer")
        headers = b"".join(name + b": " + spoilt + b"\r\n" for name in names)
        targets = (
            b"GET /v1/models/" + spoilt,
            b"POST /v1/" + spoilt,
            b"GET /v1/models?x=" + spoilt,
            spoilt + b" /v1/models",
        )
        for credentials in (b"Bearer " + key.encode(), spoilt):
            for target in targets:
                head = target + b" HTTP/1.1\r\nHost: x\r\nAuthorization: " + credentials
                _send(port, head + b"\r\n" + headers + b"\r\n")


def _send(port: int, request: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=120) as connection:
        connection.sendall(request)
        assert re.match(rb"HTTP/1.1 [24]", connection.recv(4096))


@dataclass(frozen=True)
class Logged:
    """What a service logged from its start to its end, and what was sent to it."""

    log: bytes
    marks: Marks
    secrets: list[str]


@pytest.fixture(scope="module")
def logged(tmp_path_factory: pytest.TempPathFactory) -> Logged:
    data_dir = tmp_path_factory.mktemp("logged") / "data"
    (key,) = keys_of_new(data_dir, 1, "read", "write", "explain", "deploy", "admin")
    marks = Marks()
    with serving(data_dir, LEAFSPACE_REQUIRE_KEYS="1", LEAFSPACE_LOG_LEVEL="debug") as service:
        api = Api(service.url)
        api.http.headers["Authorization"] = f"Bearer {key}"
        made = api.post("/v1/api-keys", {"name": "other", "scopes": ["read"]}).json()
        _session(service.url, api, key, marks)
        _mistakes(service.url, api, key, marks)
        _failures(data_dir, api, marks)
        _forgeries(service.url, api, key)
        api.delete(f"/v1/api-keys/{made['id']}")
        api.http.close()
    return Logged(service.log.read_bytes(), marks, [key, made["secret"]])


def test_every_line_is_one_event_that_says_where_it_comes_from(logged: Logged) -> None:
    assert not re.search(rb"[^\n\x20-\x7e]", logged.log)
    lines = [json.loads(line) for line in logged.log.splitlines()]

    assert len(lines) > 100
    for line in lines:
        assert {"time", "level", "event", "logger"} <= set(line), line
        assert line["event"] != "forged"
    assert {"api_key_made", "api_key_revoked", "request_failed", "job_succeeded"} <= {line["event"] for line in lines}


def test_no_key_is_ever_logged(logged: Logged) -> None:
    for key in logged.secrets:
        secret = key.split("_", 2)[2][:20]
        assert secret.encode() not in logged.log
    assert not re.search(rb"lsk_[a-z2-7]{16}_", logged.log)


def test_nothing_that_callers_sent_is_logged(logged: Logged) -> None:
    assert len(logged.marks.made) > 150
    found = [mark for mark in logged.marks.made if mark.encode() in logged.log]

    assert found == []
