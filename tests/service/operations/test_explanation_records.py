"""Records of explanations: what is stored, where nothing may be stored, and calls that cannot be stored."""

import asyncio
import dataclasses
import json

import pytest

from schemas.explainers import ExplainerRequest
from schemas.explanations import ExplanationRequest
from service.app_context import AppContext
from service.background.explanation_log import ExplanationLog
from service.operations import explainers, explanations
from service.operations.explanation_records import CallRecord
from storage.errors import StorageError, StorageUnavailable
from tests.service.conftest import Shop
from tests.support.stored import kept_explanation


def _context(shop: Shop, log: ExplanationLog | None) -> AppContext:
    return dataclasses.replace(shop.workshop.context, explanation_log=log)


def _request_of_explainer(shop: Shop) -> ExplainerRequest:
    return ExplainerRequest(
        model=shop.model, prototype_set=shop.prototype_set, name="for the record", store_explanations=True
    )


def _storing(shop: Shop) -> str:
    never_full = ExplanationLog(shop.workshop.context.explanations.add, 1 << 20)
    return explainers.register_explainer(_context(shop, never_full), _request_of_explainer(shop))[0].id


def _rows(shop: Shop) -> ExplanationRequest:
    return ExplanationRequest(instances=[shop.instance(0)])


def test_a_service_that_stores_none_refuses_explainers_that_would_and_answers_by_earlier_ones(shop: Shop) -> None:
    without = _context(shop, None)
    with pytest.raises(StorageError, match="LEAFSPACE_STORE_EXPLANATIONS=1") as refused:
        explainers.register_explainer(without, _request_of_explainer(shop))
    assert refused.value.pointer == "/store_explanations"
    storing = _storing(shop)

    answer = asyncio.run(explanations.explain(without, storing, _rows(shop)))

    plain = asyncio.run(explanations.explain(without, shop.explainer, _rows(shop)))
    assert json.loads(answer)["data"] == json.loads(plain)["data"]
    assert without.explanations.list(10, None, explainer=storing).data == []


def test_an_explainer_that_stores_nothing_keeps_the_id_that_it_had(shop: Shop) -> None:
    assert not explainers.get_explainer(shop.workshop.context, shop.explainer).store_explanations
    assert _storing(shop) != shop.explainer


def test_what_cannot_be_stored_is_not_answered(shop: Shop) -> None:
    storing = _storing(shop)
    full = ExplanationLog(shop.workshop.context.explanations.add, 10)

    async def call() -> None:
        taken = asyncio.create_task(full.add([kept_explanation("xpn_first")]))
        await asyncio.sleep(0)
        with pytest.raises(StorageUnavailable, match="at most 10 may"):
            await explanations.explain(_context(shop, full), storing, _rows(shop))
        full.start()
        await taken

    asyncio.run(call())
    full.stop()
    with pytest.raises(StorageUnavailable, match="about to stop"):
        asyncio.run(explanations.explain(_context(shop, full), storing, _rows(shop)))
    assert shop.workshop.context.explanations.list(10, None, explainer=storing).data == []


def test_one_that_is_too_large_to_be_read_again_is_refused(shop: Shop) -> None:
    warm = explanations.warm_explainer(shop.workshop.context, shop.explainer)
    request = ExplanationRequest(instances=[["x" * (5 << 20)]])
    record = CallRecord(warm, request, None)

    with pytest.raises(StorageError, match="at most 4,194,304 are stored") as refused:
        record.identify([{"object": "explanation", "row_id": "0", "status": "ok"}])

    assert refused.value.code == "too_many_rows"
    assert record.rows == []
