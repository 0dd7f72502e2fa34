"""Idempotency keys: one answer for a key, and only for the request that it was first sent with."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from storage.database import Database
from storage.errors import Conflict
from storage.idempotency import IdempotencyStore, KeptAnswer, RequestKey

_KEY = RequestKey("", "key")
_BODY = {"object": "model", "classes": ["é", "b"], "parity": None, "share": 0.1}


@pytest.fixture
def store(rows_database: Database) -> IdempotencyStore:
    return IdempotencyStore(rows_database)


def test_a_new_key_has_no_answer(store: IdempotencyStore) -> None:
    assert store.find(_KEY, "request") is None


def test_the_answer_is_found_again_as_it_was(store: IdempotencyStore) -> None:
    answer = KeptAnswer(201, _BODY)

    assert store.keep(_KEY, "request", answer) == answer
    assert store.find(_KEY, "request") == answer


def test_another_request_with_the_key_is_a_conflict(store: IdempotencyStore) -> None:
    store.keep(_KEY, "request", KeptAnswer(201, _BODY))

    for use in (store.find, lambda key, other: store.keep(key, other, KeptAnswer(201, {}))):
        with pytest.raises(Conflict, match="'key'") as refused:
            use(_KEY, "another request")
        assert refused.value.code == "idempotency_key_reused"


def test_of_many_at_once_the_first_answer_is_everybodys(store: IdempotencyStore) -> None:
    start = Barrier(6)

    def keep(number: int) -> KeptAnswer:
        start.wait()
        return store.keep(_KEY, "request", KeptAnswer(200 + number, {}))

    with ThreadPoolExecutor(6) as threads:
        answers = list(threads.map(keep, range(6)))

    assert set(map(str, answers)) == {str(store.find(_KEY, "request"))}


def test_callers_never_meet_each_others_answers(store: IdempotencyStore) -> None:
    mine, theirs = RequestKey("key_a", "key"), RequestKey("key_b", "key")
    store.keep(mine, "request", KeptAnswer(201, {"id": "mine"}))

    assert store.find(theirs, "request") is None
    assert store.find(_KEY, "request") is None
    assert store.keep(theirs, "another request", KeptAnswer(201, {"id": "theirs"})).body == {"id": "theirs"}
    assert store.find(mine, "request") == KeptAnswer(201, {"id": "mine"})
