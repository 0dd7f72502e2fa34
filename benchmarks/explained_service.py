"""A service with an explainer in it, for benchmarks of the hot path: a forest on breast cancer (30 features)."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from leafspace_client import Leafspace
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from .http_load import post_request
from .serving import served

HOST = "127.0.0.1"


@dataclass(frozen=True)
class ExplainedService:
    """A running service, and the requests that it can answer."""

    url: str
    port: int
    explainer: str
    model: Any  # as the SDK has it
    rows: list[list[float]]

    def request(self, n_rows: int = 1) -> bytes:
        """Return the bytes of a request for the explanations of a number of rows."""
        rows = [self.rows[number % len(self.rows)] for number in range(n_rows)]
        path = f"/v1/explainers/{self.explainer}/explanations"
        return post_request(HOST, self.port, path, json.dumps({"instances": rows}).encode())


@contextmanager
def explained_service(n_trees: int, n_prototypes: int, *arguments: str) -> Iterator[ExplainedService]:
    """Serve, register, choose prototypes and explain a first row; stop it all at the end."""
    data = load_breast_cancer(as_frame=True)
    forest = RandomForestClassifier(n_trees, random_state=0, n_jobs=2)
    forest.fit(data.data.to_numpy(np.float32), data.target)
    with served(*arguments) as url, Leafspace(url) as client:
        model = client.register_model(forest, X=data.data.astype(np.float32), name="benchmark")
        dataset = client.register_dataset(data.frame, target="target")
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=n_prototypes).wait()
        explainer = client.explainers.create(model, prototypes).id
        rows = data.data.to_numpy(np.float32).tolist()
        yield ExplainedService(url, int(url.rpartition(":")[2]), explainer, model, rows)
