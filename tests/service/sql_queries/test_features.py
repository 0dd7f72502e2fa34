"""Every printed query gives every example what the slow twin gives it, in DuckDB and in SQLite."""

from collections.abc import Sequence

from hypothesis import strategies as st

from service.sql_queries import write_features
from tests.support.naive_relational import feature_column, plain_rows
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_cases import features, raw_tables
from tests.support.sampling import drawn
from tests.support.sql_engines import ENGINES, by_example, same_value
from tree_explainers.relational.queries import Feature


def check(raw: RawTables, features: Sequence[Feature]) -> None:
    """Compare the columns of both engines with the twin's."""
    rows = plain_rows(relational_rows(raw))
    expected = list(zip(*(feature_column(rows, feature) for feature in features), strict=True))
    sql = write_features(raw.schema, {f'feature "{place}" of the ü': feature for place, feature in enumerate(features)})
    for name, engine in ENGINES.items():
        with engine(raw) as run:
            found = by_example(raw, run(sql))
        agree = [list(map(same_value, row, wanted)) for row, wanted in zip(found, expected, strict=True)]
        assert all(map(all, agree)), (name, sql, found, expected)


@drawn(25, 150, data=st.data())
def test_features_of_random_tables(data: st.DataObject) -> None:
    raw = data.draw(raw_tables())
    check(raw, data.draw(st.lists(features(raw.schema), min_size=1, max_size=6)))
