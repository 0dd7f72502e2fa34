"""Ways to take a service from its other callers, and what each of them achieves: ``python -m benchmarks.siege``.

A forest of 50 deep trees on 2,000 rows of 20 features, 60 prototypes, keys required, one API process. Waits of
`/livez` are counted as long as the process was at work meanwhile (`tests/support/costly_requests`), so that the rest of
the machine does not count; each line names what is to be held. Where the besieger's calls are to be dear ones, their
answers are looked at: a siege whose calls are all refused measures nothing, and falls short.
"""

import math
import shutil
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import numpy as np
import orjson
import pandas as pd
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from tests.support.api import Api
from tests.support.costly_requests.measuring import Meter, processor_seconds
from tests.support.costly_requests.recipes import Request
from tests.support.guarded import Guarded, serving_with_keys
from tests.support.serving import Service, serving

from .machine import describe_machine

_N_TREES, _N_ROWS, _N_FEATURES, _N_PROTOTYPES = 50, 2000, 20, 60
_MIB = 1 << 20
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Besieged:
    """A service that requires keys, and what is on it."""

    guarded: Guarded
    api_process: int
    model: str
    dataset: str
    explainer: str
    prototype_set: str
    feature_set: str
    keys: tuple[str, str]  # of the besieger, and of another caller

    def meter(self, key: str) -> Meter:
        """Return what measures requests with a key."""
        return Meter(self.guarded.url, self.api_process, {"Authorization": f"Bearer {key}"})

    def n_bytes_resident(self) -> int:
        """Return the memory of the API process."""
        pages = int(Path(f"/proc/{self.api_process}/statm").read_text(encoding="ascii").split()[1])
        return pages * 4096

    def send_and_leave(self, path: str, body: bytes, seconds: float) -> int | None:
        """Send a request, and close the connection after some seconds; return the answer's status, if there is one."""
        with _sent(self, path, body) as connection:
            time.sleep(seconds)
            return _status(connection)


