"""Stored explanations in the SDK: listed, read, verified and deleted."""

import asyncio
import pickle
from datetime import UTC, datetime

import pytest
from leafspace_client import AsyncLeafspace, Leafspace, NotFound

from tests.support.api import Registered
from tests.support.serving import Service


def test_what_was_answered_is_found_verified_and_deleted(client: Leafspace, forest: Registered) -> None:
    before = datetime.now(UTC)
    explainer = client.explainers.create(
        forest.model["id"], forest.prototype_set["id"], name="sdk, stored", store_explanations=True
    )
    rows = forest.fitted.features[:3].astype(float)
    answered = explainer.explain(rows, row_ids=["a", "b", "c"])

    listed = list(client.explanations.list(explainer=explainer, created_from=before))

    assert {stored.row_id for stored in listed} == {"a", "b", "c"}
    assert list(client.explanations.list(created_before=before, row_id="a", explainer=explainer)) == []
    (stored,) = client.explanations.list(explainer=explainer, row_id="b")
    assert (stored.explainer, stored.explanation.details) == (explainer.id, answered[1].details)
    assert stored.request["row_ids"] == ["b"]
    assert repr(stored) == "StoredExplanation of row b: explainer 'sdk, stored'"
    assert client.explanations.get(stored.id).digest == stored.digest
    assert pickle.loads(pickle.dumps(stored)).row_id == "b"  # noqa: S301  # our own
    assert stored.verify().status == client.explanations.verify(stored).status == "same"
    client.explanations.delete(stored)
    with pytest.raises(NotFound, match="no explanation has the id"):
        client.explanations.verify(stored)
    assert client.explanations.delete_row(explainer, "a") == 1
    assert [stored.row_id for stored in client.explanations.list(explainer=explainer)] == ["c"]


def test_the_async_client_does_the_same(service: Service, forest: Registered) -> None:
    async def call() -> None:
        async with AsyncLeafspace(service.url) as client:
            explainer = await client.explainers.create(
                forest.model["id"], forest.prototype_set["id"], name="async, stored", store_explanations=True
            )
            await explainer.explain(forest.fitted.features[:1].astype(float), row_ids=["a"])
            (stored,) = [each async for each in client.explanations.list(explainer=explainer)]
            assert (await stored.load()).explanation.row_id == "a"
            assert (await stored.verify()).n_differences == 0
            assert await client.explanations.delete_row(explainer, "a") == 1

    asyncio.run(call())
