"""Orphans: objects are deleted only where no row of any table refers to them."""

import pytest

from storage.errors import NotFound
from storage.object_store import ObjectStore
from storage.retention import Retention, RetentionRules, discard_orphans
from tests.support.object_stores import LocalCase, RemoteCase
from tests.support.stored import Shelf, new_dataset, new_model


def _put_with_rows(objects: ObjectStore, shelf: Shelf) -> list[str]:
    """Put six objects, each in another kind of column."""
    kept = [objects.put(f"kept {number}".encode()) for number in range(6)]
    shelf.models.add(new_model("mdl_2", leaf_graph=kept[0]))
    shelf.datasets.add(new_dataset("ds_2", content=kept[1]))
    shelf.make(shelf.create()[0], kept[2], kept[3], {"rows.csv": kept[4], "same.csv": kept[5]})
    return kept


def test_only_what_nothing_refers_to_is_discarded(shelf: Shelf, store_case: LocalCase | RemoteCase) -> None:
    objects = store_case.store
    kept = _put_with_rows(objects, shelf)
    orphan = objects.put(b"orphan")
    store_case.let_time_pass()

    assert discard_orphans(shelf.database, objects, [*kept, orphan, None]) == 1

    assert [objects.get(sha256) for sha256 in kept] == [f"kept {number}".encode() for number in range(6)]
    with pytest.raises(NotFound):
        objects.get(orphan)


def test_orphans_are_found_among_all_objects_when_they_are_old(
    shelf: Shelf, store_case: LocalCase | RemoteCase
) -> None:
    kept = _put_with_rows(store_case.store, shelf)
    store_case.store.put(b"old orphan")
    retention = Retention(shelf.database, store_case.store, RetentionRules())
    assert retention.clear() == {}
    store_case.let_time_pass()
    young = store_case.store.put(b"young orphan")

    assert retention.clear() == {"objects": 1}

    assert sorted(store_case.files()) == sorted([*kept, young])
