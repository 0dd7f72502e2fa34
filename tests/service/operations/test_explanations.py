"""Explanations as an operation: how large one answer may be, and where it is made."""

import asyncio
import dataclasses
import json
import threading

import pytest

from schemas.explanations import ExplanationRequest
from service.app_context import AppContext
from service.operations import explanations
from storage.errors import NotFound, StorageError
from tests.service.conftest import Shop


def _with_limit(context: AppContext, n_values: int) -> AppContext:
    settings = context.settings.model_copy(update={"max_explained_values": n_values})
    return dataclasses.replace(context, settings=settings)


def _explain(context: AppContext, explainer: str, **request: object) -> bytes:
    return asyncio.run(explanations.explain(context, explainer, ExplanationRequest.model_validate(request)))


def test_an_answer_that_would_be_too_large_is_refused_before_it_is_made(shop: Shop) -> None:
    context = _with_limit(shop.workshop.context, 10 * 3 * 30)
    rows = [shop.instance(row) for row in range(11)]

    assert _explain(context, shop.explainer, instances=rows[:10])
    with pytest.raises(StorageError) as refused:
        _explain(context, shop.explainer, instances=rows)

    assert refused.value.code == "too_many_rows"
    assert "900 values" in refused.value.detail


def test_only_prototypes_that_there_are_and_features_that_are_shown_count(shop: Shop) -> None:
    context = _with_limit(shop.workshop.context, 10 * 5 * 30)
    rows = [shop.instance(row) for row in range(10)]
    narrow = shop.workshop.register_explainer(model=shop.model, prototype_set=shop.prototype_set, shown_features=["f1"])

    assert _explain(context, shop.explainer, instances=rows, n_prototypes=100)
    assert _explain(context, narrow, instances=rows * 25, n_prototypes=100)


def test_an_unknown_explainer_is_not_found(shop: Shop) -> None:
    with pytest.raises(NotFound):
        _explain(shop.workshop.context, "xpl_gone", instances=[[1]])


@pytest.mark.parametrize("n_rows", [1, 4, 5, 300])
def test_few_rows_are_answered_at_once_and_many_beside_the_event_loop(
    shop: Shop, n_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in: list[str] = []
    explain_rows = explanations.explain_rows

    def watched(*arguments: object) -> bytes:
        made_in.append(threading.current_thread().name)
        return explain_rows(*arguments)  # type: ignore[arg-type]  # passed on as they are

    monkeypatch.setattr(explanations, "explain_rows", watched)

    answer = _explain(shop.workshop.context, shop.explainer, instances=[shop.instance(0)] * n_rows)

    assert len(json.loads(answer)["data"]) == n_rows
    assert made_in[0].startswith("MainThread" if n_rows <= 4 else "batches")
