"""Pages: each row exactly once, newest first, whatever is added meanwhile."""

import base64
import json

import pytest
from sqlalchemy import update

from storage.errors import StorageError
from storage.tables import models
from tests.support.stored import Shelf, new_model

_ODD_CURSORS = (
    "",
    "x",
    "é",
    "....",
    base64.urlsafe_b64encode(b"not JSON").decode(),
    base64.urlsafe_b64encode(b"\xff\xfe").decode(),
    *(
        base64.urlsafe_b64encode(json.dumps(value).encode()).decode()
        for value in (None, 7, [], [1.0], [1.0, "mdl_1", 2], {"a": 1, "b": 2}, [[1], "mdl_1"], ["x", "y"])
    ),
)


def _walk(shelf: Shelf, limit: int) -> list[list[str]]:
    pages, cursor = [], None
    while True:
        page = shelf.models.list(limit, cursor)
        pages.append([model.id for model in page.data])
        cursor = page.next_cursor
        if cursor is None:
            return pages


def _fill(shelf: Shelf) -> None:
    for position in range(2, 8):
        shelf.models.add(new_model(f"mdl_{position}"))
    with shelf.database.transaction() as connection:
        # Three of one moment, so that the id has to decide.
        connection.execute(update(models).where(models.c.id.in_(["mdl_3", "mdl_4", "mdl_5"])).values(created_at=5.0))
        for position in (1, 2, 6, 7):
            at = update(models).where(models.c.id == f"mdl_{position}").values(created_at=float(position))
            connection.execute(at)


def test_pages_of_any_size_hold_each_row_once_newest_first(shelf: Shelf) -> None:
    _fill(shelf)
    for limit in (1, 2, 3, 7, 1000):
        pages = _walk(shelf, limit)

        newest_first = ["mdl_7", "mdl_6", "mdl_5", "mdl_4", "mdl_3", "mdl_2", "mdl_1"]
        assert [name for page in pages for name in page] == newest_first
        assert all(len(page) == limit for page in pages[:-1])
        assert 0 < len(pages[-1]) <= limit


def test_rows_that_come_and_go_do_not_shift_the_pages(shelf: Shelf) -> None:
    _fill(shelf)
    first = shelf.models.list(3, None)
    shelf.models.add(new_model("mdl_8"))
    shelf.models.delete("mdl_5")  # the last one of the first page

    rest = shelf.models.list(10, first.next_cursor)

    assert [model.id for model in rest.data] == ["mdl_4", "mdl_3", "mdl_2", "mdl_1"]


def test_a_cursor_that_no_list_gave_is_refused_by_name(shelf: Shelf) -> None:
    for cursor in _ODD_CURSORS:
        with pytest.raises(StorageError) as refused:
            shelf.models.list(3, cursor)

        assert (refused.value.code, refused.value.pointer) == ("validation_failed", "/cursor"), cursor


def test_an_empty_list_is_one_empty_page(shelf: Shelf) -> None:
    assert shelf.explainers.list(10, None).model_dump() == {"object": "list", "data": [], "next_cursor": None}
