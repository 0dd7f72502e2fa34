"""Retention: with real rows and files, what is old goes, and nothing that anything rests on."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Table, func, select, update

from schemas.explainers import ExplainerRequest
from storage.database import Database
from storage.errors import NotFound
from storage.explainers import NewExplainer
from storage.explanations import ExplanationStore
from storage.idempotency import IdempotencyStore, KeyClaim, RecordedAnswer, RequestKey
from storage.jobs import worker_lost
from storage.label_decisions import LabelDecisionStore, NewDecision
from storage.leaf_tables import LeafTableKey, LeafTableObjects, LeafTableStore
from storage.local_objects import LocalObjects
from storage.retention import Retention, RetentionRules
from storage.tables import artefacts, datasets, explainers, explanations, idempotency_keys, jobs, leaf_tables, models
from tests.support.stored import Shelf, kept_explanation, new_dataset, new_model

_DAY = 86_400.0
_FOR_EVER = RetentionRules(None, None, None, None, None, None)


class Archive:
    """A shelf with objects, where time can pass."""

    def __init__(self, database: Database, directory: Path) -> None:
        self.database = database
        self.shelf = Shelf(database)
        self.objects = LocalObjects(directory)
        self.days = 0.0

    def clear(self, **rules: float | None) -> dict[str, int]:
        rules_of_test = replace(_FOR_EVER, **rules)  # type: ignore[arg-type]  # as the test says
        return Retention(self.database, self.objects, rules_of_test, self._now).clear()

    def make(self, identifier: str, **changes: str) -> str:
        """Make an artefact; return its result's object."""
        artefact, _ = self.shelf.create(identifier, **changes)
        result, arrays = self.objects.put(identifier.encode()), self.objects.put(b"arrays" + identifier.encode())
        self.shelf.make(artefact, result, arrays)
        return result

    def fail(self, identifier: str) -> str:
        """Let an artefact's job fail; return the job."""
        artefact, _ = self.shelf.create(identifier)
        claim = self.shelf.attempts.claim(artefact.job, 30)
        assert claim is not None
        self.shelf.attempts.fail(claim, worker_lost(1))
        return artefact.job

    def ids(self, table: Table) -> set[str]:
        with self.database.reading() as connection:
            return set(connection.execute(select(table.c.id)).scalars())

    def _now(self) -> float:
        return time.time() + self.days * _DAY


@pytest.fixture
def archive(rows_database: Database, tmp_path: Path) -> Archive:
    return Archive(rows_database, tmp_path / "objects")


def test_by_default_nothing_ready_ever_goes(archive: Archive) -> None:
    archive.make("prs_1")
    archive.days = 10_000

    retention = Retention(archive.database, archive.objects, RetentionRules(), archive._now)

    assert retention.clear() == {}
    assert archive.ids(artefacts) == {"prs_1"}


def test_audits_that_people_decided_about_never_go_for_their_age(archive: Archive) -> None:
    for audit in ("lba_decided", "lba_free"):
        archive.make(audit, noun="label_audits")
    new = NewDecision("lba_decided", 3, "3", "accept", "no", "yes", is_suggested=True, note=None, caller=None)
    assert LabelDecisionStore(archive.database).add(new, None) is not None
    archive.days = 10_000

    assert archive.clear(artefact_days=1)["artefacts"] == 1
    assert archive.ids(artefacts) == {"lba_decided"}


def test_old_artefacts_go_with_their_objects_unless_an_explainer_rests_on_them(archive: Archive) -> None:
    free, explained = archive.make("prs_free"), archive.make("prs_explained")
    archive.shelf.explain("xpl_1", "prs_explained")
    archive.days = 29
    assert archive.clear(artefact_days=30) == {}

    archive.days = 31
    assert archive.clear(artefact_days=30) == {"artefacts": 1}

    assert archive.ids(artefacts) == {"prs_explained"}
    assert archive.objects.get(explained) == b"prs_explained"
    with pytest.raises(NotFound):
        archive.objects.get(free)
    assert archive.clear(artefact_days=30) == {}


@pytest.mark.parametrize("part", ["rule_set", "approximation_tree"])
def test_rules_and_trees_of_an_explainer_stay_too(archive: Archive, part: str) -> None:
    archive.make("prs_1")
    archive.make("part_1", noun=f"{part}s")
    request = ExplainerRequest(model="mdl_1", prototype_set="prs_1", **{part: "part_1"})
    archive.shelf.explainers.add(NewExplainer("xpl_1", request))
    archive.days = 100

    assert archive.clear(artefact_days=1) == {}


