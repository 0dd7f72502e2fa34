"""Leaf tables: one for a model and a dataset, however many make it; it goes with either, and keeps neither."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import pytest
from sqlalchemy import func, select

from storage.errors import Conflict
from storage.leaf_tables import LeafTableKey, LeafTableObjects, LeafTableStore
from storage.tables import leaf_tables
from tests.support.stored import Shelf, new_dataset, new_model, some_hash

_PLACE = LeafTableKey("mdl_1", "ds_1", 2)


@pytest.fixture
def tables(shelf: Shelf) -> LeafTableStore:
    return LeafTableStore(shelf.database)


def _some_table() -> LeafTableObjects:
    return LeafTableObjects(some_hash(), some_hash())


def _n_rows(shelf: Shelf) -> int:
    with shelf.database.reading() as connection:
        return connection.execute(select(func.count()).select_from(leaf_tables)).scalar_one()


def test_a_table_is_found_by_its_model_dataset_and_revision_alone(shelf: Shelf, tables: LeafTableStore) -> None:
    shelf.models.add(new_model("mdl_2"))
    shelf.datasets.add(new_dataset("ds_2"))
    assert tables.find(_PLACE) is None
    table = _some_table()

    assert tables.add(_PLACE, table) == table

    assert tables.find(_PLACE) == table
    others = (replace(_PLACE, model="mdl_2"), replace(_PLACE, dataset="ds_2"), replace(_PLACE, revision=3))
    assert [tables.find(place) for place in others] == [None] * 3


def test_of_many_who_keep_a_table_at_once_one_does_and_all_learn_which(shelf: Shelf, tables: LeafTableStore) -> None:
    start = Barrier(6)

    def keep(_number: int) -> LeafTableObjects:
        start.wait()
        return tables.add(_PLACE, _some_table())

    with ThreadPoolExecutor(6) as threads:
        kept = set(threads.map(keep, range(6)))

    assert kept == {tables.find(_PLACE)}
    assert _n_rows(shelf) == 1


@pytest.mark.parametrize("change", [{"model": "mdl_gone"}, {"dataset": "ds_gone"}])
def test_of_a_model_or_dataset_that_is_gone_nothing_is_kept(
    shelf: Shelf, tables: LeafTableStore, change: dict[str, str]
) -> None:
    with pytest.raises(Conflict):
        tables.add(replace(_PLACE, **change), _some_table())  # type: ignore[arg-type]  # names of fields

    assert _n_rows(shelf) == 0


def test_deleting_a_model_takes_its_tables_along(shelf: Shelf, tables: LeafTableStore) -> None:
    new = new_model("mdl_2")
    shelf.models.add(new)
    shelf.datasets.add(new_dataset("ds_2"))
    first, second, others = _some_table(), _some_table(), _some_table()
    tables.add(replace(_PLACE, model="mdl_2"), first)
    tables.add(replace(_PLACE, model="mdl_2", dataset="ds_2"), replace(second, outcome=others.outcome))
    tables.add(_PLACE, others)

    gone = shelf.models.delete("mdl_2")

    # The outcome of the one table is the same bytes as that of another model's, and stays.
    assert set(gone) == {new.sha256, new.leaf_graph, new.ensemble, first.codes, first.outcome, second.codes}
    assert tables.find(_PLACE) == others
    assert _n_rows(shelf) == 1


def test_deleting_a_dataset_takes_its_tables_along(shelf: Shelf, tables: LeafTableStore) -> None:
    new, table = new_dataset("ds_2"), _some_table()
    shelf.datasets.add(new)
    tables.add(replace(_PLACE, dataset="ds_2"), table)

    assert set(shelf.datasets.delete("ds_2")) == {new.sha256, new.content, table.codes, table.outcome}
    assert _n_rows(shelf) == 0


def test_a_table_is_forgotten_only_while_it_is_the_one_that_is_kept(shelf: Shelf, tables: LeafTableStore) -> None:
    damaged, replacement = _some_table(), _some_table()
    tables.add(_PLACE, damaged)

    assert set(tables.forget(_PLACE, damaged)) == {damaged.codes, damaged.outcome}
    tables.add(_PLACE, replacement)

    assert tables.forget(_PLACE, damaged) == ()
    assert tables.find(_PLACE) == replacement
    assert _n_rows(shelf) == 1


def test_tables_of_earlier_revisions_are_let_go(tables: LeafTableStore) -> None:
    old, new, other = _some_table(), _some_table(), _some_table()
    tables.add(replace(_PLACE, revision=1), old)
    tables.add(_PLACE, new)
    tables.add(replace(_PLACE, revision=3), other)

    assert set(tables.forget_outdated(_PLACE)) == {old.codes, old.outcome}

    assert tables.find(replace(_PLACE, revision=1)) is None
    assert (tables.find(_PLACE), tables.find(replace(_PLACE, revision=3))) == (new, other)
