"""Rows read back from a normalised file."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from schemas.datasets import DatasetRow
from storage.dataset_files import DatasetFile, DatasetLimits, DeclaredColumns, read_upload

N_ROWS = 150_000


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DatasetFile]:
    folder = tmp_path_factory.mktemp("dataset")
    lines = (
        f"{i},{'' if i % 10 == 3 else i / 2},{'ab'[i % 2] if i % 7 else ''},{'true' if i % 3 else ''}"
        for i in range(N_ROWS)
    )
    (folder / "upload").write_text("id,number,category,flag\n" + "\n".join(lines))
    declared = DeclaredColumns(row_id="id")
    read_upload(folder / "upload", None, declared, DatasetLimits(), folder / "file")
    with DatasetFile(folder / "file") as opened:
        yield opened


def test_a_range_across_row_groups_is_read_in_order(dataset: DatasetFile) -> None:
    start, stop = 65_530, 131_080
    (number, category, flag) = dataset.read_columns(["number", "category", "flag"], start, stop)
    rows = np.arange(start, stop)
    assert number.dtype == np.float64
    np.testing.assert_array_equal(number, np.where(rows % 10 == 3, np.nan, rows / 2))
    assert category.tolist() == ["ab"[row % 2] if row % 7 else None for row in rows]
    np.testing.assert_array_equal(flag, np.where(rows % 3, 1.0, np.nan))


@pytest.mark.parametrize(
    ("start", "stop", "n_rows"), [(0, 0, 0), (N_ROWS, N_ROWS + 5, 0), (N_ROWS - 1, N_ROWS + 5, 1), (0, 65_536, 65_536)]
)
def test_ranges_at_the_edges_are_cut(start: int, stop: int, n_rows: int, dataset: DatasetFile) -> None:
    assert [len(column) for column in dataset.read_columns(["number", "category"], start, stop)] == [n_rows, n_rows]
    if 0 < stop - start < 10:
        assert dataset.page(dataset.names, start, stop - start, 1 << 20).n_rows == n_rows


def test_blocks_join_to_the_whole_and_none_reaches_into_the_next_row_group(dataset: DatasetFile) -> None:
    blocks = [block[0] for block in dataset.iter_blocks(["number"], 40_000)]
    assert [len(block) for block in blocks] == [40_000, 25_536, 40_000, 25_536, 18_928]
    np.testing.assert_array_equal(np.concatenate(blocks), dataset.read_columns(["number"])[0])


def test_any_rows_are_taken_in_the_order_requested(dataset: DatasetFile) -> None:
    rows = [149_999, 3, 70_000, 3, 0]
    taken = dataset.take(np.array(rows))
    numbers = [cell["value"] for row in taken for cell in row["values"] if cell["name"] == "number"]
    assert numbers == [149_999 / 2, None, 35_000.0, None, 0.0]
    assert dataset.row_ids(rows) == ["149999", "3", "70000", "3", "0"]
    assert [row["row"] for row in taken] == rows
    assert dataset.take([]) == []


@pytest.mark.parametrize("rows", [[N_ROWS], [-1]])
def test_a_row_that_does_not_exist_is_an_error(rows: list[int], dataset: DatasetFile) -> None:
    with pytest.raises(IndexError, match="rows are between 0 and 149999"):
        dataset.take(rows)


def test_row_objects_are_what_the_contract_describes(dataset: DatasetFile) -> None:
    (row,) = dataset.take([3])
    assert row == {
        "object": "row",
        "row": 3,
        "row_id": "3",
        "values": [
            {"name": "id", "value": "3"},
            {"name": "number", "value": None},
            {"name": "category", "value": "b"},
            {"name": "flag", "value": None},
        ],
    }
    assert DatasetRow.model_validate(row).row_id == "3"


def test_rows_without_ids_are_known_by_their_number(tmp_path: Path) -> None:
    (tmp_path / "upload").write_text("a\n5\n6\n")
    read_upload(tmp_path / "upload", None, DeclaredColumns(), DatasetLimits(), tmp_path / "file")
    with DatasetFile(tmp_path / "file") as small:
        assert small.row_ids() == ["0", "1"]
        assert small.row_ids([1]) == ["1"]
        assert small.features == ("a",)
        assert small.n_rows == 2
        assert small.column("a").type == "number"
        with pytest.raises(KeyError):
            small.column("b")
