"""Artefacts: their status is that of their job until there is a result; requested again, they are made again or not."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from sqlalchemy import func, select

from schemas.problems import problem_for
from storage.attempts import Claim
from storage.errors import Conflict, InUse, NotFound
from storage.tables import jobs
from tests.support.stored import Shelf, some_hash

_NOUN = "prototype_sets"


def _status(shelf: Shelf) -> str:
    return shelf.artefacts.get(_NOUN, "prs_1").status


def _claim(shelf: Shelf) -> Claim:
    claim = shelf.attempts.claim(shelf.artefacts.get(_NOUN, "prs_1").job, 30)
    assert claim is not None
    return claim


def _fail(shelf: Shelf) -> None:
    shelf.attempts.fail(_claim(shelf), problem_for("job_failed", "it did not work"))


def _cancel(shelf: Shelf) -> None:
    shelf.jobs.request_cancel(shelf.artefacts.get(_NOUN, "prs_1").job)


def _delete(shelf: Shelf) -> None:
    _fail(shelf)
    shelf.artefacts.delete(_NOUN, "prs_1")


def test_it_is_pending_until_its_job_has_published_a_result(shelf: Shelf) -> None:
    artefact, is_new = shelf.create()
    assert (is_new, _status(shelf)) == (True, "pending")

    claim = _claim(shelf)
    assert _status(shelf) == "pending"
    shelf.attempts.succeed(claim, lambda _connection: None)  # a job that published nothing
    assert _status(shelf) == "pending"

    again, _ = shelf.create("prs_2")
    shelf.make(again, "r" * 64, "a" * 64)
    found = shelf.artefacts.get(_NOUN, "prs_2")
    assert (found.status, found.result, found.arrays, found.job) == ("ready", "r" * 64, "a" * 64, again.job)
    assert artefact.job != again.job


@pytest.mark.parametrize(("end", "status"), [(_fail, "failed"), (_cancel, "cancelled")])
def test_it_says_why_there_is_none(shelf: Shelf, end: object, status: str) -> None:
    shelf.create()
    end(shelf)  # type: ignore[operator]  # one of the functions above

    found = shelf.artefacts.get(_NOUN, "prs_1")

    assert found.status == status
    assert found.problem is not None
    assert found.problem["code"] == f"job_{status}"


def test_while_a_cancelled_job_still_runs_it_is_pending(shelf: Shelf) -> None:
    shelf.create()
    claim = _claim(shelf)
    _cancel(shelf)
    assert _status(shelf) == "pending"

    shelf.attempts.finish_cancel(claim)
    assert _status(shelf) == "cancelled"


def test_requested_again_it_has_the_same_job_while_pending_and_when_ready(shelf: Shelf) -> None:
    first, _ = shelf.create()
    assert shelf.create() == (first, False)

    shelf.make(first)
    again, is_new = shelf.create()
    assert (again.status, again.job, is_new) == ("ready", first.job, False)


@pytest.mark.parametrize("end", [_fail, _cancel, _delete])
def test_requested_again_after_an_end_without_result_it_has_a_new_job(shelf: Shelf, end: object) -> None:
    first, _ = shelf.create()
    end(shelf)  # type: ignore[operator]  # one of the functions above

    again, is_new = shelf.create()

    assert (again.id, again.status, is_new) == (first.id, "pending", True)
    assert again.job != first.job
    assert again.problem is None
    shelf.make(again)
    assert _status(shelf) == "ready"


@pytest.mark.parametrize("is_known", [False, True])
def test_of_many_who_call_at_once_one_begins_a_job(shelf: Shelf, is_known: bool) -> None:  # a parameter
    if is_known:
        shelf.create()
        _cancel(shelf)
    start = Barrier(6)

    def create(_number: int) -> tuple[str, bool]:
        start.wait()
        artefact, is_new = shelf.create()
        return artefact.job, is_new

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(create, range(6)))

    assert len({job for job, _ in answers}) == 1
    assert sum(is_new for _, is_new in answers) == 1
    with shelf.database.reading() as connection:
        n_jobs = connection.execute(select(func.count()).select_from(jobs)).scalar_one()
    assert n_jobs == 1 + is_known


def test_of_a_model_that_is_gone_nothing_is_begun(shelf: Shelf) -> None:
    with pytest.raises(Conflict):
        shelf.create(model="mdl_gone")

    assert shelf.jobs.list(10, None).data == []


def test_it_is_known_under_its_own_noun_alone(shelf: Shelf) -> None:
    shelf.create()

    for look in (shelf.artefacts.get, shelf.artefacts.delete):
        with pytest.raises(NotFound, match="no rule set has the id 'prs_1'"):
            look("rule_sets", "prs_1")
    assert shelf.artefacts.list("rule_sets", 10, None).data == []
    assert [artefact.id for artefact in shelf.artefacts.list(_NOUN, 10, None).data] == ["prs_1"]


def test_it_is_not_deleted_while_it_is_being_made_or_explained_with(shelf: Shelf) -> None:
    artefact, _ = shelf.create()
    with pytest.raises(InUse, match="cancel that first"):
        shelf.artefacts.delete(_NOUN, "prs_1")

    shelf.make(artefact)
    shelf.explain("xpl_1")
    with pytest.raises(InUse, match="explainer 'xpl_1'"):
        shelf.artefacts.delete(_NOUN, "prs_1")
    assert _status(shelf) == "ready"


def test_deleted_it_lets_go_what_no_other_artefact_has(shelf: Shelf) -> None:
    shared = some_hash()
    shelf.make(shelf.create("prs_1")[0], shared, "1" * 64)
    shelf.make(shelf.create("prs_2")[0], shared, "2" * 64)

    assert shelf.artefacts.delete(_NOUN, "prs_1") == ("1" * 64,)
    assert set(shelf.artefacts.delete(_NOUN, "prs_2")) == {shared, "2" * 64}
    with pytest.raises(NotFound):
        shelf.artefacts.get(_NOUN, "prs_1")
