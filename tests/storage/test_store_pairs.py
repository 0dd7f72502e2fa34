"""Store pairs: objects are used, and cleared away, by the database that they belong to, and by no other."""

import logging
from pathlib import Path

import pytest

from storage.database import Database
from storage.errors import StorageUnavailable
from storage.retention import Retention, RetentionRules
from storage.store_pairs import StoresDiffer, adopt, check_pair, check_pair_if_available, make_pair
from tests.support.databases import empty_database
from tests.support.object_stores import LocalCase, RemoteCase
from tests.support.stored import Shelf, new_dataset

Case = LocalCase | RemoteCase


def _retention(database: Database, case: Case) -> Retention:
    return Retention(database, case.open(), RetentionRules())


def _fill(database: Database, case: Case, n_objects: int = 4) -> list[str]:
    """Pair both, and put objects with a row for each; two days go by."""
    make_pair(database, case.store)
    shelf = Shelf(database)
    hashes = [case.store.put(f"object {number}".encode()) for number in range(n_objects)]
    for number, sha256 in enumerate(hashes):
        shelf.datasets.add(new_dataset(f"ds_of_{number}", content=sha256))
    case.let_time_pass()
    return hashes


def test_both_say_the_same_id_from_the_first_start_on(rows_database: Database, store_case: Case) -> None:
    make_pair(rows_database, store_case.store)
    mark = store_case.store.mark()

    make_pair(rows_database, store_case.open())

    assert mark
    assert store_case.store.mark() == mark
    assert list(store_case.store.hashes()) == []
    check_pair(rows_database, store_case.open())


def test_an_empty_database_beside_objects_is_refused_and_nothing_is_cleared(
    rows_database: Database, store_case: Case, tmp_path: Path
) -> None:
    hashes = _fill(rows_database, store_case)
    (tmp_path / "other").mkdir()
    with empty_database(tmp_path / "other") as empty:
        for use in (check_pair, make_pair, check_pair_if_available):
            with pytest.raises(StoresDiffer, match="another database"):
                use(empty, store_case.open())
        with pytest.raises(StoresDiffer):
            _retention(empty, store_case).clear(any_share=True)

    assert sorted(store_case.files()) == sorted(hashes)


def test_a_database_without_tables_is_refused_before_any_are_made(
    rows_database: Database, store_case: Case, tmp_path: Path
) -> None:
    _fill(rows_database, store_case)
    (tmp_path / "lost.db").touch()
    lost = Database(f"sqlite:///{tmp_path / 'lost.db'}")

    with pytest.raises(StoresDiffer, match="the database is empty"):
        check_pair(lost, store_case.open())

    lost.close()


def test_objects_without_a_mark_belong_to_the_database_that_refers_to_them(
    rows_database: Database, store_case: Case
) -> None:
    orphan = store_case.store.put(b"of nobody")
    with pytest.raises(StoresDiffer):
        check_pair(rows_database, store_case.store)

    Shelf(rows_database).datasets.add(new_dataset("ds_of_it", content=orphan))

    make_pair(rows_database, store_case.store)
    assert store_case.store.mark()


def test_a_store_that_lost_all_its_objects_is_refused(
    rows_database: Database, store_case: Case, tmp_path: Path
) -> None:
    _fill(rows_database, store_case)
    empty = LocalCase(tmp_path / "elsewhere")

    with pytest.raises(StoresDiffer, match="store of objects is empty"):
        check_pair(rows_database, empty.store)


def test_objects_that_are_adopted_are_still_not_all_cleared_away(
    rows_database: Database, store_case: Case, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    hashes = _fill(rows_database, store_case)
    (tmp_path / "other").mkdir()
    with empty_database(tmp_path / "other") as empty, caplog.at_level(logging.ERROR):
        adopt(empty, store_case.store)

        assert _retention(empty, store_case).clear() == {}
        assert sorted(store_case.files()) == sorted(hashes)
        assert "4 of 4 objects belong to no row" in caplog.text
        assert _retention(empty, store_case).clear(any_share=True) == {"objects": 4}
        with pytest.raises(StoresDiffer):
            check_pair(rows_database, store_case.open())


@pytest.mark.parametrize(("n_orphans", "n_cleared"), [(4, 4), (5, 0)])
@pytest.mark.sampled("values")
def test_never_more_than_half_of_all_objects_go_in_one_look(
    rows_database: Database, store_case: Case, n_orphans: int, n_cleared: int
) -> None:
    _fill(rows_database, store_case)
    for number in range(n_orphans):
        store_case.store.put(f"orphan {number}".encode())
    store_case.let_time_pass()

    assert _retention(rows_database, store_case).clear().get("objects", 0) == n_cleared


def test_a_bucket_that_does_not_answer_does_not_keep_a_service_from_starting(
    rows_database: Database, store_case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    def is_away() -> str:
        detail = "it does not answer"
        raise StorageUnavailable(detail)

    monkeypatch.setattr(store_case.store, "mark", is_away)

    check_pair_if_available(rows_database, store_case.store)
    with pytest.raises(StorageUnavailable):
        Retention(rows_database, store_case.store, RetentionRules()).clear()
