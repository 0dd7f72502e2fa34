"""Calls that take long are given up when their caller leaves: each looks between its parts whether it still waits."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from schemas.explanations import ExplanationRequest
from schemas.maps import MAPS, MapRequest, PlacesRequest
from schemas.models import PredictionRequest
from schemas.proximities import ProximityBlockRequest
from schemas.reports import REPORTS, ReportRequest
from service.admission.batches import Batches, Cost, Result, Tick
from service.admission.response_memory import CallerLeft
from service.app_context import AppContext
from service.operations import explanations, maps, models, proximities, reports
from tests.service.conftest import Shop
from tests.support.workshop import Workshop

_N_ROWS = 200


class _Leaving(Batches):
    """Batches whose callers leave after the last row was read: whatever is done then, must look once more."""

    def __init__(self, n_ticks: int) -> None:
        self._n_left = n_ticks

    async def run(self, cost: Cost, work: Callable[[Tick], Result]) -> Result:
        assert cost.seconds > 0

        def tick() -> None:
            self._n_left -= 1
            if self._n_left < 0:
                raise CallerLeft

        return work(tick)


def _rows(shop: Shop) -> list[list[float]]:
    rows: list[list[float]] = shop.fitted.features[:_N_ROWS].astype(float).tolist()
    return rows


def _predict(context: AppContext, shop: Shop) -> Awaitable[bytes]:
    return models.predict(context, shop.model, PredictionRequest(instances=_rows(shop)))


def _compare(context: AppContext, shop: Shop) -> Awaitable[bytes]:
    request = ProximityBlockRequest(instances=_rows(shop), others=_rows(shop))
    return proximities.compare_rows(context, shop.model, request)


def _place(context: AppContext, shop: Shop) -> Awaitable[bytes]:
    request = MapRequest(model=shop.model, dataset=shop.dataset, n_rows=50, n_neighbors=5)
    made = _made(shop.workshop, MAPS, maps.request_map(shop.workshop.context, request))
    return maps.place_new_rows(context, made.id, PlacesRequest(instances=_rows(shop)))


def _verify(context: AppContext, shop: Shop) -> Awaitable[object]:
    request = ReportRequest(title="t", explainer=shop.explainer, rows=["0", "1", "2"])
    made = _made(shop.workshop, REPORTS, reports.request_report(shop.workshop.context, request))
    return reports.verify_report(context, made.id)


def _explain(context: AppContext, shop: Shop) -> Awaitable[bytes]:
    return explanations.explain(context, shop.explainer, ExplanationRequest(instances=_rows(shop)))


def _made(workshop: Workshop, noun: Any, requested: Any) -> Any:  # any artefact
    return workshop._made(noun, requested)


@pytest.mark.parametrize(
    ("call", "n_ticks"),
    # Each looks before every row that it reads, and again for every part of what it makes of them.
    [
        (_predict, _N_ROWS // 2),
        (_compare, 2 * _N_ROWS + 1),
        (_place, _N_ROWS + 1),
        (_verify, 8),
        (_explain, _N_ROWS + 1),
    ],
)
def test_a_call_is_given_up_between_its_parts(
    shop: Shop, call: Callable[[AppContext, Shop], Awaitable[object]], n_ticks: int
) -> None:
    async def called(n_ticks: int) -> object:
        return await call(dataclasses.replace(shop.workshop.context, batches=_Leaving(n_ticks)), shop)

    assert asyncio.run(called(10**9))
    with pytest.raises(CallerLeft):
        asyncio.run(called(n_ticks))
