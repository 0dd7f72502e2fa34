"""Files of artefacts: published with the result, replaced as a whole, let go when nothing else refers to them."""

import pytest
from sqlalchemy import func, select

from storage.artefacts import publish
from storage.errors import NotFound
from storage.tables import artefact_files
from tests.support.stored import Shelf, new_dataset, some_hash

_NOUN = "prototype_sets"


def test_files_are_served_wherever_the_artefact_is(shelf: Shelf) -> None:
    files = {"rows.parquet": some_hash(), "rows.csv": some_hash()}
    requested, _ = shelf.create()
    other, _ = shelf.create("prs_2")
    assert requested.files == {}

    shelf.make(requested, files=files)
    shelf.make(other)

    assert shelf.artefacts.get(_NOUN, "prs_1").files == files
    assert shelf.create()[0].files == files
    assert [found.files for found in shelf.artefacts.list(_NOUN, 10, None).data] == [{}, files]


def test_publishing_again_replaces_all_files(shelf: Shelf) -> None:
    artefact, _ = shelf.create()
    shelf.make(artefact, files={"rows.csv": some_hash(), "old.csv": some_hash()})
    files = {"rows.csv": some_hash()}

    with shelf.database.transaction() as connection:
        publish(connection, artefact.id, some_hash(), None, files)

    assert shelf.artefacts.get(_NOUN, artefact.id).files == files


def test_deleted_with_its_files_it_lets_go_what_nobody_else_has(shelf: Shelf) -> None:
    result, arrays, shared = some_hash(), some_hash(), some_hash()
    shelf.make(shelf.create("prs_1")[0], result, arrays, {"rows.csv": shared, "same.csv": shared})
    shelf.make(shelf.create("prs_2")[0], files={"rows.csv": shared})

    assert set(shelf.artefacts.delete(_NOUN, "prs_1")) == {result, arrays}
    assert shared in shelf.artefacts.delete(_NOUN, "prs_2")
    with shelf.database.reading() as connection:
        assert connection.execute(select(func.count()).select_from(artefact_files)).scalar_one() == 0
    with pytest.raises(NotFound):
        shelf.artefacts.get(_NOUN, "prs_1")


def test_a_file_that_was_uploaded_again_as_a_dataset_is_kept_for_it(shelf: Shelf) -> None:
    rows, elsewhere = some_hash(), some_hash()
    shelf.make(shelf.create()[0], rows, elsewhere, {"rows.parquet": rows})
    shelf.datasets.add(new_dataset("ds_2", sha256=rows, content="c" * 64))

    assert shelf.artefacts.delete(_NOUN, "prs_1") == (elsewhere,)
    assert set(shelf.datasets.delete("ds_2")) == {rows, "c" * 64}
