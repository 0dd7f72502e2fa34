"""What effects add to explanations, which have them by default: time, bytes of answers, and memory of an explainer.

Each figure is beside the same without effects, measured in turns, in seconds of a processor, so that a busy machine
troubles both alike. Models: a forest of 300 trees on breast cancer (30 features), LightGBM with 200 trees on the same,
and a pipeline with encoders on adult (14 features, 300 trees). 50 prototypes. In the process: one row and 1,000 rows,
from values as callers send them to JSON. Over HTTP: one row, in closed loops of 1 and of 16 connections, the seconds of
the server's process for each answer. Memory: the resident set of a process that warms up the explainer.
``python -m benchmarks.effects_in_answers``
"""

import gc
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
import orjson
import pandas as pd
from leafspace_client.conversion.models import convert_model
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from explanations import effects, included_parts
from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.explanations import ExplanationRequest
from service.api_process import serve_until_stopped
from service.app_context import build_context
from service.operations.explained_calls import explain_rows
from service.settings import ServiceSettings
from storage.environment import settings_of_process
from tests.support.shared import shared_path
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession

from .http_load import post_request, run_load
from .machine import describe_machine

N_TREES, N_PROTOTYPES, N_TURNS, N_ROWS, N_CALLS, N_WARM, SECONDS = 300, 50, 7, 1000, 300, 10, 3.0
TO_STAY_UNDER, MEMORY_TO_STAY_UNDER = 1.3, 1.2
_PARTS = {"without": frozenset[str](), "with": included_parts._DEFAULT}  # noqa: SLF001
_NO_REDIS = "redis://127.0.0.1:1/0"
Rows = list[list[Any]]


def main() -> None:
    """Measure and print; with arguments, do one part of it in a process of its own."""
    if sys.argv[1:2] == ["serve"]:
        _serve(*sys.argv[2:])
    elif sys.argv[1:2] == ["warm"]:
        _warm(*sys.argv[2:])
    else:
        print(describe_machine())
        with tempfile.TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
            for name, (estimator, frame, target) in _cases().items():
                print(f"\n{name}", flush=True)
                explainer = _explainer(workshop, estimator, frame, target)
                rows = [[_plain(cell) for cell in row] for row in frame.head(N_ROWS).to_numpy(object).tolist()]
                rows = (rows * (N_ROWS // len(rows) + 1))[:N_ROWS]
                _compare_in_process(workshop, explainer, rows)
                _compare_over_http(folder, explainer, rows[3])
                _compare_memory(folder, explainer)


def _cases() -> dict[str, tuple[Any, pd.DataFrame, pd.Series]]:
    cancer = load_breast_cancer(as_frame=True)
    numbers, target = cancer.data.astype(np.float32).astype(float), cancer.target
    adult = pd.read_parquet(shared_path("data/adult.parquet")).dropna().head(5000)
    people, income = adult.drop(columns=["income", "source_split"]), adult["income"]
    texts = [str(name) for name in people if not pd.api.types.is_numeric_dtype(people[name])]
    people[texts] = people[texts].astype(object)
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore"), texts), remainder="passthrough")
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2)
    shallow = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2, min_samples_leaf=10)
    booster = lightgbm.LGBMClassifier(n_estimators=200, random_state=0, n_jobs=2, verbose=-1)
    return {
        "forest of 300 trees, 30 features": (forest, numbers, target),
        "LightGBM, 200 trees, 30 features": (booster, numbers, target),
        "forest of 300 trees behind encoders, 14 features": (make_pipeline(encoder, shallow), people, income),
    }


def _plain(cell: Any) -> Any:  # a value of a table
    return None if pd.isna(cell) else cell


def _explainer(workshop: Workshop, estimator: Any, frame: pd.DataFrame, target: pd.Series) -> str:
    converted = convert_model(estimator.fit(frame, target), frame)
    model = workshop.register_model(converted.onnx, **converted.metadata())
    dataset = workshop.register_dataset(frame)
    made = workshop.make(model=model, dataset=dataset, n_prototypes=N_PROTOTYPES)
    return workshop.register_explainer(model=model, prototype_set=made.id)


def _compare_in_process(workshop: Workshop, explainer: str, rows: Rows) -> None:
    context = workshop.context
    warm = warm_up(explainer, context.database, context.objects, context.sessions.get)
    requests = [ExplanationRequest.model_validate({"instances": [row]}) for row in rows[:N_CALLS]]
    many = ExplanationRequest.model_validate({"instances": rows})
    _print("one row", *_medians({name: (lambda: _explain(warm, requests)) for name in _PARTS}, N_CALLS))
    _print(f"{N_ROWS:,} rows", *_medians({name: (lambda: _explain(warm, [many])) for name in _PARTS}, 1))
    sizes = []
    for name in _PARTS:
        with _parts(name):
            sizes.append(len(explain_rows(warm, requests[3])))
    print(f"  bytes of an answer: {sizes[0]} without, {sizes[1]} with effects")


