"""A page of JSON ends before the row that would make it too large, and the next one begins there."""

import json
from collections.abc import Generator

import pytest

from service.operations.json_pages import MAX_PAGE_BYTES, Rows, page_blocks
from storage.errors import StorageError


def _page(rows: list[bytes], start: int = 0, n_rows: int | None = None) -> tuple[list[bytes], dict[str, object]]:
    blocks = list(page_blocks(Rows(iter(rows), start, start + len(rows) if n_rows is None else n_rows, "download")))
    return blocks, json.loads(b"".join(blocks))


@pytest.mark.parametrize("n_rows", [0, 1, 2, 1000])
def test_a_page_holds_its_rows_in_their_order(n_rows: int) -> None:
    rows = [json.dumps({"row": row}).encode() for row in range(n_rows)]

    assert _page(rows)[1] == {"object": "list", "data": [{"row": row} for row in range(n_rows)], "next_cursor": None}
    assert _page(rows, 5, 5 + n_rows + 1)[1]["next_cursor"] == str(5 + n_rows)


def test_a_page_ends_at_its_limit_and_its_blocks_are_small() -> None:
    rows = [json.dumps("x" * 99_998).encode()] * 100

    blocks, page = _page(rows)

    assert page["data"] == ["x" * 99_998] * (MAX_PAGE_BYTES // 100_001)
    assert page["next_cursor"] == str(MAX_PAGE_BYTES // 100_001)
    assert len(blocks) > 10
    assert max(map(len, blocks)) < 400_000


def test_a_row_that_no_page_can_hold_is_refused_at_once_and_a_later_one_begins_the_next_page() -> None:
    large = json.dumps("x" * MAX_PAGE_BYTES).encode()

    with pytest.raises(
        StorageError, match="row 7 alone has more than the 4,194,304 bytes of a page; download"
    ) as refused:
        page_blocks(Rows(iter([large]), 7, 9, "download"))

    assert refused.value.code == "row_too_large"
    assert _page([b"1", large])[1] == {"object": "list", "data": [1], "next_cursor": "1"}


def test_what_rows_are_read_from_is_closed_when_nobody_reads_on() -> None:
    closed: list[bool] = []

    def rows() -> Generator[bytes]:
        try:
            while True:
                yield b'"' + b"x" * 100_000 + b'"'
        finally:
            closed.append(True)

    blocks = page_blocks(Rows(rows(), 0, 1000, ""))
    next(blocks)
    blocks.close()

    assert closed == [True]