def _sent(besieged: Besieged, path: str, body: bytes) -> socket.socket:
    host, port = httpx.URL(besieged.guarded.url).host, httpx.URL(besieged.guarded.url).port
    head = (
        f"POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {besieged.keys[0]}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect((host, port))
    connection.sendall(head.encode() + body)
    return connection


def _status(connection: socket.socket) -> int | None:
    """Return the status of an answer that has begun; 0 where the connection was closed without one."""
    connection.settimeout(0)
    try:
        head = connection.recv(len("HTTP/1.1 200"))
    except BlockingIOError:
        return None
    return int(head[-3:] or 0)


def _besieged(measured: float, most: float, what: str, statuses: Sequence[int | None]) -> tuple[float, float, str]:
    """Return a measurement with what became of the besieger's calls; it is none where all of them were refused."""
    refused = Counter(status for status in statuses if status is not None and status != httpx.codes.OK)
    n_refused, n_unanswered = refused.total(), statuses.count(None)
    reasons = ", ".join(f"{n_calls} with {status}" for status, n_calls in sorted(refused.items()))
    calls = (
        f"{len(statuses) - n_refused} of {len(statuses)} calls accepted, {n_unanswered} of them without an answer yet, "
        f"{n_refused} refused" + (f" ({reasons})" if reasons else "")
    )
    return measured if n_refused < len(statuses) else math.nan, most, f"{what} [{calls}]"


def central_views_answer(besieged: Besieged) -> tuple[float, float, str]:
    """Open the page's central views with a key."""
    paths = [f"explainers/{besieged.explainer}/rows/0", f"regions/{besieged.explainer}?x=f0&y=f1&row=0", "overview"]
    answers = [besieged.guarded.call("GET", f"/page/parts/{path}", besieged.keys[1], timeout=120) for path in paths]
    return sum(answer.status_code != httpx.codes.OK for answer in answers), 0, "central views that do not answer"


def tensors_wait(besieged: Besieged) -> tuple[float, float, str]:
    """Send 7,000 tensors that are no features."""
    tensors = [
        {"name": f"t{number}", "shape": [1000], "datatype": "UINT8", "parameters": {"binary_data_size": 1000}}
        for number in range(7000)
    ]
    head = orjson.dumps({"inputs": tensors})
    headers = {"Content-Type": "application/octet-stream", "Inference-Header-Content-Length": str(len(head))}
    meter = besieged.meter(besieged.keys[0])
    costs = meter.measure(Request("POST", "/v2/models/scores/infer", headers, head + bytes(7_000_000)))
    return costs.wait_seconds * 1000, 50, "ms that /livez waits for 7,000 KServe tensors"


def names_wait(besieged: Besieged) -> tuple[float, float, str]:
    """Send the dearest objects that are read at all."""
    names = b",".join(b'"k%d":1' % number for number in range(290_000))
    repeated = b'{"instances":[{' + names + b',"k0":2}]}'
    rows = b",".join(b"{" + b",".join(b'"f%d_%d":1' % (row, name) for name in range(290)) + b"}" for row in range(1000))
    meter = besieged.meter(besieged.keys[0])
    path = f"/v1/explainers/{besieged.explainer}/explanations"
    bodies = (repeated, b'{"instances":[' + rows + b"]}", b"[" + b",".join([b"[" * 60 + b"]" * 60] * 1600) + b"]")
    waits = [meter.measure(Request("POST", path, _JSON, body)).wait_seconds for body in bodies]
    return max(waits) * 1000, 50, "ms that /livez waits for JSON of 290,000 names or 96,000 lists"


def nested_rows_end(besieged: Besieged) -> tuple[float, float, str]:
    """Send 100 examples of 270 rows with a feature over them, and leave."""
    example = {"cust": [{"id": 1}], "ev": [{"cust_id": 1, "x": number} for number in range(270)]}
    body = orjson.dumps({"instances": [example] * 100})
    began = processor_seconds(besieged.api_process)
    path = f"/v1/feature-sets/{besieged.feature_set}/rows"
    statuses = [besieged.send_and_leave(path, body, 0.7) for _ in range(4)]
    _until_idle(besieged.api_process)
    seconds = processor_seconds(besieged.api_process) - began
    return _besieged(seconds, 4, "s of a processor for 4 callers of nested rows that left", statuses)


def another_waits(besieged: Besieged) -> tuple[float, float, str]:
    """Have four callers request dear explanations and leave; another caller requests one row."""
    wanted = {"detail": "full", "n_prototypes": 100, "nearest_rows": {"n_rows": 100}}
    row_ids = [str(row) for row in range(30)]  # four calls of more would take more than one caller may take at once
    body = orjson.dumps({"dataset": besieged.dataset, "row_ids": row_ids, **wanted})
    path = f"/v1/explainers/{besieged.explainer}/explanations"
    with ThreadPoolExecutor(5) as threads:
        dear = [threads.submit(besieged.send_and_leave, path, body, 3) for _ in range(4)]
        time.sleep(0.5)
        worked, began = processor_seconds(besieged.api_process), time.perf_counter()
        one = {"dataset": besieged.dataset, "row_ids": ["0"]}
        answer = besieged.guarded.call("POST", path, besieged.keys[1], json=one, timeout=120)
        seconds = min(time.perf_counter() - began, processor_seconds(besieged.api_process) - worked)
    _until_idle(besieged.api_process)
    assert answer.status_code == httpx.codes.OK, answer.text
    statuses = [call.result() for call in dear]
    return _besieged(seconds, 1, "s until another caller's row is explained beside four dear calls", statuses)


def slow_readers_hold(besieged: Besieged) -> tuple[float, float, str]:
    """Request twelve large answers, and read none of them."""
    row_ids = [str(row) for row in range(1000)]
    wanted = {"n_prototypes": 15, "include": ["values"], "n_reasons": 0}
    body = orjson.dumps({"dataset": besieged.dataset, "row_ids": row_ids, **wanted})
    before = besieged.n_bytes_resident()
    sockets = [_sent(besieged, f"/v1/explainers/{besieged.explainer}/explanations", body) for _ in range(12)]
    time.sleep(1)
    _until_idle(besieged.api_process)
    n_bytes = besieged.n_bytes_resident() - before
    statuses = [_status(connection) for connection in sockets]
    for connection in sockets:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
    return _besieged(n_bytes / _MIB, 150, "MiB that twelve callers hold who read nothing", statuses)


def drawings_wait(besieged: Besieged) -> tuple[float, float, str]:
    """Export eight drawings at once with one key; another opens the overview."""
    export = f"/v1/prototype-sets/{besieged.prototype_set}/export?format=html"
    with ThreadPoolExecutor(8) as threads:
        drawings = [
            threads.submit(besieged.guarded.call, "GET", export, besieged.keys[0], timeout=120) for _ in range(8)
        ]
        time.sleep(0.2)
        worked, began = processor_seconds(besieged.api_process), time.perf_counter()
        answer = besieged.guarded.call("GET", "/page/parts/overview", besieged.keys[1], timeout=120)
        seconds = min(time.perf_counter() - began, processor_seconds(besieged.api_process) - worked)
    assert answer.status_code == httpx.codes.OK, answer.text
    statuses = [drawing.result().status_code for drawing in drawings]
    return _besieged(seconds, 2, "s until another caller's overview beside eight drawings", statuses)


def objects_stay(besieged: Besieged) -> tuple[float, float, str]:
    """Start a service on the objects with an empty database in the place of theirs."""
    objects = besieged.guarded.data_dir / "objects"
    with TemporaryDirectory() as directory:
        copy = Path(directory) / "data"
        left_out = shutil.ignore_patterns("redis", "leafspace.db*", "*.lock")
        shutil.copytree(besieged.guarded.data_dir, copy, ignore=left_out)
        n_files = sum(file.is_file() for file in objects.rglob("*"))
        try:
            with serving(copy, LEAFSPACE_RETENTION_SECONDS="1"):
                time.sleep(5)
        except AssertionError:  # it does not start
            assert "leafspace adopt" in copy.with_name("data.log").read_text(encoding="utf-8")
        n_left = sum(file.is_file() for file in (copy / "objects").rglob("*"))
    return n_files - n_left, 0, "objects lost beside an empty database"


_CHECKS: tuple[Callable[[Besieged], tuple[float, float, str]], ...] = (
    *(central_views_answer, tensors_wait, names_wait, nested_rows_end, another_waits, slow_readers_hold),
    *(drawings_wait, objects_stay),
)


def first_405_waits(directory: Path) -> tuple[float, float, str]:
    """Send what a path does not take to a service that has just started."""
    with serving(directory / "fresh", "--no-worker") as service:
        meter = Meter(service.url, service.children()["api"])
        targets = (("POST", "/livez"), ("GET", "/openapi.json"), ("OPTIONS", "/v1/models"))
        waits = [meter.measure(Request(*target, {}, b"")).wait_seconds for target in targets]
    return max(waits) * 1000, 50, "ms that /livez waits for the first 405, and the first openapi.json"


def _until_idle(process: int) -> None:
    """Wait until a process has nothing to do."""
    worked = processor_seconds(process)
    while True:
        time.sleep(1)
        now = processor_seconds(process)
        if now - worked < 0.05:
            return
        worked = now


def _register(guarded: Guarded) -> Besieged:
    keys = (guarded.new_key("besieger", "read", "explain", "write"), guarded.new_key("other", "read", "explain"))
    api = guarded.api("read", "write", "explain", "deploy")
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(_N_ROWS, _N_FEATURES)).astype(np.float32)
    labels = (rows[:, 0] + rows[:, 1] * rows[:, 2] + rng.normal(size=_N_ROWS) > 0).astype(int)
    forest = RandomForestClassifier(_N_TREES, random_state=0).fit(rows, labels)
    names = [f"f{number}" for number in range(_N_FEATURES)]
    onnx = to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString()
    frame = pd.DataFrame(rows.astype(float), columns=names).assign(t=labels)
    model = _id(api.upload("/v1/models", onnx, {"feature_names": names, "ensemble": "random_forest"}))
    dataset = _id(api.upload("/v1/datasets", frame.to_csv(index=False).encode(), {"target": "t"}))
    made = api.made("/v1/prototype-sets", {"model": model, "dataset": dataset, "n_prototypes": _N_PROTOTYPES})
    explainer = _id(api.post("/v1/explainers", {"model": model, "prototype_set": made["id"]}))
    named = api.http.put("/v1/explainer-names/scores", json={"explainer": explainer})
    assert named.is_success, named.text
    process = _api_process(guarded)
    return Besieged(guarded, process, model, dataset, explainer, made["id"], _feature_set(api), keys)


