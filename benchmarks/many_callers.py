"""Many callers at once: three explainers, one who uploads and one job, all the time; who waits how long, and memory.

200 connections in closed loops, of three keys: 120, 60 and 20, each with an explainer of its own (a forest of 300 trees
on breast cancer, gradient boosting on the same, a forest of regression on diabetes). A fourth key uploads 20,000 rows
of 30 features and deletes them again and again, a fifth has prototypes chosen for as long. No answer may take more than
2 s. Fair is a service that answers keys who all want more than they get equally often, whatever the number of their
connections. Clients that pause between their requests make a load that does not depend on the machine (uploads and jobs
pause as long): with it, memory is looked at for as long as is wanted, and the second half of the time may add at most
5 % to it. ``python -m benchmarks.many_callers [seconds [pause]]``; an hour at some 40 calls a second: ``… 3600 4``:
idle connections are closed after 5 s
"""

import asyncio
import json
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import psutil
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier, RandomForestRegressor

from tests.support.guarded import Guarded, serving_with_keys

from .explained_service import HOST
from .http_load import Load, closed_load, post_request
from .machine import describe_machine

SECONDS, TURN_SECONDS = 60.0, 30.0
MOST_SECONDS, MOST_GROWTH = 2.0, 1.05
_N_CONNECTIONS = (120, 60, 20)
_MIB = 1 << 20


class Caller(NamedTuple):
    """A key with its connections, and what it sends."""

    name: str
    n_connections: int
    request: bytes


def main() -> None:
    """Measure and print."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    pause_seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.0
    print(describe_machine())
    print(f"{sum(_N_CONNECTIONS)} connections, each pauses {pause_seconds:g} s after an answer")
    with TemporaryDirectory() as directory, serving_with_keys(Path(directory) / "data") as guarded:
        callers = _callers(guarded)
        n_done = {"uploads": 0, "jobs": 0}
        end = threading.Event()
        scopes = ("read", "write", "explain")
        busy = [
            threading.Thread(
                target=work, args=(guarded.url, guarded.new_key(work.__name__, *scopes), n_done, end, pause_seconds)
            )
            for work in (_upload, _choose)
        ]
        for thread in busy:
            thread.start()
        try:
            _measure(guarded, callers, seconds, pause_seconds, n_done)
        finally:
            end.set()
            for thread in busy:
                thread.join()


def _measure(
    guarded: Guarded, callers: list[Caller], seconds: float, pause_seconds: float, n_done: dict[str, int]
) -> None:
    port = int(guarded.url.rpartition(":")[2])
    turns, memory = list[list[Load]](), list[dict[str, float]]()
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        turns.append(asyncio.run(_turn(port, callers, min(TURN_SECONDS, seconds), pause_seconds)))
        memory.append(_mebibytes(guarded))
        print(f"  {time.perf_counter() - began:6.0f} s   " + _memory_line(memory[-1]), file=sys.stderr, flush=True)
    for number, caller in enumerate(callers):
        _show_caller(caller, [turn[number] for turn in turns])
    print(f"meanwhile {n_done['uploads']} uploads of 20,000 rows, and {n_done['jobs']} jobs")
    slowest = max(load.latencies.max() for turn in turns for load in turn)
    print(f"slowest answer: {slowest:.2f} s (to stay under: {MOST_SECONDS:g})")
    rates = [sum(len(turn[number].latencies) for turn in turns) for number in range(len(callers))]
    print(f"the key with most answers has {max(rates) / min(rates):.2f} times as many as the one with fewest")
    _show_memory(memory)


async def _turn(port: int, callers: list[Caller], seconds: float, pause_seconds: float) -> list[Load]:
    loads = (
        closed_load(
            HOST, port, caller.request, caller.n_connections, seconds, may_refuse=True, pause_seconds=pause_seconds
        )
        for caller in callers
    )
    return list(await asyncio.gather(*loads))


def _show_caller(caller: Caller, loads: list[Load]) -> None:
    latencies = np.concatenate([load.latencies for load in loads]) * 1000
    p50, p99 = np.quantile(latencies, (0.5, 0.99))
    rate = len(latencies) / sum(load.seconds for load in loads)
    n_refused, n_unanswered = sum(len(load.refusals) for load in loads), sum(load.n_unanswered for load in loads)
    print(
        f"{caller.name:32s} {caller.n_connections:4d} connections {rate:7.1f} answers/s   p50 {p50:7.1f}   "
        f"p99 {p99:7.1f}   slowest {latencies.max():7.1f} ms   "
        f"refused {n_refused}   not answered {n_unanswered}",
        flush=True,
    )


def _show_memory(memory: list[dict[str, float]]) -> None:
    """Print what each process holds at the end of the first turn, of the first half, and of all."""
    middle = memory[(len(memory) - 1) // 2]
    for name, last in memory[-1].items():
        growth = last / middle[name]
        print(
            f"memory of {name:8s} {memory[0][name]:7.0f} MiB, {middle[name]:7.0f} half way, {last:7.0f} at the end: "
            f"{growth:.3f} times that of half way (to stay under: {MOST_GROWTH:g})"
        )


def _memory_line(mebibytes: dict[str, float]) -> str:
    return "   ".join(f"{name} {amount:.0f} MiB" for name, amount in mebibytes.items())


def _mebibytes(guarded: Guarded) -> dict[str, float]:
    """Return what the API's processes, Redis and the workers' parent hold: jobs' own processes end with them."""
    names = {"-m leafspace.apis": "API", "-m workers": "workers", "redis-server": "Redis", "valkey-server": "Redis"}
    amounts: dict[str, float] = {}
    for child in psutil.Process(guarded.process.pid).children():
        command = " ".join(child.cmdline())
        for part, name in names.items():
            if part in command:
                processes = [child, *(child.children() if name == "API" else [])]
                amounts[name] = sum(process.memory_info().rss for process in processes) / _MIB
    return amounts


