"""Predictions of a few rows are made at once, and others beside the event loop, where callers take turns."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from skl2onnx import to_onnx
from sklearn.ensemble import RandomForestClassifier

from schemas.models import PredictionRequest
from service.operations import models
from tests.support.oracle_models import fitted_oracle
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.onnx_models.session import ModelSession, RowOutcomes

_NETWORK = fitted_oracle("network")
_ROWS = _NETWORK.features


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    directory: Path = tmp_path_factory.mktemp("predictions")
    with workshop_in(directory) as workshop:
        yield workshop


@pytest.fixture(scope="module")
def model_ids(workshop: Workshop) -> dict[str, str]:
    """Return the ids of a forest, and of a network that is registered for its predictions alone."""
    forest = RandomForestClassifier(5, random_state=0).fit(_ROWS, _NETWORK.target)
    onnx = to_onnx(forest, _ROWS[:1], options={"zipmap": False}).SerializeToString()
    predictions = _NETWORK.estimator.predict_proba(_ROWS[:20]).tolist()
    parity = {"rows": _ROWS[:20].tolist(), "predictions": predictions}
    network = workshop.register_model(_NETWORK.onnx, oracle_only=True, parity=parity)
    return {"forest": workshop.register_model(onnx, ensemble="random_forest"), "network": network}


@pytest.mark.parametrize(
    ("kind", "n_rows", "thread"),
    [
        ("forest", 1, "MainThread"),
        ("forest", 4, "MainThread"),
        ("forest", 5, "quick-batches_0"),
        ("network", 1, "quick-batches_0"),  # how long its operators take is hardly known
    ],
)
def test_a_few_rows_of_a_model_with_trees_are_predicted_at_once(
    workshop: Workshop,
    model_ids: dict[str, str],
    kind: str,
    n_rows: int,
    thread: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[str] = []
    run_rows = ModelSession.run_rows

    def watched(session: ModelSession, rows: Any) -> RowOutcomes:  # passed on as they are
        threads.append(threading.current_thread().name)
        return run_rows(session, rows)

    monkeypatch.setattr(ModelSession, "run_rows", watched)
    request = PredictionRequest(instances=np.asarray(_ROWS[:n_rows], float).tolist())

    answer = asyncio.run(models.predict(workshop.context, model_ids[kind], request))

    assert threads == [thread]
    assert answer.count(b'"status":"ok"') == n_rows
