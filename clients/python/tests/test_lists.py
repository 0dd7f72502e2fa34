"""Lists under filters, and renaming, through the SDK against a real service."""

import asyncio
import inspect

import numpy as np
import pytest
from leafspace_client import AsyncExplainer, AsyncLeafspace, Explainer, Invalid, Leafspace, NotFound
from leafspace_client.types import Dataset, Model
from sklearn.ensemble import RandomForestClassifier

from tests.support.serving import Service

_RNG = np.random.default_rng(7)
_ROWS = _RNG.normal(size=(60, 3)).astype(np.float32)
_LABELS = (_ROWS[:, 0] > 0).astype(str)
_FORESTS = [RandomForestClassifier(5, random_state=seed).fit(_ROWS, _LABELS) for seed in (1, 2)]


@pytest.fixture
def models(client: Leafspace) -> list[Model]:
    return [client.register_model(forest, _ROWS, name=f"list {number}") for number, forest in enumerate(_FORESTS)]


@pytest.fixture
def dataset(client: Leafspace) -> Dataset:
    return client.register_dataset((_ROWS, _LABELS), name="rows to list")


def test_a_list_holds_what_was_made_of_a_model_and_a_dataset(
    client: Leafspace, models: list[Model], dataset: Dataset
) -> None:
    made = [client.prototype_sets.create(model, dataset, n_prototypes=2).wait() for model in models]
    new_rows = client.register_dataset((_ROWS[:20], _LABELS[:20]))
    other = client.prototype_sets.create(models[0], dataset, n_prototypes=2, evaluation_dataset=new_rows).wait()

    def listed(**filters: object) -> set[str]:
        return {each.id for each in client.prototype_sets.list(**filters)}

    assert listed(model=models[0]) == {made[0].id, other.id}
    assert listed(model=models[1].id, dataset=dataset, status="ready") == {made[1].id}
    assert listed(dataset=dataset) == {made[0].id, made[1].id, other.id}
    assert listed(evaluation_dataset=new_rows) == {other.id}
    assert listed(model=models[0], dataset=None, status="cancelled") == set()
    assert [job.artefact for job in client.jobs.list(artefact=other)] == [other.id]
    assert other.job in [job.id for job in client.jobs.list(status="succeeded", kind="prototype_sets")]
    assert next(client.prototype_sets.list(model=models[1])).prototypes == made[1].prototypes
    newest = repr(client.prototype_sets.list(model=models[0])).splitlines()[0]
    about = "2 prototypes, by “coverage”, model 'list 0', dataset 'rows to list'"
    assert newest == f"PrototypeSet {other.id} (ready, {about})"


def test_filters_hold_on_every_page(
    client: Leafspace, models: list[Model], dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leafspace_client.nouns._PAGE_SIZE", 1)
    made = [client.proximities.create(models[0], dataset, n_neighbors=number) for number in (1, 2, 3)]
    client.proximities.create(models[1], dataset, n_neighbors=1)

    assert [each.id for each in client.proximities.list(model=models[0])] == [each.id for each in reversed(made)]


def test_a_filter_that_there_is_not_is_refused_in_the_name_of_the_method(client: Leafspace) -> None:
    with pytest.raises(
        TypeError, match=r"^Datasets\.list\(\) got an unexpected keyword argument 'model'; it takes name"
    ):
        client.datasets.list(model="mdl_1")
    with pytest.raises(Invalid, match="'pending', 'ready', 'failed' or 'cancelled'"):
        next(client.rule_sets.list(status="done"))
    with pytest.raises(Invalid, match="mdl_"):
        next(client.rule_sets.list(model="ds_1"))


def test_signatures_show_the_filters_of_each_noun() -> None:
    client, asynchronous = Leafspace(), AsyncLeafspace()

    assert list(inspect.signature(client.explanation_sets.list).parameters) == ["explainer", "dataset", "status"]
    assert list(inspect.signature(asynchronous.jobs.list).parameters) == ["status", "kind", "artefact"]
    assert "AsyncExplainer" in str(inspect.signature(asynchronous.explainers.list).return_annotation)
    assert client.models.list.__qualname__ == "Models.list"


def test_models_datasets_and_explainers_are_found_by_their_new_names(
    client: Leafspace, models: list[Model], dataset: Dataset
) -> None:
    prototypes = client.prototype_sets.create(models[0], dataset, n_prototypes=2).wait()
    explainer = client.explainers.create(models[0], prototypes, name="first")

    model = client.models.rename(models[0], "scoring, März")
    table = client.datasets.rename(dataset.id, "rows, März")
    assert explainer.rename("explained, März") is explainer

    assert (model.id, model.name) == (models[0].id, "scoring, März")
    assert [each.id for each in client.models.list(name="scoring, März")] == [model.id]
    assert [each.name for each in client.datasets.list(name="rows, März")] == [table.name]
    assert (explainer.name, client.explainers.get(explainer).name) == ("explained, März", "explained, März")
    assert [each.id for each in client.explainers.list(model=model, name="explained, März")] == [explainer.id]
    renamed = client.explainers.rename(explainer, None)
    assert isinstance(renamed, Explainer)
    assert renamed.name is None
    assert list(client.explainers.list(name="explained, März")) == []
    with pytest.raises(NotFound):
        client.models.rename("mdl_gone", "anything")
    with pytest.raises(Invalid):
        client.models.rename(model, "")


def test_coroutines_do_the_same(service: Service, models: list[Model], dataset: Dataset) -> None:
    async def names() -> list[str | None]:
        async with AsyncLeafspace(service.url) as client:
            prototypes = await (await client.prototype_sets.create(models[1], dataset, n_prototypes=2)).wait()
            explainer = await client.explainers.create(models[1], prototypes, name="before")
            assert isinstance(await explainer.rename("after"), AsyncExplainer)
            model = await client.models.rename(models[1], "renamed by coroutine")
            found = [each async for each in client.explainers.list(model=model, name="after")]
            with pytest.raises(TypeError, match=r"^AsyncModels\.list\(\)"):
                client.models.list(status="ready")
            return [model.name, *(each.name for each in found)]

    assert asyncio.run(names()) == ["renamed by coroutine", "after"]
