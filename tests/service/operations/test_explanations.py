"""Explanations as an operation: how large one answer may be, and where it is made."""

import asyncio
import dataclasses
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from skl2onnx import to_onnx
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier

from explanations.explained_rows import explain_instances
from schemas.explanations import ExplanationRequest
from service.app_context import AppContext
from service.operations import explained_calls, explanations
from service.operations.datasets import delete_dataset
from service.operations.registered_rows import held_rows, read_rows
from storage.errors import NotFound, StorageError
from tests.service.conftest import Shop
from tests.support.workshop import workshop_in


def _with_limit(context: AppContext, n_values: int) -> AppContext:
    settings = context.settings.model_copy(update={"max_explained_values": n_values})
    return dataclasses.replace(context, settings=settings)


def _explain(context: AppContext, explainer: str, **request: object) -> bytes:
    return asyncio.run(explanations.explain(context, explainer, ExplanationRequest.model_validate(request)))


def test_an_answer_that_would_be_too_large_is_refused_before_it_is_made(shop: Shop) -> None:
    context = _with_limit(shop.workshop.context, 10 * 3 * 30)
    rows = [shop.instance(row) for row in range(11)]

    for wanted in ({"include": ["values"]}, {"n_reasons": "all"}, {"n_reasons": 30}):
        assert _explain(context, shop.explainer, instances=rows[:10], **wanted)
        with pytest.raises(StorageError) as refused:
            _explain(context, shop.explainer, instances=rows, **wanted)
        assert refused.value.code == "too_many_rows"
        assert "900 values" in refused.value.detail
    assert _explain(context, shop.explainer, instances=rows * 5)


def test_prototypes_without_reasons_and_scores_count_as_values(shop: Shop) -> None:
    rows = [shop.instance(row) for row in range(6)]

    for n_values, wanted in ((5 * 3, {"n_prototypes": 3}), (5 * 2, {"n_prototypes": 1})):
        context = _with_limit(shop.workshop.context, n_values)
        assert _explain(context, shop.explainer, instances=rows[:5], n_reasons=0, **wanted)
        with pytest.raises(StorageError) as refused:
            _explain(context, shop.explainer, instances=rows, n_reasons=0, **wanted)
        assert refused.value.code == "too_many_rows"


def test_an_explanation_by_thirty_features_is_at_most_four_kilobytes_long(tmp_path: Path) -> None:
    data = load_breast_cancer(as_frame=True)
    rows = data.data.to_numpy(np.float32)
    forest = RandomForestClassifier(200, random_state=0).fit(rows, data.target)
    onnx = to_onnx(forest, rows[:1], options={"zipmap": False}).SerializeToString()
    with workshop_in(tmp_path) as workshop:
        names = list(data.feature_names)
        model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
        dataset = workshop.register_dataset(data.frame, target="target")
        made = workshop.make(model=model, dataset=dataset, n_prototypes=50)
        explainer = workshop.register_explainer(model=model, prototype_set=made.id)

        answers = [_explain(workshop.context, explainer, instances=[row]) for row in data.data.values[::6].tolist()]

    assert all(len(json.loads(answer)["data"][0]["nearest_prototypes"]) == 3 for answer in answers[:20])
    assert max(map(len, answers)) <= 4000


def test_only_prototypes_that_there_are_and_features_that_are_shown_count(shop: Shop) -> None:
    context = _with_limit(shop.workshop.context, 10 * 5 * 30)
    rows = [shop.instance(row) for row in range(10)]
    everything = {"n_prototypes": 100, "n_reasons": "all"}
    narrow = shop.workshop.register_explainer(model=shop.model, prototype_set=shop.prototype_set, shown_features=["f1"])

    assert _explain(context, shop.explainer, instances=rows, **everything)
    assert _explain(context, narrow, instances=rows * 25, **everything)


def test_an_unknown_explainer_is_not_found(shop: Shop) -> None:
    with pytest.raises(NotFound):
        _explain(shop.workshop.context, "xpl_gone", instances=[[1]])


_EVERYTHING = {"detail": "full", "nearest_rows": {"n_rows": 100}}


@pytest.mark.parametrize(
    ("n_rows", "wanted", "thread"),
    [
        (1, {}, "MainThread"),
        (4, {}, "MainThread"),
        (5, {}, "batches"),
        (300, {}, "batches"),
        (1, {"include": ["contrast", "nearest_rows"]}, "MainThread"),
        (1, _EVERYTHING, "batches"),
        (4, {"include": ["contrast"], "n_reasons": "all"}, "batches"),
    ],
)
def test_short_answers_are_made_at_once_and_long_ones_beside_the_event_loop(
    shop: Shop, n_rows: int, wanted: dict[str, Any], thread: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in: list[str] = []

    def watched(*arguments: Any, **named: Any) -> list[dict[str, Any]]:  # passed on as they are
        made_in.append(threading.current_thread().name)
        return explain_instances(*arguments, **named)

    monkeypatch.setattr(explained_calls, "explain_instances", watched)

    answer = _explain(shop.workshop.context, shop.explainer, instances=[shop.instance(0)] * n_rows, **wanted)

    assert len(json.loads(answer)["data"]) == n_rows
    assert thread in made_in[0]


def test_rows_named_again_are_in_memory_until_their_dataset_is_deleted(shop: Shop) -> None:
    context, features = shop.workshop.context, shop.fitted.features
    frame = pd.DataFrame(features[:40], columns=list(shop.fitted.rows.names)).assign(
        id=[f"row {row}" for row in range(40)]
    )
    dataset = shop.workshop.register_dataset(frame, row_id="id")
    warm = asyncio.run(explanations.find_warm(context, shop.explainer))
    request = ExplanationRequest(dataset=dataset, row_ids=["row 7", "row 3"])
    unknown = ExplanationRequest(dataset=dataset, row_ids=["row 7", "row 40"])

    assert held_rows(context, warm, request) is None
    read = read_rows(context, warm, request)
    held = held_rows(context, warm, request)
    assert held is not None
    np.testing.assert_array_equal(held.rows, read.rows)
    assert (held.values, held.indices, held.targets) == (read.values, read.indices, read.targets)
    np.testing.assert_array_equal(read.rows, features[[7, 3]])
    assert held_rows(context, warm, unknown) is None
    assert [*read_rows(context, warm, unknown).refused] == [1]

    delete_dataset(context, dataset)
    assert held_rows(context, warm, request) is None
    with pytest.raises(NotFound):
        read_rows(context, warm, request)
