"""Comparisons from Python: two models on a dataset, two datasets by a model, and explainers in a model's place."""

import asyncio

import numpy as np
import pandas as pd
import pytest
from leafspace_client import AsyncLeafspace, Conflict, Leafspace, WrongArgument
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

_NAMES = ["age", "income", "debt"]
_VALUES = np.random.default_rng(5).normal(size=(400, 3)).astype(np.float32)
_ROWS = pd.DataFrame(_VALUES, columns=_NAMES)


def _model(client: Leafspace, labels: NDArray[np.bool_]) -> str:
    forest = RandomForestClassifier(15, max_depth=6, random_state=0).fit(_ROWS, np.where(labels, "bad", "good"))
    return str(client.register_model(forest, _ROWS).id)


@pytest.fixture
def models(client: Leafspace) -> list[str]:
    labels = np.asarray(_VALUES[:, 0] > 0)
    return [_model(client, each) for each in (labels, np.where(_VALUES[:, 2] > 0.5, ~labels, labels))]


@pytest.fixture
def dataset(client: Leafspace) -> str:
    return str(client.register_dataset(_ROWS, held_out=True).id)


def test_two_models_are_compared_on_a_dataset(client: Leafspace, models: list[str], dataset: str) -> None:
    made = client.compare(models[0], models[1], on=dataset).wait()

    changed = made.result.models.share_changed
    differ = f"two models, {changed:.1%} of 400 rows have another outcome"
    assert repr(made).startswith(f"Comparison {made.id} (ready, {differ}")
    assert str(made) == made.summary
    assert made.regions[0].conditions[0].feature == "debt"
    assert made.to_frame("regions")["text"][0] == made.regions[0].text
    assert list(made.to_frame()["feature"]) == [each.feature for each in made.effects]
    assert list(made.to_frame("rows")["row_id"]) == [each.row_id for each in made.rows]
    assert f"Where does “<bdi>{models[1]}</bdi>” differ from “<bdi>{models[0]}</bdi>”?" in made._repr_html_()
    assert client.comparisons.get(made.id).result == made.result
    assert [each.id for each in client.comparisons.list(other_model=models[1], dataset=dataset)] == [made.id]


def test_a_model_that_another_is_compared_with_stays(client: Leafspace, models: list[str], dataset: str) -> None:
    made = client.compare(models[0], models[1], on=dataset).wait()

    with pytest.raises(Conflict, match=made.id):
        client.models.delete(models[1])
    client.comparisons.delete(made.id)
    client.models.delete(models[1])


def test_two_datasets_are_compared_by_a_model(client: Leafspace, models: list[str], dataset: str) -> None:
    newer = client.register_dataset(_ROWS.assign(age=_ROWS["age"] + 2), name="newer")

    made = client.compare(dataset, newer, by=models[0]).wait()

    assert repr(made).startswith(f"Comparison {made.id} (ready, two datasets, differs")
    assert made.result.datasets.features_moved[0] == "age"
    assert (made.regions, made.rows, made.prototypes) == ([], [], [])
    assert f"Do the rows of “<bdi>{newer.id}</bdi>” differ from those of “<bdi>{dataset}</bdi>”?" in made._repr_html_()


def test_explainers_and_their_names_are_taken_for_their_models(
    client: Leafspace, models: list[str], dataset: str
) -> None:
    explainers = []
    for model in models:
        prototypes = client.prototype_sets.create(model, dataset, n_prototypes=2, method="sm_a").wait()
        explainers.append(client.explainers.create(model, prototypes))
    client.explainer_names.put("champion", explainers[0])

    made = client.compare("champion", explainers[1], on=dataset)

    assert made.id == client.compare(models[0], models[1], on=dataset).id


def test_the_async_client_compares_too(service: Service, client: Leafspace, models: list[str], dataset: str) -> None:
    async def compared() -> str:
        async with AsyncLeafspace(service.url) as other:
            made = await (await other.compare(models[0], models[1], on=dataset)).wait()
            assert len(await made.to_frame()) == len(made.effects)
            return made.id

    assert asyncio.run(compared()) == client.compare(models[0], models[1], on=dataset).id


@pytest.mark.parametrize("given", [{}, {"on": "ds_1", "by": "mdl_1"}])
def test_it_takes_either_a_dataset_or_a_model(client: Leafspace, given: dict[str, str]) -> None:
    with pytest.raises(WrongArgument, match="either `on`"):
        client.compare("mdl_1", "mdl_2", on=given.get("on"), by=given.get("by"))
