"""RecentColumns: what is held of columns, and what is read again."""

import pyarrow as pa

from storage.dataset_files.recent_columns import RecentColumns

_COLUMN_BYTES = 800


def _column(first: float) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array([first + number for number in range(100)], pa.float64())])


class _Reader:
    """Counts how often it is asked to read."""

    def __init__(self) -> None:
        self.n_reads = 0

    def __call__(self) -> pa.ChunkedArray:
        self.n_reads += 1
        return _column(float(self.n_reads))


def test_a_column_is_read_once_for_its_content_row_group_and_name() -> None:
    columns, read = RecentColumns(100 * _COLUMN_BYTES), _Reader()
    held = columns.of("one")
    assert held(0, "a", read) is held(0, "a", read)
    assert read.n_reads == 1
    for other in (held(1, "a", read), held(0, "b", read), columns.of("two")(0, "a", read)):
        assert other is not held(0, "a", read)
    assert read.n_reads == 4


def test_the_least_recently_used_columns_are_dropped_first() -> None:
    columns, read = RecentColumns(10 * _COLUMN_BYTES), _Reader()
    held = columns.of("one")
    for group in range(10):
        held(group, "a", read)
    held(0, "a", read)  # used again
    held(10, "a", read)
    assert read.n_reads == 11
    held(0, "a", read)
    assert read.n_reads == 11
    held(1, "a", read)
    assert read.n_reads == 12


def test_a_large_column_is_read_whenever_it_is_needed() -> None:
    columns, read = RecentColumns(7 * _COLUMN_BYTES), _Reader()
    held = columns.of("one")
    held(0, "a", read)
    held(0, "a", read)
    assert read.n_reads == 2


def test_nothing_is_left_of_a_dataset_that_is_deleted() -> None:
    columns, read = RecentColumns(10 * _COLUMN_BYTES), _Reader()
    for content in ("deleted", "kept"):
        for group in range(2):
            columns.of(content)(group, "a", read)
    columns.forget("deleted")
    for group in range(8):  # for which there is room beside what is left
        columns.of("new")(group, "a", read)
    assert read.n_reads == 12
    columns.of("kept")(0, "a", read)
    assert read.n_reads == 12
    columns.of("deleted")(0, "a", read)
    assert read.n_reads == 13
