"""Explaining every row of a dataset as a job, against one row a call.

100,000 rows x 300 trees x 50 prototypes, three of them listed a row with five reasons each. The forest is fitted on
breast cancer (569 rows, 30 features); the rows are its rows drawn with replacement and jittered (a tenth of each
column's standard deviation, seeds 0 to 3). The job is timed from when its worker claims it to when its result is
published: rows read, run, explained, written as JSON lines and Parquet, kept by their hashes. Each turn has rows of
its own, so that the model is run on them; the last line is for rows whose leaves and scores an earlier job kept. Calls
go over HTTP to the same service, closed loops of 1 and of 16 connections. The figure to reach is for a caller who
sends one row after the other; 16 connections keep both cores of the machine busy. Job and calls are measured in turns;
ratios are of the medians of the turns.
``python -m benchmarks.explanation_sets [n_rows]``
"""

import json
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from .http_load import post_request, run_load
from .job_memory import JobMemory, job_memory
from .machine import describe_machine
from .serving import served

N_ROWS, N_TREES, N_PROTOTYPES, N_TURNS, SECONDS = 100_000, 300, 50, 3, 5.0
CONNECTIONS = (1, 16)
Json = dict[str, Any]


def main() -> None:
    """Measure and print."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS
    data = load_breast_cancer(as_frame=True)
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=2).fit(data.data.to_numpy(np.float32), data.target)
    print(describe_machine())
    with served() as url, Leafspace(url) as client, tempfile.TemporaryDirectory() as folder:
        model = client.register_model(forest, X=data.data.astype(np.float32), name="explanation sets")
        few = client.register_dataset(data.frame, target="target")
        prototypes = client.prototype_sets.create(model, few, n_prototypes=N_PROTOTYPES).wait()
        explainer = client.explainers.create(model, prototypes).id
        path = Path(folder) / "rows.parquet"
        datasets = []
        for turn in range(N_TURNS + 1):
            _jittered(data.data, n_rows, seed=turn).to_parquet(path, index=False)
            datasets.append(client.register_dataset(path).id)
        service = Service(url)
        with job_memory() as memory:
            found = service.compare(explainer, datasets, [float(value) for value in data.data.iloc[3]])
        _print_times(found, n_rows, memory)
        kept = [service.explain(explainer, dataset)["seconds"] for dataset in datasets[1:]]
        print(f"  with leaves that an earlier job kept: {np.median(kept):.1f} s")


class Service:
    """The service under test."""

    def __init__(self, url: str) -> None:
        self._http = httpx.Client(base_url=url, timeout=60)
        self._port = int(url.rpartition(":")[2])

    def compare(self, explainer: str, datasets: list[str], instance: list[float]) -> list[Json]:
        """Return what was measured in each turn; the first dataset warms up, and so does a second of calls."""
        self.explain(explainer, datasets[0])
        self._calls_per_second(explainer, instance, 1, 1.0)
        return [
            {
                "set": self.explain(explainer, dataset),
                "calls": [self._calls_per_second(explainer, instance, each, SECONDS) for each in CONNECTIONS],
            }
            for dataset in datasets[1:]
        ]

    def explain(self, explainer: str, dataset: str) -> Json:
        """Explain all rows; return the set and the seconds that its job took, and forget it."""
        created = self._http.post("/v1/explanation-sets", json={"explainer": explainer, "dataset": dataset}).json()
        job: Json = {"status": "queued"}
        while job["status"] in {"queued", "running"}:
            job = self._http.get(f"/v1/jobs/{created['job']}", headers={"Prefer": "wait=30"}).json()
        assert job["status"] == "succeeded", job
        began, ended = (datetime.fromisoformat(job[name]) for name in ("started_at", "finished_at"))
        path = f"/v1/explanation-sets/{created['id']}"
        made: Json = self._http.get(path).json()
        assert self._http.delete(path).status_code == httpx.codes.NO_CONTENT
        return {**made["result"], "seconds": (ended - began).total_seconds()}

    def _calls_per_second(self, explainer: str, instance: list[float], n_connections: int, seconds: float) -> float:
        body = json.dumps({"instances": [instance]}).encode()
        request = post_request("127.0.0.1", self._port, f"/v1/explainers/{explainer}/explanations", body)
        load = run_load("127.0.0.1", self._port, request, n_connections=n_connections, seconds=seconds)
        return load.requests_per_second


def _jittered(features: pd.DataFrame, n_rows: int, seed: int) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(features), n_rows)
    spread = (0.1 * features.std()).to_numpy(np.float32)
    noise = spread * rng.standard_normal((n_rows, features.shape[1]), dtype=np.float32)
    return pd.DataFrame(features.to_numpy(np.float32)[rows] + noise, columns=features.columns)


def _print_times(found: list[Json], n_rows: int, memory: JobMemory) -> None:
    seconds = float(np.median([turn["set"]["seconds"] for turn in found]))
    rate = n_rows / seconds
    sizes = found[0]["set"]["n_bytes"]
    print(f"\n{n_rows:,} rows x {N_TREES} trees x {N_PROTOTYPES} prototypes, median of {N_TURNS} turns")
    print(f"  explanation set  {seconds:6.1f} s  {rate:8.0f} rows/s   job's peak memory {memory.peak / 2**20:.0f} MiB")
    labels = {"JSON lines": "json_lines", "as kept": "json_lines_compressed", "Parquet": "parquet"}
    print("  " + ", ".join(f"{name} {sizes[size] / 1e6:,.0f} MB" for name, size in labels.items()))
    for index, n_connections in enumerate(CONNECTIONS):
        calls = float(np.median([turn["calls"][index] for turn in found]))
        ratio = float(np.median([n_rows / turn["set"]["seconds"] / turn["calls"][index] for turn in found]))
        to_reach = " (to reach: 3)" if n_connections == 1 else ""
        line = f"{calls:6.0f} rows/s   the set is {ratio:.1f} x as fast{to_reach}"
        print(f"  one row a call, {n_connections:2d} connection(s) {line}")


if __name__ == "__main__":
    main()
