"""Idempotency keys: one request may make something with a key, its equals hear what it made, others are refused."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Semaphore

import pytest

from storage.database import Database
from storage.errors import Conflict, StorageUnavailable
from storage.idempotency import IdempotencyStore, KeyClaim, RecordedAnswer, RequestKey
from tests.support.patience import PATIENCE_SECONDS
from tests.support.stored import Shelf

_KEY = RequestKey("", "key")
_MADE = RecordedAnswer(201, "mdl_1")
_PATIENCE_SECONDS = 0.3


class Clock:
    """A wall clock that a test sets."""

    seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(rows_database: Database, clock: Clock) -> IdempotencyStore:
    return IdempotencyStore(rows_database, clock, _PATIENCE_SECONDS)


def _claim(store: IdempotencyStore, request: str = "request", key: RequestKey = _KEY) -> KeyClaim:
    begun = store.begin(key, request)
    assert isinstance(begun, KeyClaim)
    return begun


def _make(store: IdempotencyStore, made: RecordedAnswer = _MADE, key: RequestKey = _KEY) -> None:
    assert store.complete(_claim(store, key=key), made) == made


def test_what_a_key_made_is_found_again(store: IdempotencyStore) -> None:
    _make(store)

    assert store.begin(_KEY, "request") == _MADE


def test_another_request_with_the_key_is_refused_before_and_after_the_first_is_done(store: IdempotencyStore) -> None:
    claim = _claim(store)
    for _ in range(2):
        with pytest.raises(Conflict, match="'key'") as refused:
            store.begin(_KEY, "another request")
        assert refused.value.code == "idempotency_key_reused"
        store.complete(claim, _MADE)


def test_a_request_that_was_refused_frees_its_key(store: IdempotencyStore) -> None:
    store.release(_claim(store))

    store.complete(_claim(store, "another request"), _MADE)
    assert store.begin(_KEY, "another request") == _MADE


def test_of_many_different_requests_at_once_one_may_make_something(store: IdempotencyStore) -> None:
    start = Barrier(8)

    def begin(number: int) -> bool:
        start.wait()
        try:
            return isinstance(store.begin(_KEY, f"request {number}"), KeyClaim)
        except Conflict:
            return False

    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(begin, range(8))) == 1


def test_of_many_equal_requests_at_once_one_makes_and_the_others_hear_what(rows_database: Database) -> None:
    patient, start = IdempotencyStore(rows_database, patience_seconds=30), Barrier(6)

    def make_claim(number: int) -> tuple[bool, RecordedAnswer]:
        start.wait()
        begun = patient.begin(_KEY, "request")
        if isinstance(begun, RecordedAnswer):
            return False, begun
        return True, patient.complete(begun, RecordedAnswer(201, f"mdl_{number}"))

    with ThreadPoolExecutor(6) as threads:
        claims = list(threads.map(make_claim, range(6)))

    assert sum(is_maker for is_maker, _ in claims) == 1
    assert len({answer for _, answer in claims}) == 1


def test_of_many_equal_requests_few_wait_and_the_others_have_to_come_again(rows_database: Database) -> None:
    patient, start = IdempotencyStore(rows_database, patience_seconds=30, most_waiting=2), Barrier(6)
    claim = _claim(patient)
    refused = Semaphore(0)

    def make_claim(_: int) -> RecordedAnswer | KeyClaim | None:
        start.wait()
        try:
            return patient.begin(_KEY, "request")
        except StorageUnavailable:
            refused.release()
            return None

    with ThreadPoolExecutor(6) as threads:
        pending = [threads.submit(make_claim, number) for number in range(6)]
        for _ in range(4):
            assert refused.acquire(timeout=PATIENCE_SECONDS)
        patient.complete(claim, _MADE)
        answers = [each.result() for each in pending]

    assert sorted(answers, key=lambda answer: answer is None) == [_MADE, _MADE, None, None, None, None]
    assert patient.begin(_KEY, "request") == _MADE


def test_an_equal_request_goes_on_where_one_was_killed(store: IdempotencyStore) -> None:
    killed = _claim(store)

    takes_over = _claim(store)

    # Had it only been slow, its failure would not free the key: somebody else has it.
    store.release(killed)
    with pytest.raises(Conflict):
        store.begin(_KEY, "another request")
    assert store.complete(takes_over, _MADE) == _MADE


def test_of_two_that_worked_on_the_same_the_one_that_made_it_counts(store: IdempotencyStore) -> None:
    slow, quick = _claim(store), _claim(store)

    assert store.complete(quick, RecordedAnswer(200, "mdl_1")) == RecordedAnswer(200, "mdl_1")
    assert store.complete(slow, _MADE) == _MADE
    assert store.begin(_KEY, "request") == _MADE


@pytest.mark.parametrize("step", [3601, -3601])
def test_a_key_whose_request_was_killed_is_free_for_others_after_an_hour(
    store: IdempotencyStore, clock: Clock, step: float
) -> None:
    _claim(store)
    clock.seconds += step

    store.complete(_claim(store, "another request"), _MADE)
    assert store.begin(_KEY, "another request") == _MADE


def test_callers_never_meet_each_others_keys(store: IdempotencyStore) -> None:
    mine, theirs = RequestKey("key_a", "key"), RequestKey("key_b", "key")
    _make(store, RecordedAnswer(201, "mine"), mine)

    theirs_made = RecordedAnswer(201, "theirs")
    store.complete(_claim(store, "another request", theirs), theirs_made)

    assert store.begin(theirs, "another request") == theirs_made
    assert store.begin(mine, "request") == RecordedAnswer(201, "mine")
    assert isinstance(store.begin(_KEY, "request"), KeyClaim)


def test_with_a_thing_go_the_keys_that_made_it(rows_database: Database) -> None:
    shelf, store = Shelf(rows_database), IdempotencyStore(rows_database)
    artefact, _ = shelf.create("prs_1")
    shelf.make(artefact)
    shelf.explain("xpl_1")
    deletions = {
        "xpl_1": shelf.explainers.delete,
        "prs_1": lambda thing: shelf.artefacts.delete("prototype_sets", thing),
        "mdl_1": shelf.models.delete,
        "ds_1": shelf.datasets.delete,
    }
    for thing in deletions:
        _make(store, RecordedAnswer(201, thing), RequestKey("", thing))

    for thing, delete in deletions.items():
        delete(thing)
        assert isinstance(store.begin(RequestKey("", thing), "request"), KeyClaim)
