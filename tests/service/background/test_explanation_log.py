"""The log of explanations, over a real database: batches, a bound, failures that each caller learns of, and the end."""

import asyncio
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from service.background.explanation_log import ExplanationLog
from storage.database import Database
from storage.errors import StorageUnavailable
from storage.explanations import ExplanationRow, ExplanationStore
from storage.settings import Timeouts
from tests.support.databases import put_tables
from tests.support.stored import kept_explanation

_N_CALLERS, _N_CALLS = 16, 20


class Written:
    """A store on a file of its own, which notes the size of each batch that it committed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        put_tables(path)
        self.database = Database(f"sqlite:///{path}", Timeouts(lock_seconds=0.2))
        self.store = ExplanationStore(self.database)
        self.batches: list[int] = []

    def write(self, kept: Sequence[ExplanationRow]) -> None:
        self.store.add(kept)
        self.batches.append(len(kept))

    def ids(self) -> set[str]:
        return {each.id for each in self.store.list(1000, None).data}


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    found = Written(tmp_path / "rows.db")
    yield found
    found.database.close()


def _id(caller: int, call: int) -> str:
    return f"xpn_{caller}_{call}"


def test_sixteen_callers_share_commits_and_find_what_they_waited_for(written: Written) -> None:
    log = ExplanationLog(written.write, 1 << 20)

    async def call(caller: int) -> None:
        for number in range(_N_CALLS):
            await log.add([kept_explanation(_id(caller, number))])
            assert written.store.get(_id(caller, number)).row_id == "0"  # before anybody is answered

    async def call_at_once() -> None:
        await asyncio.gather(*(call(caller) for caller in range(_N_CALLERS)))

    log.start()
    asyncio.run(call_at_once())
    log.stop()

    assert sum(written.batches) == _N_CALLERS * _N_CALLS
    assert len(written.batches) < _N_CALLERS * _N_CALLS / 2
    assert max(written.batches) > 1


def test_beyond_its_bound_callers_are_refused_and_what_was_taken_is_written(written: Written) -> None:
    some = [kept_explanation(f"xpn_{number}") for number in range(4)]
    log = ExplanationLog(written.write, sum(each.n_bytes for each in some[:3]))

    async def call() -> list[str]:
        taken = [asyncio.create_task(log.add([each])) for each in some[:3]]
        await asyncio.sleep(0)  # each has added its own; nothing is written yet
        with pytest.raises(StorageUnavailable, match="bytes of explanations wait to be stored, at most"):
            await log.add(some[3:])
        with pytest.raises(StorageUnavailable):
            log.check_capacity()
        log.start()
        await asyncio.gather(*taken)
        log.check_capacity()
        await log.add(some[3:])
        return [each.id for each in some]

    assert written.ids() == set()
    expected = asyncio.run(call())
    log.stop()
    assert written.ids() == set(expected)
    assert written.batches == [3, 1]


def test_one_call_may_bring_more_than_the_bound_where_none_waits(written: Written) -> None:
    log = ExplanationLog(written.write, 10)
    log.start()
    asyncio.run(log.add([kept_explanation(f"xpn_{number}") for number in range(5)]))
    log.stop()

    assert written.batches == [5]


def test_where_the_database_is_locked_every_caller_of_the_batch_learns_it_and_later_ones_are_served(
    written: Written,
) -> None:
    log = ExplanationLog(written.write, 1 << 20)

    async def call() -> None:
        both = [log.add([kept_explanation(f"xpn_{number}")]) for number in range(2)]
        found = await asyncio.gather(*both, return_exceptions=True)
        assert [type(error) for error in found] == [StorageUnavailable] * 2

    log.start()
    with closing(sqlite3.connect(written.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        asyncio.run(call())
        other.execute("ROLLBACK")
    asyncio.run(log.add([kept_explanation("xpn_later")]))
    log.stop()

    assert written.ids() == {"xpn_later"}


def test_at_the_end_what_waits_is_written_and_nothing_more_is_taken(written: Written) -> None:
    log = ExplanationLog(written.write, 1 << 20)

    async def call() -> None:
        waiting = [asyncio.create_task(log.add([kept_explanation(f"xpn_{number}")])) for number in range(3)]
        left = asyncio.create_task(log.add([kept_explanation("xpn_left")]))
        await asyncio.sleep(0)
        left.cancel()  # its caller went away: what was taken is written nevertheless
        log.start()
        await asyncio.to_thread(log.stop)
        await asyncio.gather(*waiting)
        with pytest.raises(StorageUnavailable, match="about to stop"):
            await log.add([kept_explanation("xpn_late")])

    asyncio.run(call())

    assert written.ids() == {"xpn_0", "xpn_1", "xpn_2", "xpn_left"}
