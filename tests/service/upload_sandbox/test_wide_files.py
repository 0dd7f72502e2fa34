"""Files with few rows and very many columns, as gene expression has them, read by the real confined child."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import structlog
from numpy.typing import NDArray

from service.upload_sandbox.runner import UploadReader
from service.upload_sandbox.settings import UploadReaderSettings
from storage.dataset_files import DatasetFile
from storage.dataset_files.csv_reading import MAX_ROW_BYTES
from storage.errors import DatasetRefused

_MEGABYTE = 10**6
_N_DIGITS = 4
_ROOM_BYTES = 100 * 1024**2  # enough to load the libraries, too little for two blocks

# Rows, columns and digits of a value: all of these were refused while freed memory stayed on the heap.
_ONCE_REFUSED = [
    (72, 7_129, 4),  # the leukaemia data of Golub et al.
    pytest.param(500, 2_000, 3, marks=pytest.mark.long),
    (2, 10_000, 5),  # blocks just below the size from which memory is mapped
    pytest.param(102, 6_033, 6, marks=pytest.mark.long),  # the prostate data of Singh et al.
    pytest.param(200, 3_000, 4, marks=pytest.mark.long),
    pytest.param(200, 4_000, 4, marks=pytest.mark.long),
    pytest.param(200, 5_000, 3, marks=pytest.mark.long),
    pytest.param(100, 5_000, 4, marks=pytest.mark.long),
    pytest.param(200, 6_000, 2, marks=pytest.mark.long),
    pytest.param(50, 10_000, 1, marks=pytest.mark.long),
]
_N_COLUMNS = (2, 10, 100, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 7_500, 10_000)
_N_BYTES = tuple(int(size * _MEGABYTE) for size in (0.5, 1, 2.5, 5, 10, 20, 40))


@pytest.mark.long
@pytest.mark.parametrize(("n_rows", "n_columns", "n_digits"), _ONCE_REFUSED)
def test_a_wide_csv_is_read(n_rows: int, n_columns: int, n_digits: int, tmp_path: Path) -> None:
    _assert_read(_write_csv, _values(n_rows, n_columns, n_digits), tmp_path)


@pytest.mark.long
def test_the_short_last_block_of_a_wide_csv_is_read(tmp_path: Path) -> None:
    values = _values(1_700, 2_000, 5)
    n_bytes = _write_csv(tmp_path / "size", values).stat().st_size

    assert 3 * _MEGABYTE < n_bytes - MAX_ROW_BYTES < 4 * _MEGABYTE
    _assert_read(_write_csv, values, tmp_path)


@pytest.mark.long
def test_a_wide_parquet_file_and_wide_json_rows_are_read(tmp_path: Path) -> None:
    for write in (_write_parquet, _write_small_groups, _write_json):
        folder = tmp_path / write.__name__
        folder.mkdir()
        _assert_read(write, _values(50, 5_000, 4), folder)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("n_columns", "n_bytes"), list(product(_N_COLUMNS, _N_BYTES)))
def test_csv_of_every_shape_is_read(n_columns: int, n_bytes: int, tmp_path: Path) -> None:
    n_rows = max(2, n_bytes // (n_columns * (_N_DIGITS + 1)))

    _assert_read(_write_csv, _values(n_rows, n_columns, _N_DIGITS), tmp_path)


@pytest.mark.long
@pytest.mark.timeout(600)
@pytest.mark.parametrize(("n_columns", "n_bytes"), list(product((2, 100, 2_000, 10_000), _N_BYTES)))
@pytest.mark.parametrize("write", ["_write_parquet", "_write_small_groups", "_write_json"])
def test_other_forms_of_every_shape_are_read(write: str, n_columns: int, n_bytes: int, tmp_path: Path) -> None:
    n_rows = max(2, n_bytes // (n_columns * 8))

    _assert_read(globals()[write], _values(n_rows, n_columns, _N_DIGITS), tmp_path)


@pytest.mark.parametrize("is_small", [True, False])
def test_a_small_file_without_enough_memory_is_logged_as_our_fault(
    is_small: bool,  # a parameter of the test
    tmp_path: Path,
) -> None:
    upload = tmp_path / "upload"
    upload.write_bytes(b"a,b,c\n" + b"1.25,2.5,text\n" * (3_000_000 if is_small else 8_000_000))
    little = replace(UploadReaderSettings().dataset, n_memory_bytes=_ROOM_BYTES, n_memory_bytes_per_byte=0)
    reader = UploadReader(replace(UploadReaderSettings(), dataset=little))

    with structlog.testing.capture_logs() as lines, pytest.raises(DatasetRefused) as refused:
        reader.read_dataset(upload, {})

    (line,) = (line for line in lines if line["event"] != "uploads_are_less_confined")
    assert refused.value.code == "dataset_too_large"
    assert line["size_bytes"] == upload.stat().st_size
    if is_small:
        assert (line["event"], line["log_level"]) == ("upload_ran_out_of_memory", "error")
        assert line["memory_bytes"] == _ROOM_BYTES
        assert "fault of the reader" in line["reason"]
        assert "fault of the service" in str(refused.value)
    else:
        assert (line["event"], line["log_level"]) == ("upload_broke_its_child", "warning")
        assert "send fewer rows or columns" in str(refused.value)


def _assert_read(write: Callable[[Path, NDArray[np.int64]], Path], values: NDArray[np.int64], folder: Path) -> None:
    n_columns = values.shape[1]
    read = UploadReader(UploadReaderSettings()).read_dataset(write(folder / "upload", values), {})

    assert (read.summary["n_rows"], len(read.summary["columns"])) == values.shape
    assert {column["type"] for column in read.summary["columns"]} == {"number"}
    shown = sorted({0, n_columns // 2, n_columns - 1})
    with DatasetFile(read.content) as dataset:
        for index, found in zip(shown, dataset.read_columns([f"g{each}" for each in shown]), strict=True):
            assert np.array_equal(found, values[:, index])


def _values(n_rows: int, n_columns: int, n_digits: int) -> NDArray[np.int64]:
    smallest = 10 ** (n_digits - 1)
    return np.random.default_rng(0).integers(smallest, 10 * smallest, size=(n_rows, n_columns))


def _names(values: NDArray[np.int64]) -> list[str]:
    return [f"g{column}" for column in range(values.shape[1])]


def _write_csv(path: Path, values: NDArray[np.int64]) -> Path:
    with path.open("w") as file:
        file.write(",".join(_names(values)) + "\n")
        file.writelines(",".join(map(str, row)) + "\n" for row in values.tolist())
    return path


def _write_parquet(path: Path, values: NDArray[np.int64]) -> Path:
    pq.write_table(pa.table(dict(zip(_names(values), values.T, strict=True))), path)
    return path


def _write_small_groups(path: Path, values: NDArray[np.int64]) -> Path:
    table = pa.table(dict(zip(_names(values), values.T.astype(np.float64), strict=True)))
    pq.write_table(table, path, row_group_size=max(1, values.shape[0] // 8))
    return path


def _write_json(path: Path, values: NDArray[np.int64]) -> Path:
    names = _names(values)
    with path.open("w") as file:
        file.writelines(json.dumps(dict(zip(names, row, strict=True))) + "\n" for row in values.tolist())
    return path
