"""Names of explainers in the SDK: given, exchanged, called, followed and deleted."""

import asyncio
import pickle

import pytest
from leafspace_client import AsyncLeafspace, Conflict, Leafspace, NotFound

from tests.support.api import Registered
from tests.support.serving import Service


def _second(client: Leafspace, forest: Registered) -> str:
    return client.explainers.create(forest.model["id"], forest.prototype_set["id"], name="second of names").id


def test_a_name_is_called_while_its_explainer_is_exchanged(client: Leafspace, forest: Registered) -> None:
    first, second = forest.explainer["id"], _second(client, forest)
    rows = forest.fitted.features[:2].astype(float)

    named = client.explainer_names.put("sdk-names", first)

    assert (named.name, named.id, named.explainer) == ("sdk-names", "sdk-names", first)
    assert repr(named) == f"NamedExplainer 'sdk-names' (explainer {first})"
    assert len(named.explain(rows)) == 2
    with pytest.raises(NotFound, match="no model has the id 'sdk-names': such ids begin with mdl_"):
        client.models.get("sdk-names")
    changed = client.explainer_names.put("sdk-names", second, expected=named)
    assert changed.explainer == second == named.refresh().explainer
    assert [each.explainer for each in changed.history()] == [second, first]
    assert client.explainer_names.get("sdk-names").last_change == changed.last_change
    assert "sdk-names" in [each.name for each in client.explainer_names.list(explainer=second)]
    assert pickle.loads(pickle.dumps(named)).explainer == second  # noqa: S301  # our own
    with pytest.raises(Conflict, match="sdk-names"):
        client.explainers.delete(second)
    client.explainer_names.delete(changed)
    with pytest.raises(NotFound, match="no explainer has the name 'sdk-names'"):
        client.explainer_names.get("sdk-names")
    assert client.explainer_names.history("sdk-names")[0].explainer is None


def test_a_change_that_somebody_else_made_first_is_not_overwritten(client: Leafspace, forest: Registered) -> None:
    first, second = forest.explainer["id"], _second(client, forest)
    seen = client.explainer_names.put("sdk-raced", first)
    client.explainer_names.put("sdk-raced", second)
    client.explainer_names.put("sdk-raced", first)

    with pytest.raises(Conflict, match="was changed meanwhile"):
        client.explainer_names.put("sdk-raced", second, expected=seen)

    client.explainer_names.delete("sdk-raced")


def test_the_async_client_has_the_same(service: Service, forest: Registered) -> None:
    async def call() -> int:
        async with AsyncLeafspace(service.url) as client:
            named = await client.explainer_names.put("sdk-async", forest.explainer["id"])
            explained = await named.explain(forest.fitted.features[:1].astype(float))
            assert [each.name for each in await named.history()] == ["sdk-async"]
            await client.explainer_names.delete("sdk-async")
            return len(explained)

    assert asyncio.run(call()) == 1
