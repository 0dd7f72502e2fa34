"""One service with 1, 2 and 4 API processes: explanations a second, processor time of each, and memory.

A deep forest (300 fully grown trees of 10,000 rows), closed loops of 16 and 64 connections. The client is a process of
the same machine and takes a share of its processors: where these are two threads of one core, a second process gains
what the other thread has left. Memory is the proportional set size, in which a shared page counts as its share.
``python -m benchmarks.api_processes``
"""

import json
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from tests.support.processes import children_of, command_of

from .http_load import post_request, run_load
from .machine import describe_machine
from .serving import served

N_PROCESSES, N_CONNECTIONS = (1, 2, 4), (16, 64)
N_TREES, N_ROWS, N_FEATURES, N_PROTOTYPES, SECONDS, WARM_SECONDS = 300, 10_000, 20, 50, 4.0, 1.5
_TICKS = os.sysconf("SC_CLK_TCK")


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as data_dir:
        with served("--data-dir", data_dir) as url:
            path, body = make_explainer(url)
        for n_processes in N_PROCESSES:
            options = ("--data-dir", data_dir, "--no-worker", "--api-workers", str(n_processes))
            with served(*options) as url:
                _measure(url, data_dir, n_processes, path, body)


def make_explainer(url: str) -> tuple[str, bytes]:
    """Register a deep forest; return the path of its explanations, and the body of a request."""
    values, labels = make_classification(N_ROWS, N_FEATURES, n_informative=10, flip_y=0.1, random_state=0)
    frame = pd.DataFrame(values.astype(np.float32), columns=[f"x{index}" for index in range(N_FEATURES)])
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2).fit(frame, labels)
    with Leafspace(url) as client:
        model = client.register_model(forest, X=frame, name="deep")
        dataset = client.register_dataset(frame.assign(target=labels), target="target")
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=N_PROTOTYPES).wait()
        explainer = client.explainers.create(model, prototypes).id
    row = [float(value) for value in frame.iloc[3]]
    return f"/v1/explainers/{explainer}/explanations", json.dumps({"instances": [row]}).encode()


def _measure(url: str, data_dir: str, n_processes: int, path: str, body: bytes) -> None:
    port = int(url.rsplit(":", 1)[1])
    request = post_request("127.0.0.1", port, path, body)
    apis = _wait_for_apis(data_dir, n_processes)
    for n_connections in N_CONNECTIONS:
        run_load("127.0.0.1", port, request, n_connections=n_connections, seconds=WARM_SECONDS)
        before = [_cpu_seconds(pid) for pid in apis]
        load = run_load("127.0.0.1", port, request, n_connections=n_connections, seconds=SECONDS)
        spent = [_cpu_seconds(pid) - start for pid, start in zip(apis, before, strict=True)]
        per_answer = 1000 * sum(spent) / len(load.latencies)
        print(
            f"{n_processes} process(es), {n_connections:2d} connections: {load.requests_per_second:6.0f} a second, "
            f"p99 {load.quantile_ms(0.99):6.1f} ms, {per_answer:.2f} ms of processor an answer, "
            f"shares {' '.join(f'{seconds / (sum(spent) or 1):.2f}' for seconds in spent)}"
        )
    memory = [_memory(pid) for pid in apis]
    for name in ("Pss", "Rss", "Pss_File"):
        print(f"  {name:8s} MB of each: {' '.join(f'{each[name] / 1024:.0f}' for each in memory)}", end="")
        print(f"; together {sum(each[name] for each in memory) / 1024:.0f}")


def _wait_for_apis(data_dir: str, n_processes: int) -> list[int]:
    while True:
        supervisor = next(pid for pid in children_of(os.getpid()) if data_dir in command_of(pid))
        parents = [pid for pid in children_of(supervisor) if "-m leafspace.apis" in command_of(pid)]
        apis = [pid for parent in parents for pid in children_of(parent)]
        if len(apis) == n_processes:
            time.sleep(2)  # the others become ready
            return apis
        time.sleep(0.1)


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _memory(pid: int) -> dict[str, int]:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
    return {name: int(rest.split()[0]) for name, _, rest in (line.partition(":") for line in lines)}


if __name__ == "__main__":
    main()
