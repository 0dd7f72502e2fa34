"""A thousand rows explained in one call: explanations a second of one core, with effects, as they are by default.

Beside it stands onnxruntime's prediction of the same rows in one call, measured in turns. Models: a forest of 300 trees
and LightGBM with 300 trees on breast cancer (30 features), 50 prototypes. Rows are jittered ones, other ones in each
turn. In the process: from the body of a request to that of its answer, in seconds of a processor. Over HTTP: seconds of
the server's process, and of the clock from the first byte sent to the last one read. ``python -m benchmarks.many_rows``
"""

import asyncio
import gc
import http.client
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import orjson
import pandas as pd
from leafspace_client.conversion.models import convert_model
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationRequest
from service.operations.explained_calls import explain_rows
from service.web.request_class import read_message
from tests.support.processes import descendants_of
from tests.support.workshop import Workshop, workshop_in

from .machine import describe_machine
from .serving import wait_until_ready

N_TREES, N_PROTOTYPES, N_TURNS, N_ROWS = 300, 50, 8, 1000
TO_REACH = 10_000  # explanations a second of a core
_HOST, _NO_REDIS = "127.0.0.1", "redis://127.0.0.1:1/0"


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    data = load_breast_cancer(as_frame=True)
    frame = data.data.astype(np.float32).astype(float)
    bodies = [orjson.dumps({"instances": rows}) for rows in _jittered(frame)]
    with tempfile.TemporaryDirectory() as folder:
        explainers = {}
        with workshop_in(Path(folder)) as workshop:
            for name, estimator in _estimators().items():
                explainers[name] = explainer = explainer_of(workshop, estimator, frame, data.target)
                explaining, predicting = _in_process(workshop, explainer, bodies)
                ratio = _median(explaining) / _median(predicting)
                print(
                    f"{name}: {N_ROWS / _median(explaining):,.0f} explanations a second of a core (to reach: "
                    f"{TO_REACH:,}), {ratio:.1f} times as long as onnxruntime's prediction of the same rows",
                    flush=True,
                )
        with _served(folder) as (port, pid):
            for name, explainer in explainers.items():
                on_processor, on_clock = (_median(seconds) for seconds in _over_http(port, pid, explainer, bodies))
                print(
                    f"{name}, over HTTP: {N_ROWS / on_processor:,.0f} explanations a second of the server's core, "
                    f"{N_ROWS / on_clock:,.0f} a second of the clock",
                    flush=True,
                )


def _estimators() -> dict[str, Any]:
    return {
        "forest of 300 trees": RandomForestClassifier(N_TREES, random_state=0, n_jobs=2),
        "LightGBM, 300 trees": lightgbm.LGBMClassifier(n_estimators=N_TREES, random_state=0, n_jobs=2, verbose=-1),
    }


def _jittered(frame: pd.DataFrame) -> Iterator[list[list[float]]]:
    rng, scale = np.random.default_rng(0), frame.std().to_numpy() / 10
    for _ in range(N_TURNS):
        rows = frame.to_numpy()[rng.integers(0, len(frame), N_ROWS)]
        yield (rows + rng.normal(0, 1, rows.shape) * scale).astype(np.float32).astype(float).tolist()


def explainer_of(workshop: Workshop, estimator: Any, frame: pd.DataFrame, target: pd.Series) -> str:
    """Return the id of an explainer of a fitted model, with prototypes of these rows."""
    converted = convert_model(estimator.fit(frame, target), frame)
    model = workshop.register_model(converted.onnx, **converted.metadata())
    made = workshop.make(model=model, dataset=workshop.register_dataset(frame), n_prototypes=N_PROTOTYPES)
    return workshop.register_explainer(model=model, prototype_set=made.id)


def _in_process(workshop: Workshop, explainer: str, bodies: Sequence[bytes]) -> tuple[list[float], list[float]]:
    """Return the processor's seconds of each turn, of explanations and of predictions."""
    context = workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    explaining, predicting = [], []
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)  # as in the service
    for body in bodies:
        feeds = warm.session.encode_matrix(np.array(orjson.loads(body)["instances"]))
        explaining.append(_seconds(partial(_explain, warm, body)))
        predicting.append(_seconds(partial(warm.session.outputs, warm.session.prediction_names, feeds)))
    return explaining, predicting


def _explain(warm: WarmExplainer, body: bytes) -> None:
    async def answer() -> None:  # nothing, as asyncio would write down what is returned
        explain_rows(warm, await read_message(ExplanationRequest, body))

    asyncio.run(answer())


def _median(seconds: Sequence[float]) -> float:
    return float(np.median(seconds[1:]))  # the first turn warms up


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def _over_http(port: int, pid: int, explainer: str, bodies: Sequence[bytes]) -> tuple[list[float], list[float]]:
    """Return seconds of each turn: of the server's processor, and of the clock."""
    connection = http.client.HTTPConnection(_HOST, port)
    on_processor, on_clock = [], []
    for body in bodies:
        began, start = _processor_seconds(pid), time.perf_counter()
        connection.request(
            "POST", f"/v1/explainers/{explainer}/explanations", body, {"Content-Type": "application/json"}
        )
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(content.decode())
        on_clock.append(time.perf_counter() - start)
        on_processor.append(_processor_seconds(pid) - began)
    return on_processor, on_clock


@contextmanager
def _served(folder: str) -> Iterator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "LEAFSPACE_DATA_DIR": folder, "LEAFSPACE_REDIS_URL": _NO_REDIS}
    command = [sys.executable, "-m", "leafspace.apis", "--port", str(port)]
    with Path(folder, "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        wait_until_ready(f"http://{_HOST}:{port}")
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def _processor_seconds(pid: int) -> float:
    """Return what a process and those that it has started have taken."""
    ticks = 0
    for each in (pid, *descendants_of(pid)):
        fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
