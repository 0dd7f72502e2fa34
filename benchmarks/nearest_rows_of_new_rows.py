"""Explanations that list the nearest of all reference rows against explanations by prototypes alone, over HTTP.

The rows are those of higgs_11k drawn with replacement and jittered (a tenth of each column's standard deviation, seed
0), 28 features; the models are fitted on the 10,984 real ones. Deep: a scikit-learn forest of 300 fully grown trees.
Boosting: 300 trees of 31 leaves by LightGBM. 50 prototypes by ``sm_a`` among 200 candidates, with ``min_leaf_rows`` 1
and "auto". One uvicorn worker and one connection in a closed loop; each request has another row, which is in no
dataset. Requests with and without ``nearest_rows`` (five rows) go in turns, so that a noisy machine troubles both; the
ratio is that of the medians of all latencies.
``python -m benchmarks.nearest_rows_of_new_rows [n_rows [n_trees]]``
"""

import http.client
import json
import os
import sys
import time
from collections.abc import Sequence
from typing import Any, Literal

import lightgbm
import numpy as np
import pandas as pd
from leafspace_client import Leafspace
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path

from .machine import describe_machine
from .serving import served

N_ROWS, N_TREES, N_LEAVES, N_PROTOTYPES, N_CANDIDATES = 100_000, 300, 31, 50, 200
N_NEW_ROWS, N_TURNS, REQUESTS_A_TURN, TO_STAY_UNDER = 500, 6, 100, 3
MEMORY_GIB = 8
_OK = 200

Rows = tuple[pd.DataFrame, np.ndarray[Any, Any]]  # features, and the target


def main() -> None:
    """Measure and print."""
    given = [int(text) for text in sys.argv[1:]]
    n_rows, n_trees = (*given, *(N_ROWS, N_TREES)[len(given) :])
    os.environ["LEAFSPACE_JOB_MEMORY_BYTES"] = str(MEMORY_GIB << 30)
    real = _real()
    rows, target = _jittered(real, n_rows + N_NEW_ROWS)
    known, new = rows[:n_rows], rows[n_rows:].to_numpy().tolist()
    frame = known.assign(label=target[:n_rows])
    print(describe_machine(), flush=True)
    print(f"{n_rows:,} reference rows x {n_trees} trees, one connection, {N_TURNS} turns of {REQUESTS_A_TURN} requests")
    with served() as url, Leafspace(url) as client:
        dataset = client.register_dataset(frame, target="label")
        models = {
            name: client.register_model(estimator.fit(*real), X=real[0], name=name)
            for name, estimator in _estimators(n_trees).items()
        }
        for name, model in models.items():
            _compare(url, client, (name, model, dataset), 1, new)
        for name, model in models.items():
            _compare(url, client, (name, model, dataset), "auto", new)


def _real() -> Rows:
    frame = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    return frame.drop(columns="label").astype(np.float32), frame["label"].to_numpy()


def _jittered(real: Rows, n_rows: int) -> Rows:
    (features, target), rng = real, np.random.default_rng(0)
    drawn = rng.integers(0, len(features), n_rows)
    noise = 0.1 * features.std().to_numpy() * rng.normal(size=(n_rows, features.shape[1]))
    rows = pd.DataFrame((features.to_numpy()[drawn] + noise).astype(np.float32), columns=features.columns)
    return rows, target[drawn]


def _estimators(n_trees: int) -> dict[str, Any]:
    return {
        "deep forest": RandomForestClassifier(n_trees, random_state=0, n_jobs=2),
        "boosting": lightgbm.LGBMClassifier(
            n_estimators=n_trees, num_leaves=N_LEAVES, random_state=0, n_jobs=2, verbose=-1
        ),
    }


def _compare(
    url: str,
    client: Leafspace,
    made_from: tuple[str, Any, Any],
    min_leaf_rows: int | Literal["auto"],
    new: Sequence[list[float]],
) -> None:
    name, model, dataset = made_from
    start = time.perf_counter()
    prototypes = client.prototype_sets.create(
        model, dataset, n_prototypes=N_PROTOTYPES, n_candidates=N_CANDIDATES, min_leaf_rows=min_leaf_rows
    ).wait(timeout=3600)
    seconds = time.perf_counter() - start
    explainer = client.explainers.create(model, prototypes)
    with_rows: dict[str, Any] = {"include": ["nearest_rows"]}
    latencies: dict[bool, list[float]] = {False: [], True: []}
    connection = http.client.HTTPConnection("127.0.0.1", int(url.rpartition(":")[2]))
    proximities = []
    for turn in range(N_TURNS + 1):
        for searches in (False, True):
            for number in range(REQUESTS_A_TURN):
                body = {"instances": [new[(turn * REQUESTS_A_TURN + number) % len(new)]]}
                took, found = _post(connection, explainer.id, body | (with_rows if searches else {}))
                if turn:  # the first one warms up
                    latencies[searches].append(took)
                if searches:
                    proximities.append(found["data"][0]["nearest_rows"][0]["proximity"])
    _print(f"{name}, min_leaf_rows {min_leaf_rows}", latencies)
    kept = _get(connection, f"/v1/explainers/{explainer.id}")["nearest_rows"]
    used = _get(connection, f"/v1/prototype-sets/{prototypes.id}")["result"]["min_leaf_rows"]
    print(
        f"    min_leaf_rows used: {used}; nearest row's median proximity {np.median(proximities):.2f}; "
        f"file {kept['mapped_bytes'] / 1e6:,.0f} MB mapped, {kept['held_bytes'] / 1e6:.1f} MB held at most; "
        f"prototype set made in {seconds:.0f} s",
        flush=True,
    )


def _print(title: str, latencies: dict[bool, list[float]]) -> None:
    alone, both = (np.quantile(latencies[searches], [0.5, 0.99]) * 1000 for searches in (False, True))
    print(f"\n  {title}")
    print(f"    by prototypes      p50 {alone[0]:6.2f} ms   p99 {alone[1]:6.2f} ms")
    print(f"    with nearest rows  p50 {both[0]:6.2f} ms   p99 {both[1]:6.2f} ms")
    print(f"    ratio of medians {both[0] / alone[0]:.2f} (to stay under: {TO_STAY_UNDER})")


def _post(connection: http.client.HTTPConnection, explainer: str, body: dict[str, Any]) -> tuple[float, Any]:
    text, head = json.dumps(body), {"Content-Type": "application/json"}
    start = time.perf_counter()
    connection.request("POST", f"/v1/explainers/{explainer}/explanations", text, head)
    answer = connection.getresponse()
    content = answer.read()
    took = time.perf_counter() - start
    if answer.status != _OK:
        raise RuntimeError(content.decode())
    return took, json.loads(content)


def _get(connection: http.client.HTTPConnection, path: str) -> Any:  # JSON
    connection.request("GET", path)
    return json.loads(connection.getresponse().read())


if __name__ == "__main__":
    main()
