"""Tables are read by line and by value wherever their row groups begin and end."""

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from service.operations.artefact_tables import StoredTable
from service.operations.proximities import neighbors_of
from service.routes.table_answers import csv_of

_ROWS = np.repeat(np.arange(40), np.arange(40) % 4)  # sorted, some values without any line
_LINES = pa.table({"row": _ROWS, "line": np.arange(len(_ROWS))})


def _opened(path: Path) -> StoredTable:
    return StoredTable(path.open("rb"), path.stat().st_size)


@pytest.fixture(params=[1, 7, 1000])
def table(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StoredTable]:
    path = tmp_path / "table.parquet"
    pq.write_table(_LINES, path, row_group_size=request.param)
    with _opened(path) as opened:
        yield opened


def test_any_lines_can_be_read(table: StoredTable) -> None:
    assert table.n_rows == len(_ROWS) == 60
    for start in range(0, 61, 3):
        for stop in (start, start + 1, start + 10, 60):
            expected = list(range(start, min(stop, 60)))
            assert table.read(start, min(stop, 60)).column("line").to_pylist() == expected


def test_lines_are_found_by_a_value_that_they_are_sorted_by(table: StoredTable) -> None:
    for start in range(45):
        for stop in (start, start + 1, start + 9, 100):
            expected = np.flatnonzero(np.isin(_ROWS, np.arange(start, stop))).tolist()
            assert table.read_where("row", start, stop).column("line").to_pylist() == expected


def test_blocks_are_all_lines_in_order(table: StoredTable) -> None:
    assert pa.concat_tables(table.blocks()).equals(_LINES)


def test_a_table_without_lines_has_columns(tmp_path: Path) -> None:
    path = tmp_path / "empty.parquet"
    pq.ParquetWriter(path, _LINES.schema).close()

    with _opened(path) as table:
        assert table.n_rows == 0
        assert list(table.blocks()) == []
        assert table.read(0, 0).schema == table.read_where("row", 0, 9).schema == _LINES.schema
        assert csv_of(table.schema.empty_table()) == b'"row","line"\n'


def test_groups_without_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "gaps.parquet"
    with pq.ParquetWriter(path, _LINES.schema) as writer:
        for lines in (_LINES.slice(0, 0), _LINES.slice(0, 20), _LINES.slice(20, 0), _LINES.slice(20)):
            writer.write_table(lines)

    with _opened(path) as table:
        assert table.read(0, 60).equals(_LINES)
        assert table.read_where("row", 0, 40).equals(_LINES)
        assert pa.concat_tables(table.blocks()).equals(_LINES)


def test_a_table_can_be_read_on_when_its_file_is_gone(table: StoredTable, tmp_path: Path) -> None:
    (tmp_path / "table.parquet").unlink()

    assert table.read(0, 60).equals(_LINES)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\tx", "\rx"])
def test_texts_that_a_spreadsheet_would_run_are_quoted_and_nothing_else(text: str) -> None:
    lines = pa.table({"text": [text, f"a{text}", None, ""], "number": [-1.5, 2.0, None, 0.0]})

    written = csv_of(lines).decode()

    assert written == f'"text","number"\n"\'{text}",-1.5\n"a{text}",2\n,\n"",0\n'


def test_the_neighbours_of_rows_are_read_from_a_table(tmp_path: Path) -> None:
    path = tmp_path / "neighbors.parquet"
    columns = {"row": [0, 2], "row_id": ["a", "c"], "rank": [1, 1], "neighbor_row": [2, 0]}
    pq.write_table(pa.table({**columns, "neighbor_row_id": ["c", "a"], "proximity": [0.75, 0.75]}), path)

    with _opened(path) as opened:
        rows = [json.loads(row) for row in neighbors_of(opened, range(3), ["a", "b", "c"])]

    near = {"proximity": 0.75, "distance": 0.25}
    assert rows == [
        {"row": 0, "row_id": "a", "neighbors": [{"row": 2, "row_id": "c", **near}]},
        {"row": 1, "row_id": "b", "neighbors": []},
        {"row": 2, "row_id": "c", "neighbors": [{"row": 0, "row_id": "a", **near}]},
    ]
