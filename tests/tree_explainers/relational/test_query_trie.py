import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import naive_relational as naive
from tests.support import relational_cases as cases
from tests.support.raw_tables import RawTables, relational_rows
from tree_explainers.relational.canonical import canonical
from tree_explainers.relational.queries import Feature, Value
from tree_explainers.relational.query_trie import FeatureColumn, QueryTrie
from tree_explainers.relational.schema import ColumnSchema
from tree_explainers.relational.tables import MISSING, RelationalRows


def plain(column: FeatureColumn, of: ColumnSchema) -> list[Value]:
    """Return a column as the twin has it: booleans, levels, numbers, None where missing."""
    if column.dtype == np.bool_:
        return column.tolist()
    if column.dtype == np.float32:
        return [None if np.isnan(value) else value for value in column.tolist()]
    levels = (False, True) if of.kind == "boolean" else of.levels
    return [None if code == MISSING else levels[code] for code in column.tolist()]


def plain_columns(features: list[Feature], rows: RelationalRows, n_threads: int = 1) -> list[list[Value]]:
    trie = QueryTrie(features, rows.schema)
    columns = trie.evaluate(rows, n_threads=n_threads)
    return [plain(column, of) for column, of in zip(columns, trie.columns, strict=True)]


@st.composite
def _tables_and_features(draw: st.DrawFn) -> tuple[RawTables, list[Feature]]:
    raw = draw(cases.raw_tables())
    return raw, draw(st.lists(cases.features(raw.schema), min_size=1, max_size=6))


@given(_tables_and_features())
@settings(deadline=None, max_examples=200)
def test_columns_are_the_slow_twin_s(case: tuple[RawTables, list[Feature]]) -> None:
    raw, features = case
    rows = relational_rows(raw)

    columns = plain_columns(features, rows)

    twin = naive.plain_rows(rows)
    for feature, column in zip(features, columns, strict=True):
        assert column == naive.feature_column(twin, feature), feature
        assert column == naive.feature_column(twin, canonical(feature)), feature
