"""Explaining one row against bare routes that run the same ONNX model on one row.

One is written with FastAPI, as the service is, the other with Starlette and orjson alone, as fast as it gets. 300 trees
x 50 prototypes, breast cancer (30 features), each on one uvicorn worker, closed loops of 1 and of 16 connections. They
are measured in turns, so that a noisy machine troubles all of them; ratios are of the medians of the turns. Answers
have effects, as they have by default. With 16 connections the service computes calls that wait together; with one, each
alone, which takes its processor half as long again. ``docs/architecture.md`` says what limits a call.
``python -m benchmarks.hot_path``
"""

import json
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
from leafspace_client import Leafspace
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from .bare_route import APPS
from .http_load import Load, post_request, run_load
from .machine import describe_machine
from .serving import served

N_TREES, N_PROTOTYPES, N_TURNS, SECONDS = 300, 50, 5, 3.0
TO_REACH = {("fastapi", 1): 0.8, ("fastapi", 16): 0.7, ("starlette", 1): 0.4, ("starlette", 16): 0.4}
MOST_P99 = 1.3  # times that of the route that is written with FastAPI


def main() -> None:
    """Measure and print."""
    data = load_breast_cancer(as_frame=True)
    rows = data.data.to_numpy(np.float32)
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2).fit(rows, data.target)
    model = to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString()
    instance = [float(value) for value in rows[3]]
    body = json.dumps({"instances": [instance]}).encode()
    with ExitStack() as stack:
        url = stack.enter_context(served())
        explainer = _explainer(url, forest, data)
        port = int(url.rsplit(":", 1)[1])
        path = f"/v1/explainers/{explainer}/explanations"
        explain = ("explanation", port, post_request("127.0.0.1", port, path, body))
        bare_ports = {kind: stack.enter_context(_bare_route(kind, model)) for kind in APPS}
        bare = [(kind, own, post_request("127.0.0.1", own, "/predictions", body)) for kind, own in bare_ports.items()]
        print(describe_machine())
        for n_connections in (1, 16):
            _compare([*bare, explain], n_connections)


def _explainer(url: str, forest: RandomForestClassifier, data: object) -> str:
    with Leafspace(url) as client:
        model = client.register_model(forest, X=data.data.astype(np.float32), name="hot path")  # type: ignore[attr-defined]
        dataset = client.register_dataset(data.frame, target="target")  # type: ignore[attr-defined]
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=N_PROTOTYPES).wait()
        return client.explainers.create(model, prototypes).id


@contextmanager
def _bare_route(kind: str, model: bytes) -> Iterator[int]:
    with tempfile.TemporaryDirectory() as folder, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        path = Path(folder) / "model.onnx"
        path.write_bytes(model)
        process = subprocess.Popen([sys.executable, "-m", "benchmarks.bare_route", kind, str(path), str(port)])
        try:
            _wait_for(port)
            yield port
        finally:
            process.terminate()
            process.wait()


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


def _compare(routes: list[tuple[str, int, bytes]], n_connections: int) -> None:
    """Compare the last route with each of the others."""
    loads: dict[str, list[Load]] = {name: [] for name, _, _ in routes}
    for turn in range(N_TURNS + 1):
        for name, port, request in routes:
            load = run_load("127.0.0.1", port, request, n_connections=n_connections, seconds=SECONDS)
            if turn:  # the first one warms up
                loads[name].append(load)
    print(f"\n{n_connections} connection(s), median of {N_TURNS} turns of {SECONDS:g} s")
    figures = {name: _figures(turns) for name, turns in loads.items()}
    for name, (rate, median, slow) in figures.items():
        print(f"  {name:12s} {rate:8.0f} requests/s   p50 {median:6.2f} ms   p99 {slow:6.2f} ms")
    *bare, (_, (rate, _, slow)) = figures.items()
    for name, (bare_rate, _, bare_slow) in bare:
        to_reach = TO_REACH[name, n_connections]
        print(f"  beside {name:10s} ratio of rates {rate / bare_rate:.2f} (to reach: {to_reach:g})", end="   ")
        print(f"ratio of p99 {slow / bare_slow:.2f}" + (f" (to stay under: {MOST_P99})" if name == "fastapi" else ""))


def _figures(turns: list[Load]) -> tuple[float, float, float]:
    per_turn = [(turn.requests_per_second, turn.quantile_ms(0.5), turn.quantile_ms(0.99)) for turn in turns]
    rate, median, slow = np.median(per_turn, axis=0)
    return float(rate), float(median), float(slow)


if __name__ == "__main__":
    main()
