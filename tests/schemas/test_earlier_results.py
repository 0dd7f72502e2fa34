"""What an earlier release kept is still read: every field that came later has a default. The SDK reads it, too.

Prototype sets and label audits are made again: their revision differs from that of what was kept.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from leafspace_client._generated import models as of_sdk

from schemas.approximation_trees import ApproximationTreeResult
from schemas.contract import Contract
from schemas.datasets import Column
from schemas.proximities import ProximitiesResult
from schemas.rule_sets import RuleSetResult

# Written by the release before this one for scikit-learn's breast cancer data; of every list the first two items.
_KEPT: dict[str, Any] = json.loads((Path(__file__).parents[1] / "support/results_of_old.json").read_text())
_KINDS: dict[str, type[Contract]] = {
    "proximities": ProximitiesResult,
    "rule_sets": RuleSetResult,
    "approximation_trees": ApproximationTreeResult,
}
_VIEWS: dict[str, Any] = {
    "proximities": of_sdk.Proximities,
    "rule_sets": of_sdk.RuleSet,
    "approximation_trees": of_sdk.ApproximationTree,
    "explanation_sets": of_sdk.ExplanationSet,
}
_STANDING = {"id": "an_id", "status": "ready", "job": "job_1", "reused": False, "created_at": "2026-01-01T00:00:00Z"}


@pytest.mark.parametrize("noun", _KINDS)
def test_an_earlier_result_is_read(noun: str) -> None:
    assert _KINDS[noun].model_validate(_KEPT[noun])


@pytest.mark.parametrize("noun", _VIEWS)
def test_the_sdk_reads_an_earlier_result(noun: str) -> None:
    body = {"model": "mdl_1", "dataset": "ds_1", "explainer": "xpl_1"}

    read = _VIEWS[noun].from_dict({**_STANDING, "request": body, "result": _KEPT[noun]})

    assert read.result.to_dict().keys() >= _KEPT[noun].keys()


@pytest.mark.parametrize("column", _KEPT["dataset_columns"])
def test_a_column_of_an_earlier_dataset_is_read(column: dict[str, Any]) -> None:
    assert Column.model_validate(column).category_because is None
    assert of_sdk.Column.from_dict(column).name == column["name"]