def _upload(url: str, key: str, n_done: dict[str, int], end: threading.Event, pause_seconds: float) -> None:
    """Register rows and delete them until the end."""
    with Leafspace(url, api_key=key) as client:
        frame = _many_rows()
        while not end.is_set():
            client.datasets.delete(client.register_dataset(frame, target="target"))
            n_done["uploads"] += 1
            end.wait(pause_seconds)
            frame["mean area"] += 1  # equal rows would be the same dataset


def _choose(url: str, key: str, n_done: dict[str, int], end: threading.Event, pause_seconds: float) -> None:
    """Have prototypes of many rows chosen until the end."""
    with Leafspace(url, api_key=key) as client:
        frame = _many_rows()
        forest = RandomForestClassifier(100, max_depth=8, random_state=1).fit(
            frame.iloc[:2000, :-1], frame.target[:2000]
        )
        model = client.register_model(forest, X=frame.iloc[:100, :-1])
        dataset = client.register_dataset(frame, target="target")
        while not end.is_set():
            chosen = client.prototype_sets.create(model, dataset, n_prototypes=20, seed=n_done["jobs"]).wait()
            client.prototype_sets.delete(chosen)
            n_done["jobs"] += 1
            end.wait(pause_seconds)


def _many_rows() -> pd.DataFrame:
    data, rng = load_breast_cancer(as_frame=True), np.random.default_rng(0)
    frame: pd.DataFrame = data.frame.iloc[rng.integers(0, len(data.frame), 20_000)].reset_index(drop=True)
    frame[data.data.columns] += rng.normal(0, 1, data.data.shape[1]) * data.data.std().to_numpy() / 10
    return frame


def _callers(guarded: Guarded) -> list[Caller]:
    """Register three models, each with an explainer that a key of its own asks."""
    cancer, diabetes = load_breast_cancer(as_frame=True), load_diabetes(as_frame=True)
    models: list[tuple[str, Callable[[], Any], Any]] = [
        ("forest of 300 trees", lambda: RandomForestClassifier(300, random_state=0), cancer),
        ("boosting, 100 trees", lambda: GradientBoostingClassifier(random_state=0), cancer),
        ("forest of regression, 100 trees", lambda: RandomForestRegressor(max_depth=8, random_state=0), diabetes),
    ]
    callers = list[Caller]()
    url, port = guarded.url, int(guarded.url.rpartition(":")[2])
    with Leafspace(url, api_key=guarded.new_key("maker", "read", "write", "explain")) as client:
        for (name, make, data), n_connections in zip(models, _N_CONNECTIONS, strict=True):
            model = client.register_model(make().fit(data.data, data.target), X=data.data)
            dataset = client.register_dataset(data.frame, target="target")
            prototypes = client.prototype_sets.create(model, dataset, n_prototypes=20).wait()
            explainer = client.explainers.create(model, prototypes)
            body = json.dumps({"instances": data.data.iloc[:1].to_dict("records")}).encode()
            path = f"/v1/explainers/{explainer.id}/explanations"
            request = post_request(HOST, port, path, body, guarded.new_key(name, "read", "explain"))
            callers.append(Caller(name, n_connections, request))
    return callers


if __name__ == "__main__":
    main()
