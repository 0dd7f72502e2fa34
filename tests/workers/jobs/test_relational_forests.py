"""What a forest's job publishes is there as a whole or not at all, however its attempts end."""

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from signal import SIGKILL
from types import FrameType
from typing import Any

import pytest

from schemas.feature_sets import FEATURE_SETS, FeatureDatasetRequest, FeatureSetRequest
from schemas.relational_forests import RELATIONAL_FORESTS, RelationalForest, RelationalForestRequest
from service.operations import artefacts, feature_sets, relational_forests
from storage.artefacts import publish
from storage.attempts import Claim
from storage.jobs import worker_lost
from storage.object_store import ObjectStore
from storage.publications import Publication
from storage.records import unreferenced
from storage.settings import embedded
from tests.support.bank import bank
from tests.support.chaos.dying_jobs import arm, kill_this_process
from tests.support.relational_service import csv_of_columns, metadata_of
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.relational import canonical
from workers.job_kinds import load_job_kinds
from workers.runtime.context import JobContext, JobKind, Produced
from workers.runtime.lifecycle import run_job
from workers.runtime.settings import WorkerSettings

_RAW = bank(60, seed=5, mean_transactions=4)
_AGE = {"kind": "value", "name": "age", "measure": {"variable": "example", "column": "age"}}


class _Death(BaseException):
    """The end of a process, which nothing handles."""


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Workshop]:
    """A workshop in which nothing else is kept."""
    with workshop_in(tmp_path / "own") as opened:
        yield opened