def _feature_set(api: Api) -> str:
    """Return a feature set whose feature has three variables over one relationship."""
    tables = {"cust.csv": "id\n1\n2\n", "ev.csv": "cust_id,x\n1,1\n1,2\n2,3\n"}
    keys = {"columns": ["cust_id"], "references": "cust"}
    metadata = {
        "examples": {"table": "cust"},
        "infer_keys": False,
        "tables": [{"name": "cust", "primary_key": ["id"]}, {"name": "ev", "foreign_keys": [keys]}],
    }
    relational = _id(api.upload_tables("/v1/relational-datasets", tables, metadata))
    variables = [{"id": name, "table": "ev", "from": "example", "by": "ev.cust_id"} for name in ("a", "b", "c")]
    feature = {"kind": "count", "variables": variables}
    return _id(api.post("/v1/feature-sets", {"relational_dataset": relational, "features": [feature]}))


def _id(answer: httpx.Response) -> str:
    assert answer.is_success, answer.text
    found: dict[str, Any] = answer.json()
    return str(found["id"])


def main() -> None:
    """Besiege, and print what was held."""
    print(describe_machine())
    n_short = 0
    with TemporaryDirectory() as directory:
        n_short += _show("first_405_waits", *first_405_waits(Path(directory)))
        with serving_with_keys(Path(directory) / "data", LEAFSPACE_MAX_REQUESTS_OF_CALLER="128") as guarded:
            besieged = _register(guarded)
            for check in _CHECKS:
                n_short += _show(check.__name__, *check(besieged))
    print("all is held" if not n_short else f"{n_short} fall short")
    sys.exit(n_short > 0)


def _show(name: str, measured: float, most: float, what: str) -> bool:
    """Print what was found; return whether it is more than may be, or nothing."""
    held = measured <= most  # which nan is not
    print(f"{name:22s} {measured:8.1f} (at most {most:g}) {what}: {'held' if held else 'FALLS SHORT'}", flush=True)
    return not held


def _api_process(guarded: Guarded) -> int:
    return Service(guarded.url, guarded.process, guarded.data_dir, guarded.data_dir).children()["api"]


if __name__ == "__main__":
    main()
