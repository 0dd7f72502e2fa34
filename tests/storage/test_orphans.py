"""Orphans: objects are deleted only where no row of any table refers to them."""

from pathlib import Path

import pytest

from storage.errors import NotFound
from storage.object_store import ObjectStore
from storage.orphans import discard_orphans
from tests.support.stored import Shelf, new_dataset, new_model


def test_only_what_nothing_refers_to_is_discarded(shelf: Shelf, tmp_path: Path) -> None:
    objects = ObjectStore(tmp_path / "objects")
    kept = [objects.put(f"kept {number}".encode()) for number in range(6)]
    orphan = objects.put(b"orphan")
    shelf.models.add(new_model("mdl_2", leaf_graph=kept[0]))
    shelf.datasets.add(new_dataset("ds_2", content=kept[1]))
    shelf.make(shelf.ask()[0], kept[2], kept[3], {"rows.csv": kept[4], "same.csv": kept[5]})

    discard_orphans(shelf.database, objects, [*kept, orphan, None])

    assert [objects.get(sha256) for sha256 in kept] == [f"kept {number}".encode() for number in range(6)]
    with pytest.raises(NotFound):
        objects.get(orphan)
