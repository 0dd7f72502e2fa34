"""A million rows through the whole service: 200 boosted trees of 31 leaves, 50 prototypes, answers meanwhile.

The rows are those of higgs_11k drawn with replacement and jittered (a tenth of each column's standard deviation, seed
0); the model is scikit-learn's histogram boosting, fitted on the 10,984 real rows. The upload, the job and single
explanations go over HTTP to ``leafspace serve`` with one worker, whose jobs may use 6 GiB. Explanations are requested
fifty times a second, whether the one before is answered or not, before and during the job.
``python -m benchmarks.million_rows [n_rows]``
"""

import http.client
import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import psutil
from leafspace_client import Leafspace
from sklearn.ensemble import HistGradientBoostingClassifier

from tests.support.shared import shared_path

from .machine import describe_machine
from .serving import served

N_ROWS, N_TREES, N_LEAVES, N_PROTOTYPES = 1_000_000, 200, 31, 50
MEMORY_GIB, REQUESTS_PER_SECOND, QUIET_SECONDS = 6, 50, 20
GIB = 1 << 30


def main() -> None:
    """Measure and print."""
    n_rows = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS
    real = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    features, target = real.drop(columns="label").astype(np.float32), real["label"]
    boosting = HistGradientBoostingClassifier(
        max_iter=N_TREES, max_leaf_nodes=N_LEAVES, early_stopping=False, random_state=0
    ).fit(features, target)
    os.environ["LEAFSPACE_JOB_MEMORY_BYTES"] = str(MEMORY_GIB * GIB)
    print(describe_machine())
    with served() as url, Leafspace(url) as client, tempfile.TemporaryDirectory() as folder:
        model = client.register_model(boosting, X=features, name="higgs", feature_names=list(features.columns))
        small = client.register_dataset(real, target="label")
        few = client.prototype_sets.create(model, small, n_prototypes=N_PROTOTYPES).wait()
        requests = SteadyRequests(url, client.explainers.create(model, few).id, features.iloc[0].tolist())
        with requests.going_on() as at_rest:
            time.sleep(QUIET_SECONDS)
        dataset = upload(client, jittered(features, target, n_rows), Path(folder))
        with requests.going_on() as during, memory_of_jobs() as memory:
            start = time.perf_counter()
            prototypes = client.prototype_sets.create(model, dataset, n_prototypes=N_PROTOTYPES).wait()
            seconds = time.perf_counter() - start
        _print_result(prototypes.result, n_rows, seconds, memory)
        at_rest.print_line("before the job")
        during.print_line("during the job")
        print(f"  ratio of p99 {during.quantile_ms(0.99) / at_rest.quantile_ms(0.99):.1f}")
        start = time.perf_counter()
        again = client.prototype_sets.create(model, dataset, n_prototypes=N_PROTOTYPES, seed=1).wait()
        print(f"another sample, from the kept leaf table: {time.perf_counter() - start:.0f} s")
        print(f"  certificate {again.result.certificate:.4f}")


@dataclass
class Latencies:
    """How long answers took, counted from the moment at which they should have been requested."""

    seconds: list[float] = field(default_factory=list)
    n_failed: int = 0

    def quantile_ms(self, share: float) -> float:
        """Milliseconds that this share of the answers stayed within."""
        return float(np.quantile(self.seconds, share) * 1000)

    def print_line(self, when: str) -> None:
        """Print one line."""
        p50, p99, slowest = (self.quantile_ms(share) for share in (0.5, 0.99, 1.0))
        line = f"p50 {p50:.2f} ms   p99 {p99:.2f} ms   slowest {slowest:.0f} ms   not answered: {self.n_failed}"
        print(f"explanations {when:15s} {len(self.seconds):6d} answers   {line}")


