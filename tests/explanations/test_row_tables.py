"""RowTable: the same rows, found and taken, as from the dataset's file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from explanations import row_tables
from explanations.dataset_rows import DatasetRows
from explanations.row_tables import RowTable, read_row_table
from storage.dataset_files import DatasetFile, DatasetLimits, DeclaredColumns, read_upload
from storage.errors import StorageError

_N_ROWS = 70_000  # more than a row group has
_COLUMNS = ("flag", "text", "number", "empty")
_PLENTY = 1 << 30


def _frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    rows = np.arange(_N_ROWS)
    texts = np.array(["é", "", "a long text", "1", "NaN"], object)[rng.integers(0, 5, _N_ROWS)]
    return pd.DataFrame(
        {
            "id": [f"row {row}" for row in rows],
            "number": np.where(rows % 10 == 3, np.nan, rng.choice([1.5, -0.0, 0.1, np.inf, 1e300], _N_ROWS)),
            "text": pd.Series(texts).where(pd.Series(rows % 7 > 0), None),
            "flag": pd.Series(rows % 3 == 0).astype("boolean").where(rows % 11 > 0),
            "empty": pd.Series([None] * _N_ROWS, dtype="float64"),
            "class": np.array(["no", "yes", "perhaps", None], object)[rows % 4],
            "amount": np.where(rows % 5, rows / 8, np.nan),
        }
    )


@pytest.fixture(scope="module", params=["named", "numbered"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DatasetFile]:
    folder = tmp_path_factory.mktemp("dataset")
    _frame().to_parquet(folder / "upload")
    declared = DeclaredColumns(row_id="id" if request.param == "named" else None)
    read_upload(folder / "upload", None, declared, DatasetLimits(), folder / "file")
    with DatasetFile(folder / "file") as opened:
        yield opened


def _table(file: DatasetFile, target: str | None = None, most_bytes: int = _PLENTY) -> RowTable:
    table = read_row_table(file, _COLUMNS, target, most_bytes)
    assert table is not None
    return table


def test_rows_are_those_of_the_file(file: DatasetFile) -> None:
    rows = [*np.random.default_rng(1).permutation(_N_ROWS)[:500].tolist(), 0, 7, 0]
    expected = DatasetRows(file, _COLUMNS).take(rows, _PLENTY)
    taken = _table(file).take(rows, _PLENTY)
    assert repr(taken) == repr(expected)  # which tells -0.0 from 0.0, and True from 1
    assert {type(value) for row in taken for value in row} == {bool, str, float, type(None)}
    assert _table(file).take([], _PLENTY) == []


@pytest.mark.parametrize(("target", "classes"), [("class", ["no", "yes"]), ("amount", []), ("class", []), (None, [])])
def test_targets_are_those_of_the_file(file: DatasetFile, target: str | None, classes: list[str]) -> None:
    rows = list(range(_N_ROWS - 50, _N_ROWS))
    expected = DatasetRows(file, _COLUMNS, target).take_targets(classes, rows)
    table = _table(file, target)
    assert table.take_targets(classes, rows) == expected
    assert repr(table.take(rows, _PLENTY)) == repr(DatasetRows(file, _COLUMNS).take(rows, _PLENTY))


def test_ids_are_found_as_in_the_file(file: DatasetFile, monkeypatch: pytest.MonkeyPatch) -> None:
    row_ids = ["row 69999", "row 0", "row", "row 70000", "5", "05", "69999", "70000", "-1", "", "٣"]
    expected = file.find_rows(row_ids)
    assert len(expected) == 2
    assert _table(file).find_rows(row_ids) == expected
    # Ids whose hashes are equal are told from each other.
    monkeypatch.setattr(row_tables, "_hashes", lambda ids: np.array([len(row_id) for row_id in ids]))
    assert _table(file).find_rows(row_ids) == expected


def test_more_text_than_a_call_may_have_is_refused_as_from_the_file(file: DatasetFile) -> None:
    rows = list(range(100))
    texts = [text for _, text, *_ in map(list, _table(file).take(rows, _PLENTY)) if text is not None]
    n_bytes = sum(len(text.encode()) for text in texts)
    for source in (_table(file), DatasetRows(file, _COLUMNS)):
        assert len(source.take(rows, n_bytes)) == 100
        with pytest.raises(StorageError, match="more text than one call") as refused:
            source.take(rows, n_bytes - 1)
        assert refused.value.code == "too_many_rows"


def test_a_dataset_that_is_too_large_has_no_table(file: DatasetFile, tmp_path: Path) -> None:
    n_bytes = _table(file).nbytes
    assert n_bytes >= _N_ROWS * len(_COLUMNS) * 8
    assert read_row_table(file, _COLUMNS, None, _N_ROWS * len(_COLUMNS) * 8) is None
    long = pd.DataFrame({"text": [f"{row:0100}" for row in range(1000)]})
    long.to_parquet(tmp_path / "upload")
    read_upload(tmp_path / "upload", None, DeclaredColumns(), DatasetLimits(), tmp_path / "file")
    with DatasetFile(tmp_path / "file") as opened:
        assert read_row_table(opened, ["text"], None, 50_000) is None
        table = read_row_table(opened, ["text"], None, 200_000)
    assert table is not None
    assert 100_000 < table.nbytes <= 200_000
