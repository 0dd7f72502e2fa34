"""Rows of datasets: kept once, not deleted while in use as rows or as evaluation, objects shared and let go."""

import pytest

from storage.errors import InUse, NotFound
from tests.support.stored import Shelf, new_dataset, some_hash


def test_a_dataset_is_read_as_it_was_summarised(shelf: Shelf) -> None:
    stored = shelf.datasets.get("ds_1")

    assert (stored.view.n_rows, stored.view.target, stored.view.row_id) == (3, "t", None)
    assert stored.features == tuple(f"f{position}" for position in range(30))


def test_adding_a_dataset_again_keeps_the_first(shelf: Shelf) -> None:
    first = shelf.datasets.get("ds_1").view

    assert shelf.datasets.add(new_dataset("ds_1", name="another name")) == (first, False)


def test_an_unknown_dataset_is_not_found(shelf: Shelf) -> None:
    assert shelf.datasets.find("ds_2") is None
    for look in (shelf.datasets.get, shelf.datasets.delete):
        with pytest.raises(NotFound, match="no dataset has the id 'ds_2'"):
            look("ds_2")


def test_only_objects_that_no_other_dataset_refers_to_are_let_go(shelf: Shelf) -> None:
    upload = some_hash()
    shelf.datasets.add(new_dataset("ds_2", sha256=upload, content="2" * 64))
    shelf.datasets.add(new_dataset("ds_3", sha256=upload, content="3" * 64))

    assert shelf.datasets.delete("ds_2") == ("2" * 64,)
    assert set(shelf.datasets.delete("ds_3")) == {upload, "3" * 64}


@pytest.mark.parametrize("use", ["dataset", "evaluation_dataset"])
def test_a_dataset_in_use_is_not_deleted_and_its_user_is_named(shelf: Shelf, use: str) -> None:
    shelf.datasets.add(new_dataset("ds_2"))
    shelf.create(**{use: "ds_2"})

    with pytest.raises(InUse, match="artefact 'prs_1'"):
        shelf.datasets.delete("ds_2")
    assert shelf.datasets.find("ds_2") is not None