def test_an_attempt_that_dies_before_its_commit_leaves_nothing_and_the_next_publishes_everything(
    own: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested = _request(own)
    claim = own.claim(requested.job or "")

    def die(*arguments: Any, **named: Any) -> None:  # whatever it is called with
        publish(*arguments, **named)
        raise _Death

    monkeypatch.setattr("workers.runtime.lifecycle.publish", die)
    with pytest.raises(_Death):
        own.work(claim)
    assert _published(own) == []

    monkeypatch.setattr("workers.runtime.lifecycle.publish", publish)
    _queue_again(own, claim)
    own.run(requested.job or "")

    made = artefacts.get_one(own.context, RELATIONAL_FORESTS, requested.id)
    assert made.result is not None, made.problem
    assert _published(own) == [made.result.model, made.result.dataset, made.result.feature_set]
    assert _orphans(own) == []


@pytest.mark.long
@pytest.mark.parametrize("stage", ["objects half kept", "objects kept", "things published", "row changed", "committed"])
def test_a_process_that_is_killed_as_it_publishes_has_published_everything_or_nothing(
    own: Workshop, stage: str
) -> None:
    requested = _request(own)
    claim = own.claim(requested.job or "")

    process = get_context("spawn").Process(target=_publish_and_die, args=(own._settings, claim, stage))
    process.start()
    process.join()

    assert process.exitcode == -SIGKILL
    if stage != "committed":
        assert _published(own) == []
        assert artefacts.get_one(own.context, RELATIONAL_FORESTS, requested.id).status == "pending"
        _queue_again(own, claim)
        own.run(requested.job or "")
    result = artefacts.get_one(own.context, RELATIONAL_FORESTS, requested.id).result
    assert result is not None
    assert _published(own) == [result.model, result.dataset, result.feature_set]
    assert _orphans(own) == []


def _publish_and_die(settings: WorkerSettings, claim: Claim, stage: str) -> None:
    """Do a job, and be killed at a stage of its publishing."""
    arm(stage, kill_this_process)
    run_job(settings, load_job_kinds(), claim)


def test_a_forest_that_is_cancelled_as_it_is_published_publishes_nothing(own: Workshop) -> None:
    requested = _request(own)
    _before_it_is_kept(own, lambda: own.context.jobs.request_cancel(requested.job or ""))

    own.run(requested.job or "")

    assert artefacts.get_one(own.context, RELATIONAL_FORESTS, requested.id).status == "cancelled"
    assert _published(own) == []
    assert _orphans(own) == []


def test_what_is_there_already_stays_and_the_forest_refers_to_it(own: Workshop) -> None:
    first = _made(own, _request(own))
    own.context.models.rename(first.model, "renamed meanwhile")
    own.context.artefacts.delete(RELATIONAL_FORESTS.name, _request(own).id)

    second = _made(own, _request(own))

    assert second == first
    assert own.context.models.get(first.model).view.name == "renamed meanwhile"
    assert _orphans(own) == []


def test_a_dataset_of_a_feature_set_that_is_deleted_meanwhile_is_not_published(own: Workshop) -> None:
    request = FeatureSetRequest.model_validate({"relational_dataset": _tables(own), "features": [_AGE]})
    listed = feature_sets.request_feature_set(own.context, request)
    requested = feature_sets.request_feature_dataset(own.context, listed.id, FeatureDatasetRequest())
    _before_it_is_kept(own, lambda: own.context.artefacts.delete(FEATURE_SETS.name, listed.id), "datasets")

    job = own.run(requested.job or "")

    assert (job.status, job.problem and job.problem.code) == ("failed", "not_found")
    assert own.context.datasets.find(requested.dataset) is None


def test_a_list_of_features_is_registered_with_two_serialisations_of_each(own: Workshop) -> None:
    account = {"id": "a", "table": "account", "from": "example", "by": "account.customer_id"}
    features = [
        {
            "kind": "count",
            "variables": [account],
            "conditions": [{"variable": "example", "column": "age", "operator": ">", "value": age}],
        }
        for age in range(100)
    ]
    request = FeatureSetRequest.model_validate({"relational_dataset": _tables(own), "features": features})
    serialised: Counter[str] = Counter()

    def count(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == canonical.__file__:
            serialised[frame.f_code.co_qualname] += 1

    sys.setprofile(count)
    try:
        listed = feature_sets.request_feature_set(own.context, request)
    finally:
        sys.setprofile(None)

    assert listed.result is not None
    assert len({feature.name for feature in listed.result.features}) == 100
    n_queries = 100 * 2  # with the variable, which is serialised within its query
    assert serialised["_Serialised.of"] == 2 * n_queries


def test_a_query_that_combines_too_many_rows_fails_its_job_and_is_named_with_the_example(own: Workshop) -> None:
    files = {"customer.csv": b"id\nc1\nc2\n", "account.csv": b"customer_id\n" + b"c1\n" * 3 + b"c2\n" * 500}
    described = [{"name": "customer", "primary_key": ["id"]}, {"name": "account"}]
    tables = own.register_tables(files, {"examples": {"table": "customer"}, "tables": described})
    way = {"table": "account", "from": "example", "by": "account.customer_id"}
    triples = {"kind": "count", "name": "triples", "variables": [{"id": name, **way} for name in "abc"]}
    request = FeatureSetRequest.model_validate({"relational_dataset": tables, "features": [triples]})
    listed = feature_sets.request_feature_set(own.context, request)
    requested = feature_sets.request_feature_dataset(own.context, listed.id, FeatureDatasetRequest())

    job = own.run(requested.job or "")

    assert (job.status, job.problem and job.problem.code) == ("failed", "relational_too_many_combinations")
    detail = "" if job.problem is None else job.problem.detail
    assert detail.startswith("example 'c2': the query 'number of accounts")
    assert "more than 100,000,000 combinations" in detail


def _tables(workshop: Workshop) -> str:
    files = {f"{name}.csv": csv_of_columns(_RAW.columns[name]).encode() for name in _RAW.schema.tables}
    return workshop.register_tables(files, metadata_of(_RAW, "bank"))


def _request(workshop: Workshop) -> RelationalForest:
    request = RelationalForestRequest(relational_dataset=_tables(workshop), n_trees=2, pruning="none")
    return relational_forests.request_relational_forest(workshop.context, request)


def _made(workshop: Workshop, requested: RelationalForest) -> Any:  # the result
    workshop.run(requested.job or "")
    return artefacts.get_one(workshop.context, RELATIONAL_FORESTS, requested.id).result


def _before_it_is_kept(workshop: Workshop, act: Callable[[], object], kind: str = "relational_forests") -> None:
    """Have something happen after a job's work is done, and before it is published."""
    make: JobKind = workshop._kinds[kind]

    def then_act(context: JobContext) -> Produced:
        produced = make(context)
        publish = produced.publish
        assert publish is not None

        def publish_after(objects: ObjectStore) -> Publication:
            publication = publish(objects)
            act()
            return publication

        return replace(produced, publish=publish_after)

    workshop._kinds[kind] = then_act


def _queue_again(workshop: Workshop, claim: Claim) -> None:
    """Take back an attempt whose process is gone, as maintenance does."""
    workshop._attempts.try_again(claim, worker_lost(claim.attempt))
    with workshop.context.database.transaction() as connection:
        connection.exec_driver_sql("UPDATE jobs SET not_before = 0")


def _published(workshop: Workshop) -> list[str]:
    context = workshop.context
    sets = context.artefacts.list(FEATURE_SETS.name, 9, None)
    pages = (context.models.list(9, None), context.datasets.list(9, None), sets)
    return [thing.id for page in pages for thing in page.data]


def _orphans(workshop: Workshop) -> list[str]:
    """Return the objects that no row refers to."""
    folder = embedded(workshop.context.settings.data_dir).objects_dir
    with workshop.context.database.reading() as connection:
        return list(unreferenced(connection, [path.name for path in folder.glob("??/*")]))
