"""Jobs over several tables that would need too much memory are refused before they run."""

from typing import Any

import pytest

from schemas.relational_datasets import RelationalDataset
from schemas.relational_forests import RelationalForestRequest
from service.operations.job_estimates import JobEstimate, refuse_beyond
from service.operations.relational_estimates import estimate_relational_job
from storage.errors import StorageError

_GIB = 1 << 30


def _tables(n_examples: int = 100_000, n_rows: int = 4_000_000, n_columns: int = 6, mean_rows: float = 2) -> Any:
    columns = [{"name": f"c{number}", "type": "number", "role": "feature"} for number in range(n_columns)]
    facts = {"n_missing": 0, "n_categories": None, "categories": None, "min": 0.0, "max": 1.0}
    tables = [
        {"name": name, "sha256": "", "size_bytes": 1, "n_rows": n, "primary_key": ["c0"], "time": None}
        | {"columns": [column | facts for column in columns]}
        for name, n in (("customer", n_examples), ("transaction", n_rows))
    ]
    key = {"name": "transaction.c1", "from": "transaction", "to": "customer", "columns": ["c1"], "n_dangling": 0}
    examples = {"table": "customer", "target": "c5", "cutoff": None, "n": n_examples, "n_labelled": n_examples}
    return RelationalDataset.model_validate(
        {"id": "rds_1", "name": None, "size_bytes": 1, "n_tables": 2, "n_rows": n_examples + n_rows}
        | {"n_columns": 2 * n_columns, "n_examples": n_examples, "target": "c5", "created_at": "2026-01-01T00:00:00Z"}
        | {"tables": tables, "unused": [], "warnings": [], "examples": examples | {"classes": ["0", "1"]}}
        | {"relationships": [key | {"n_without": 0, "mean_rows": mean_rows, "max_rows": 99, "inferred": False}]}
    )


def _estimate(tables: RelationalDataset, **request: object) -> JobEstimate:
    whole = RelationalForestRequest.model_validate({"relational_dataset": "rds_1", **request}).model_dump(mode="json")
    return estimate_relational_job("relational_forests", tables, 0, whole)


@pytest.mark.parametrize(
    ("more", "request_of_more"),
    [
        (_tables(n_examples=1_000_000), {}),
        (_tables(n_rows=40_000_000), {}),
        (_tables(n_columns=60), {}),
        (_tables(mean_rows=100), {}),
        (_tables(), {"n_trees": 300}),
        (_tables(), {"method": "bagging"}),
    ],
)
def test_more_of_anything_is_never_estimated_to_need_less(more: RelationalDataset, request_of_more: Any) -> None:
    of_more, of_some = _estimate(more, **request_of_more), _estimate(_tables())

    assert of_more.n_bytes >= of_some.n_bytes
    assert of_more.seconds >= of_some.seconds
    assert (of_more.n_bytes, of_more.seconds) != (of_some.n_bytes, of_some.seconds)


def test_four_million_rows_fit_and_fifty_million_wide_ones_are_refused_with_what_to_send_less_of() -> None:
    refuse_beyond(4 * _GIB, _estimate(_tables()))

    with pytest.raises(StorageError) as refused:
        refuse_beyond(4 * _GIB, _estimate(_tables(n_rows=49_000_000, n_columns=40)))

    assert (refused.value.code, refused.value.pointer) == ("resource_estimate_exceeds_limit", "/relational_dataset")
    assert "send fewer rows or columns" in refused.value.detail