def test_what_failed_goes_sooner_and_then_its_job(archive: Archive) -> None:
    job = archive.fail("prs_failed")
    archive.make("prs_ready")
    pending, _ = archive.shelf.create("prs_pending")
    archive.days = 31

    assert archive.clear(failed_artefact_days=30, job_days=90) == {"failed_artefacts": 1}
    assert archive.ids(artefacts) == {"prs_ready", "prs_pending"}
    assert job in archive.ids(jobs)

    archive.days = 91
    assert archive.clear(failed_artefact_days=30, job_days=90) == {"jobs": 1}
    assert job not in archive.ids(jobs)
    assert {artefact.job for artefact in (pending,)} <= archive.ids(jobs)


def test_many_jobs_go_in_small_transactions(archive: Archive) -> None:
    with archive.database.transaction() as connection:
        for _ in range(450):
            archive.shelf.jobs.add(connection, "prototype_sets", "prs_gone", {}, 60)
        connection.execute(update(jobs).values(status="cancelled", finished_at=0.0))

    assert archive.clear(job_days=1) == {"jobs": 450}


def test_registered_models_and_datasets_stay_unless_it_is_requested(archive: Archive) -> None:
    archive.shelf.models.add(new_model("mdl_unused"))
    archive.shelf.datasets.add(new_dataset("ds_unused"))
    archive.shelf.datasets.add(new_dataset("ds_evaluation"))
    archive.make("prs_1", evaluation_dataset="ds_evaluation")
    archive.days = 1000
    assert archive.clear() == {}

    assert archive.clear(unused_input_days=365) == {"models": 1, "datasets": 1}

    assert archive.ids(models) == {"mdl_1"}
    assert archive.ids(datasets) == {"ds_1", "ds_evaluation"}


def test_a_model_with_nothing_but_an_explainer_stays(archive: Archive) -> None:
    archive.make("prs_1")
    archive.shelf.explain("xpl_1")
    archive.days = 1000

    assert archive.clear(unused_input_days=1, artefact_days=1) == {}
    assert archive.ids(explainers) == {"xpl_1"}


def test_idempotency_keys_are_forgotten(archive: Archive) -> None:
    store = IdempotencyStore(archive.database)
    claim = store.begin(RequestKey("", "old"), "a" * 64)
    assert isinstance(claim, KeyClaim)
    store.complete(claim, RecordedAnswer(201, "mdl_gone"))
    store.begin(RequestKey("", "killed"), "a" * 64)
    archive.days = 8

    assert archive.clear(idempotency_days=7) == {"idempotency_keys": 2}

    with archive.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(idempotency_keys)).scalar_one() == 0


def test_stored_explanations_go_after_their_days(archive: Archive) -> None:
    store = ExplanationStore(archive.database)
    store.add([kept_explanation(f"xpn_{number}", number) for number in range(450)])
    archive.days = 3.0
    store.add([kept_explanation("xpn_new", created_at=time.time() + 3 * _DAY)])

    assert archive.clear() == {}
    assert archive.clear(explanation_days=2) == {"explanations": 450}
    assert archive.ids(explanations) == {"xpn_new"}


def test_leaf_tables_beyond_their_room_go_the_oldest_first(archive: Archive) -> None:
    store = LeafTableStore(archive.database)
    for number in range(3):
        kept = LeafTableObjects(archive.objects.put(b"codes %d" % number), archive.objects.put(b"outcome %d" % number))
        store.add(LeafTableKey("mdl_1", "ds_1", number), kept, 100)
        with archive.database.transaction() as connection:
            connection.execute(update(leaf_tables).where(leaf_tables.c.revision == number).values(created_at=number))

    assert archive.clear(leaf_table_bytes=250) == {"leaf_tables": 1}

    assert store.find(LeafTableKey("mdl_1", "ds_1", 0)) is None
    assert store.find(LeafTableKey("mdl_1", "ds_1", 2)) is not None
    assert len(list(archive.objects.files())) == 4


def test_objects_that_no_row_refers_to_go_after_a_day(archive: Archive) -> None:
    referred, orphan, young = archive.make("prs_1"), archive.objects.put(b"orphan"), archive.objects.put(b"young")
    for sha256 in (referred, orphan):
        os.utime(archive.objects.file(sha256), (0, 0))

    assert archive.clear() == {"objects": 1}

    assert archive.objects.get(referred)
    assert archive.objects.get(young)
    with pytest.raises(NotFound):
        archive.objects.get(orphan)