class SteadyRequests:
    """Requests the explanation of one row at a fixed rate."""

    def __init__(self, url: str, explainer: str, row: list[float]) -> None:
        self._host = url.removeprefix("http://")
        self._path = f"/v1/explainers/{explainer}/explanations"
        self._body = json.dumps({"instances": [row]})

    @contextmanager
    def going_on(self) -> Iterator[Latencies]:
        """Send requests until the block ends."""
        found, over = Latencies(), threading.Event()
        with ThreadPoolExecutor(8) as senders:
            clock = threading.Thread(target=self._tick, args=(senders, found, over))
            clock.start()
            try:
                yield found
            finally:
                over.set()
                clock.join()

    def _tick(self, senders: ThreadPoolExecutor, found: Latencies, over: threading.Event) -> None:
        due = time.perf_counter()
        while not over.wait(max(0.0, due - time.perf_counter())):
            senders.submit(self._send, due, found)
            due += 1 / REQUESTS_PER_SECOND

    def _send(self, due: float, found: Latencies) -> None:
        connection = http.client.HTTPConnection(self._host, timeout=30)
        try:
            connection.request("POST", self._path, self._body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            answer.read()
            if answer.status == http.HTTPStatus.OK:
                found.seconds.append(time.perf_counter() - due)
            else:
                found.n_failed += 1
        except OSError:
            found.n_failed += 1
        finally:
            connection.close()


@dataclass
class Memory:
    """The most that processes held at one time, in bytes."""

    job: int = 0  # the largest process under a worker
    all: int = 0  # the service as a whole: memory that processes share is counted once for each


@contextmanager
def memory_of_jobs() -> Iterator[Memory]:
    """Yield what processes hold at most until the block ends, looked at five times a second."""
    found, over = Memory(), threading.Event()

    def look() -> None:
        while not over.wait(0.2):
            sizes = list(_sizes())
            found.all = max(found.all, sum(size for _, size in sizes))
            found.job = max([found.job, *(size for is_job, size in sizes if is_job)])

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()


def _sizes() -> Iterator[tuple[bool, int]]:
    for process in psutil.Process().children(recursive=True):
        try:
            parent = process.parent()
            is_job = parent is not None and "workers" in parent.cmdline()
            yield is_job, process.memory_info().rss
        except psutil.Error:
            continue


def jittered(features: pd.DataFrame, target: pd.Series, n_rows: int, *, seed: int = 0) -> pd.DataFrame:
    """Return rows drawn with replacement, each number moved a little."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(0, len(features), n_rows)
    spread = (0.1 * features.std()).to_numpy(np.float32)
    values = features.to_numpy()[rows] + spread * rng.standard_normal((n_rows, features.shape[1]), dtype=np.float32)
    return pd.DataFrame(values, columns=features.columns).assign(label=target.to_numpy()[rows])


def upload(client: Leafspace, frame: pd.DataFrame, folder: Path) -> Any:  # a dataset
    """Register rows as a file of Parquet, and print how long it took."""
    path = folder / "rows.parquet"
    frame.to_parquet(path, index=False)
    start = time.perf_counter()
    dataset = client.register_dataset(path, target="label")
    megabytes = path.stat().st_size / 1e6
    print(f"upload of {len(frame):,} rows, {megabytes:.0f} MB of Parquet: {time.perf_counter() - start:.0f} s")
    return dataset


def _print_result(found: Any, n_rows: int, seconds: float, memory: Memory) -> None:  # a prototype set
    print(f"{N_PROTOTYPES} prototypes of {n_rows:,} rows x {N_TREES} trees of {N_LEAVES} leaves")
    print(f"  {seconds:.0f} s from request to result (to reach: 600)")
    print(f"  job's peak memory {memory.job / GIB:.2f} GiB, whole service {memory.all / GIB:.2f} GiB (to reach: 6)")
    print(
        f"  {found.n_candidates} candidates, scope {found.certificate_scope}, objective mean {found.objective_mean:.4f}"
    )
    certificates = f"{found.all_rows_certificate:.4f} (all rows), {found.certificate:.4f} ({found.certificate_scope})"
    print(f"  certificates {certificates}")


if __name__ == "__main__":
    main()
