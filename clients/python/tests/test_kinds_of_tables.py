"""Whatever holds rows, the cells are the same: frames of Polars, tables of Arrow and sparse matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from leafspace_client import Invalid
from leafspace_client.conversion.models import convert_model
from leafspace_client.rows import instances_of
from leafspace_client.tables import TableNames, table_file
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

COLUMNS = {"a": [1.0, 0.0, 3.5, 0.0], "b": [0.0, 2.0, 0.0, 7.0]}
LABELS = ["no", "yes", "no", "yes"]
NO_NAMES = TableNames(None, None, None)
TABLES: dict[str, Callable[[Any], Any]] = {
    "polars": pl.DataFrame,
    "lazy": lambda columns: pl.DataFrame(columns).lazy(),
    "arrow": pa.table,
    "batch": pa.RecordBatch.from_pydict,
}
SPARSE = [sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array, sparse.csc_array, sparse.coo_array]


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_rows_by_name(kind: str) -> None:
    expected = instances_of(pd.DataFrame(COLUMNS))
    assert instances_of(TABLES[kind](COLUMNS)) == expected


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_datasets(kind: str) -> None:
    file, _names = table_file(TABLES[kind](COLUMNS | {"label": [*LABELS[:3], None]}), NO_NAMES)
    assert pq.read_table(file.content).to_pydict() == COLUMNS | {"label": [*LABELS[:3], None]}


@pytest.mark.parametrize("target", [pl.Series(LABELS), pa.array(LABELS), pa.chunked_array([LABELS]), np.array(LABELS)])
def test_features_and_target_may_be_of_any_library(target: Any) -> None:  # a column
    file, names = table_file((pl.DataFrame(COLUMNS), target), NO_NAMES)
    assert names.target == "target"
    assert pq.read_table(file.content).to_pydict() == COLUMNS | {"target": LABELS}


@pytest.mark.parametrize("matrix", SPARSE)
def test_sparse_matrices_are_rows_and_datasets(matrix: Callable[[Any], Any]) -> None:
    dense = np.column_stack(list(COLUMNS.values()))
    assert instances_of(matrix(dense)) == dense.tolist()
    file, _names = table_file((matrix(dense), LABELS), TableNames(None, None, ["a", "b"]))
    assert pq.read_table(file.content).to_pydict() == COLUMNS | {"target": LABELS}


@pytest.mark.parametrize("matrix", SPARSE)
def test_models_are_compared_on_sparse_rows(matrix: Callable[[Any], Any]) -> None:
    dense = np.column_stack(list(COLUMNS.values()))
    forest = RandomForestClassifier(3, random_state=0).fit(dense, LABELS)
    assert convert_model(forest, matrix(dense)).metadata() == convert_model(forest, dense).metadata()


@pytest.mark.parametrize("kind", TABLES)
def test_models_know_the_columns_of_any_table(kind: str) -> None:
    frame = pd.DataFrame(COLUMNS)
    forest = RandomForestClassifier(3, random_state=0).fit(frame, LABELS)
    assert convert_model(forest, TABLES[kind](COLUMNS)).metadata() == convert_model(forest, frame).metadata()


def test_a_column_of_sparse_values_is_one_of_numbers() -> None:
    frame = pd.DataFrame({name: pd.arrays.SparseArray(values) for name, values in COLUMNS.items()})
    file, _names = table_file(frame, NO_NAMES)
    assert pq.read_table(file.content).to_pydict() == COLUMNS


@pytest.mark.parametrize("wards", [[10, 20, 10], [1.5, 2.0, None]])
def test_categories_that_are_numbers_stay_numbers(wards: list[float | None]) -> None:
    file, _names = table_file(pd.DataFrame({"ward": pd.Categorical(wards)}), NO_NAMES)
    table = pq.read_table(file.content)
    assert table.schema.field("ward").type in {pa.int64(), pa.float64()}
    assert table.to_pydict() == {"ward": wards}


def test_arrays_of_objects_that_are_numbers_are_numbers() -> None:
    dense = np.column_stack(list(COLUMNS.values()))
    forest = RandomForestClassifier(3, random_state=0).fit(dense, LABELS)
    assert convert_model(forest, dense.astype(object)).metadata() == convert_model(forest, dense).metadata()


def test_names_of_several_levels_are_refused_in_words() -> None:
    frame = pd.DataFrame({("a", "x"): [1.0], ("a", "y"): [2.0]})
    with pytest.raises(Invalid, match="several levels; make each one text"):
        instances_of(frame)
