"""Pages of rows hold as many rows as fit, whatever the columns are like, and are made without reading many more."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from storage.dataset_files.row_pages import RowGroup, RowPage, read_page

_N_ROWS = 500
_RNG = np.random.default_rng(0)


def _texts(length: int, n_distinct: int) -> pa.Array:
    distinct = np.array([f"{number}" + "é" * length for number in range(n_distinct)], dtype=object)
    values = distinct[_RNG.integers(n_distinct, size=_N_ROWS)]
    values[_RNG.random(_N_ROWS) < 0.1] = None
    return pa.array(values, pa.string())


_COLUMNS = {
    "number": pa.array(_RNG.random(_N_ROWS), mask=_RNG.random(_N_ROWS) < 0.1),
    "a": pa.array(_RNG.random(_N_ROWS) < 0.5),
    "a.b": _texts(5, 3),
    "few long": _texts(20_000, 2),
    "many long": _texts(20_000, _N_ROWS),
    "missing": pa.array([None] * _N_ROWS, pa.string()),
}


@pytest.fixture(scope="module")
def group(tmp_path_factory: pytest.TempPathFactory) -> RowGroup:
    path: Path = tmp_path_factory.mktemp("pages") / "rows.parquet"
    pq.write_table(pa.table(_COLUMNS), path, compression="zstd", store_schema=False)
    return RowGroup(pq.ParquetFile(path), pq.ParquetFile(path, read_dictionary=[2, 3, 4, 5]), 0)


def _least_bytes(names: list[str], start: int) -> NDArray[np.int64]:
    """Return the bytes of the rows from ``start`` up to each one, counted plainly."""
    total = np.zeros(_N_ROWS - start, dtype=np.int64)
    for name in names:
        cells = _COLUMNS[name].to_pylist()[start:]
        lengths = [len(cell.encode()) if isinstance(cell, str) else 0 for cell in cells]
        total += np.array(lengths) + len(name) + 22
    return np.cumsum(total)


@pytest.mark.parametrize("start", [0, 7, 499])
@pytest.mark.parametrize("n_bytes", [100, 50_000, 500_000, 1 << 30])
@pytest.mark.parametrize("names", [list(_COLUMNS), ["many long"], ["few long"], ["a.b", "a"], ["number"], ["missing"]])
@pytest.mark.sampled("values")
def test_a_page_holds_as_many_rows_as_fit(group: RowGroup, names: list[str], n_bytes: int, start: int) -> None:
    page: RowPage = read_page(group, names, range(start, _N_ROWS), n_bytes)

    ends = _least_bytes(names, start)
    n_fitting = int((ends <= n_bytes).sum())
    assert page.n_rows == n_fitting
    assert [column.to_pylist() for column in page.columns] == [
        _COLUMNS[name].to_pylist()[start : start + n_fitting] for name in names[: len(page.columns)]
    ]
    assert len(page.columns) == (len(names) if n_fitting else 0)
    assert page.n_bytes == ends[max(0, n_fitting - 1)] or not n_fitting


def test_columns_are_plain_and_hold_no_more_than_their_rows(group: RowGroup) -> None:
    page = read_page(group, list(_COLUMNS), range(3, 6), 1 << 20)

    assert [str(column.type) for column in page.columns] == ["double", "bool", "string", "string", "string", "string"]
    assert sum(column.get_total_buffer_size() for column in page.columns) < 400_000


def test_of_a_column_with_one_text_for_all_rows_few_are_decoded(group: RowGroup, tmp_path: Path) -> None:
    path = tmp_path / "one.parquet"
    text = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000, pa.int32()), pa.array(["a" * 100_000]))
    pq.write_table(pa.table({"a": text}), path, store_schema=False)
    group = RowGroup(pq.ParquetFile(path), pq.ParquetFile(path, read_dictionary=[0]), 0)
    before = pa.default_memory_pool().max_memory()

    page = read_page(group, ["a"], range(99_000, 100_000), 4 << 20)

    assert page.n_rows == 41
    assert pa.default_memory_pool().max_memory() - before < 32 << 20
