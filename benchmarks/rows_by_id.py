"""One row of a dataset that is named by its id, against the same row sent by its values, over HTTP.

300 trees, 50 prototypes, breast cancer (30 features); the rows are those of 100,000 jittered ones, drawn at random,
whose ids are texts. One connection, in turns of 200 calls. What the first turn has over the others is what is read
into memory. ``python -m benchmarks.rows_by_id``
"""

import http.client
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer

from .explained_service import HOST, ExplainedService, explained_service
from .machine import describe_machine

N_ROWS, N_TURNS, N_CALLS = 100_000, 5, 200
MOST_RATIO = 1.2


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    data, rng = load_breast_cancer(as_frame=True), np.random.default_rng(0)
    frame = data.frame.iloc[rng.integers(0, len(data.frame), N_ROWS)].reset_index(drop=True)
    frame[data.data.columns] += rng.normal(0, 1, (N_ROWS, 30)) * data.data.std().to_numpy() / 10
    values = frame[data.data.columns].to_numpy().tolist()
    frame.insert(0, "id", [f"row-{row}" for row in range(N_ROWS)])
    with explained_service(n_trees=300, n_prototypes=50) as service, Leafspace(service.url) as client:
        dataset = client.register_dataset(frame, target="target", row_id="id").id
        for _ in range(N_TURNS):
            # Other rows each: what is said of a row is kept for some time.
            named, sent = rng.integers(0, N_ROWS, (2, N_CALLS)).tolist()
            by_id = _seconds_each(service, [{"dataset": dataset, "row_ids": [f"row-{row}"]} for row in named])
            by_values = _seconds_each(service, [{"instances": [values[row]]} for row in sent])
            print(
                f"by id {by_id * 1000:.2f} ms, by values {by_values * 1000:.2f} ms: {by_id / by_values:.1f} times as "
                f"long (to stay under: {MOST_RATIO:g})",
                flush=True,
            )


def _seconds_each(service: ExplainedService, requests: Sequence[dict[str, Any]]) -> float:
    connection = http.client.HTTPConnection(HOST, service.port)
    bodies = [json.dumps(request) for request in requests]
    began = time.perf_counter()
    for body in bodies:
        path = f"/v1/explainers/{service.explainer}/explanations"
        connection.request("POST", path, body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        if answer.status != http.client.OK:
            raise RuntimeError(content.decode())
    return (time.perf_counter() - began) / len(bodies)


if __name__ == "__main__":
    main()
