"""What is set in the environment reaches those who hold to it."""

from pathlib import Path

import pytest

from service.settings import ServiceSettings

_NAMES = (
    "MAX_MODEL_BYTES",
    "MAX_MODEL_NODES",
    "MAX_MODEL_TREES",
    "MAX_MODEL_DEPTH",
    "MAX_MODEL_OUTPUTS",
    "MAX_DATASET_BYTES",
    "MAX_DATASET_ROWS",
    "MAX_DATASET_COLUMNS",
    "MAX_DATASET_CELLS",
    "MAX_DATASET_FIELD_BYTES",
    "MAX_JSON_BYTES",
    "MAX_UPLOADS_AT_ONCE",
    "MAX_UPLOADS_UNDER_WAY",
    "MAX_UPLOADS_OF_CALLER",
    "REQUESTS_PER_SECOND",
    "REQUESTS_BURST",
    "EXPLANATIONS_PER_SECOND",
    "EXPLANATIONS_BURST",
    "MAX_REQUESTS_UNDER_WAY",
    "MAX_WAITING_REQUESTS",
    "MAX_CONNECTIONS_PER_ADDRESS",
    "BODY_SECONDS",
    "HEADER_SECONDS",
)


def test_every_limit_reaches_what_holds_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, name in enumerate(_NAMES, start=1):
        monkeypatch.setenv(f"LEAFSPACE_{name}", str(value))

    settings = ServiceSettings(data_dir=Path("/nowhere"), redis_url="redis://127.0.0.1:1/0")

    models, datasets = settings.upload_reader.model_limits, settings.upload_reader.dataset_limits
    bodies, rates, connections = settings.body_limits, settings.request_rates, settings.connection_limits
    held = [
        bodies.of("/v1/models"),
        *(models.max_nodes, models.max_trees, models.max_depth, models.max_outputs),
        bodies.of("/v1/datasets"),
        *(datasets.max_rows, datasets.max_columns, datasets.max_cells, datasets.max_field_bytes),
        bodies.of("/v1/explainers"),
        settings.upload_reader.n_at_once,
        *(rates.n_uploads, rates.n_uploads_of_caller, rates.per_second, rates.burst),
        *(rates.explanations_per_second, rates.explanations_burst, rates.n_under_way),
        *(connections.n_waiting, connections.n_connections_per_address),
        *(bodies.seconds, connections.header_seconds),
    ]
    assert held == list(range(1, len(_NAMES) + 1))
    assert datasets.max_file_bytes == bodies.of("/v1/datasets")