def _explain(warm: WarmExplainer, requests: list[ExplanationRequest]) -> None:
    for request in requests:
        explain_rows(warm, request)


def _medians(work: dict[str, Any], n_calls: int) -> tuple[float, float]:
    seconds: dict[str, list[float]] = {name: [] for name in work}
    for turn in range(N_TURNS + 1):
        for name, call in work.items():
            with _parts(name):
                start = time.process_time()
                call()
                if turn:  # the first one warms up
                    seconds[name].append((time.process_time() - start) / n_calls)
    return float(np.median(seconds["without"])), float(np.median(seconds["with"]))


@contextmanager
def _parts(name: str) -> Iterator[None]:
    included_parts._DEFAULT = _PARTS[name]  # noqa: SLF001  # as without the part
    try:
        yield
    finally:
        included_parts._DEFAULT = _PARTS["with"]  # noqa: SLF001


def _compare_over_http(folder: str, explainer: str, row: list[Any]) -> None:
    body = orjson.dumps({"instances": [row]})
    with _served("without", folder) as without, _served("with", folder) as with_effects:
        servers = {"without": without, "with": with_effects}
        for n_connections in (1, 16):
            seconds: dict[str, list[float]] = {name: [] for name in servers}
            for turn in range(N_TURNS // 2 + 1):
                for name, (port, pid) in servers.items():
                    request = post_request("127.0.0.1", port, f"/v1/explainers/{explainer}/explanations", body)
                    start = _processor_seconds(pid)
                    load = run_load("127.0.0.1", port, request, n_connections=n_connections, seconds=SECONDS)
                    if turn:
                        seconds[name].append((_processor_seconds(pid) - start) / len(load.latencies))
            medians = (float(np.median(seconds[name])) for name in _PARTS)
            _print(f"one row over HTTP, {n_connections} connection(s)", *medians)


@contextmanager
def _served(name: str, folder: str) -> Iterator[tuple[int, int]]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = {**os.environ, "LEAFSPACE_DATA_DIR": folder, "LEAFSPACE_REDIS_URL": _NO_REDIS}
    command = [sys.executable, "-m", "benchmarks.effects_in_answers", "serve", name, str(port)]
    with Path(folder, f"log-{name}").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        _wait_for(port)
        yield port, process.pid
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int) -> None:
    for _ in range(400):
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return


def _serve(name: str, port: str) -> None:
    included_parts._DEFAULT = _PARTS[name]  # noqa: SLF001
    serve_until_stopped(settings_of_process(ServiceSettings, port=int(port)))


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _compare_memory(folder: str, explainer: str) -> None:
    found = {}
    for name in _PARTS:
        command = [sys.executable, "-m", "benchmarks.effects_in_answers", "warm", name, folder, explainer]
        found[name] = float(subprocess.run(command, check=True, capture_output=True).stdout)
    ratio = found["with"] / found["without"]
    print(
        f"  warm explainer: {found['without']:.1f} MB without, {found['with']:.1f} MB with effects, "
        f"{ratio:.2f} times (to stay under: {MEMORY_TO_STAY_UNDER})",
        flush=True,
    )


def _warm(name: str, folder: str, explainer: str) -> None:
    """Print by how many MB the resident set grows with a warm explainer, its open model included: the mean of some."""
    if name == "without":
        effects.WarmEffects.of = staticmethod(lambda *_given, **_named: None)  # type: ignore[method-assign]
    context = build_context(ServiceSettings(data_dir=Path(folder), redis_url=_NO_REDIS))
    context.loops.load()

    def open_session(model: str) -> ModelSession:
        stored = context.models.get(model)
        return ModelSession(context.objects.get(stored.leaf_graph), ModelDescription.from_json(stored.description))

    warm = [warm_up(explainer, context.database, context.objects, open_session)]
    gc.collect()
    before = _resident_mb()
    warm += [warm_up(explainer, context.database, context.objects, open_session) for _ in range(N_WARM)]
    gc.collect()
    print((_resident_mb() - before) / N_WARM)
    context.close()


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _print(title: str, without: float, with_effects: float) -> None:
    print(
        f"  {title}: {without * 1e6:,.0f} us without, {with_effects * 1e6:,.0f} us with effects, "
        f"{with_effects / without:.2f} times (to stay under: {TO_STAY_UNDER})",
        flush=True,
    )


if __name__ == "__main__":
    main()
