import numpy as np
import pytest
from hypothesis import strategies as st

from tests.support import naive_relational as naive
from tests.support import relational_cases as cases
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_data import mutagenesis
from tests.support.sampling import drawn
from tree_explainers.errors import RowRefused
from tree_explainers.relational.canonical import canonical
from tree_explainers.relational.feature_texts import name_of
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureKind,
    Measure,
    Query,
    Selection,
    Value,
    Variable,
)
from tree_explainers.relational.query_trie import MOST_COMBINATIONS, FeatureColumn, QueryTrie, VisitsLeft, evaluate
from tree_explainers.relational.schema import ColumnSchema, RelationshipSchema, Schema, Step, TableSchema
from tree_explainers.relational.tables import MISSING, RelationalRows, Relationship, Table, decimals_of


def plain(column: FeatureColumn, of: ColumnSchema) -> list[Value]:
    """Return a column as the twin has it: booleans, levels, numbers, None where missing."""
    if column.dtype == np.bool_:
        return [bool(value) for value in column]
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


@drawn(40, 200, case=_tables_and_features())
def test_columns_are_the_slow_twin_s(case: tuple[RawTables, list[Feature]]) -> None:
    raw, features = case
    rows = relational_rows(raw)

    columns = plain_columns(features, rows)

    twin = naive.plain_rows(rows)
    for feature, column in zip(features, columns, strict=True):
        assert column == naive.feature_column(twin, feature), feature
        assert column == naive.feature_column(twin, canonical(feature)), feature


def _one_table_below(n_parents: int, n_children: int) -> RelationalRows:
    """Return parents and children with a category and a number; the first parent has half of all children."""
    rng = np.random.default_rng(0)
    schema = Schema(
        {
            "parent": TableSchema({"id": ColumnSchema("key")}, ("id",)),
            "child": TableSchema({"kind": ColumnSchema("category", ("a", "b", "c")), "x": ColumnSchema("number")}),
        },
        {"child.of": RelationshipSchema("child", ("of",), "parent", ("id",))},
        "parent",
    )
    kinds = rng.integers(MISSING, 3, n_children).astype(np.int32)
    numbers = rng.normal(size=n_children).round(2).astype(np.float32)
    parents = np.where(np.arange(n_children) % 2, 0, rng.integers(0, n_parents, n_children)).astype(np.int32)
    tables = {"parent": Table(n_parents, {}), "child": Table(n_children, {"kind": kinds, "x": numbers})}
    return RelationalRows(schema, tables, {"child.of": Relationship.of(parents, n_parents)})


CHILDREN = Query((Variable(EXAMPLE, Step("child.of", "children")),))
NUMBER, KIND = Measure(0, ColumnTerm("x")), Measure(0, ColumnTerm("kind"))


def test_very_many_children_of_one_example_are_as_numpy_has_them() -> None:
    rows = _one_table_below(3, 200_000)
    kinds: tuple[FeatureKind, ...] = ("sum", "mean", "min", "max", "n_distinct")
    features = [*(Feature(kind, CHILDREN, NUMBER) for kind in kinds), Feature("mode", CHILDREN, KIND)]

    total, mean, least, largest, n_distinct, mode = evaluate(features, rows)

    child = rows.tables["child"]
    for example in range(3):
        own = rows.relationships["child.of"].parents == example
        of_own = np.array([float(str(value)) for value in child.columns["x"][own]])
        unit = 1e-9 * np.abs(of_own).sum()
        assert total[example] == np.float32(np.rint(of_own.sum() / unit) * unit)
        assert mean[example] == pytest.approx(of_own.mean(), rel=1e-6)
        assert (least[example], largest[example]) == (np.float32(of_own.min()), np.float32(of_own.max()))
        assert n_distinct[example] == len(np.unique(of_own))
        codes = child.columns["kind"][own]
        assert mode[example] == np.bincount(codes[codes >= 0]).argmax()


def test_threads_blocks_and_the_order_of_rows_change_no_byte() -> None:
    rows = _one_table_below(9_000, 30_000)
    features = [Feature("sum", CHILDREN, NUMBER), Feature("mean", CHILDREN, NUMBER), Feature("mode", CHILDREN, KIND)]
    order = np.random.default_rng(1).permutation(30_000)
    child, parents = rows.tables["child"], rows.relationships["child.of"].parents
    shuffled = RelationalRows(
        rows.schema,
        {**rows.tables, "child": Table(30_000, {name: values[order] for name, values in child.columns.items()})},
        {"child.of": Relationship.of(parents[order], 9_000)},
    )
    ticks: list[int] = []

    expected = QueryTrie(features, rows.schema).evaluate(rows, lambda: ticks.append(1), n_threads=1)

    assert len(ticks) > 1
    for again in (evaluate(features, rows, n_threads=4), evaluate(features, shuffled)):
        assert [column.tobytes() for column in again] == [column.tobytes() for column in expected]


THRICE = Query(CHILDREN.variables * 3)
# As many rows as there are children of the example, for each of them.
SIBLINGS = AggregateTerm("count", Step("child.of", "children"), where=(Selection(ColumnTerm("x"), ">", -9.0),))
WITH_SIBLINGS = Query(
    (*CHILDREN.variables, Variable(0, Step("child.of", "parent"))), (Condition(1, SIBLINGS, ">", 0.0),)
)


def _few_and_many(n_many: int) -> RelationalRows:
    """Return two examples, the first with 4 children."""
    rows = _one_table_below(2, n_many + 4)
    parents = np.repeat([0, 1], [4, n_many]).astype(np.int32)
    return RelationalRows(rows.schema, rows.tables, {"child.of": Relationship.of(parents, 2)})


def test_it_looks_whether_to_go_on_while_one_example_is_evaluated() -> None:
    rows, ticks = _few_and_many(250), list[int]()

    def stop_at_the_second() -> None:
        ticks.append(1)
        if len(ticks) == 2:
            raise InterruptedError

    (column,) = evaluate([Feature("count", THRICE)], rows)
    assert column.tolist() == [64, 250**3]

    with pytest.raises(InterruptedError):
        evaluate([Feature("count", THRICE)], rows, stop_at_the_second)


@pytest.mark.parametrize(("query", "n_rows"), [(THRICE, 500), (WITH_SIBLINGS, 10_100)])
def test_a_query_that_looks_at_too_many_combinations_is_refused_with_the_example(query: Query, n_rows: int) -> None:
    rows, feature = _few_and_many(n_rows), Feature("count", query)

    with pytest.raises(RowRefused) as refused:
        evaluate([Feature("count", CHILDREN), feature], rows)

    assert (refused.value.code, refused.value.row) == ("relational_too_many_combinations", 1)
    assert repr(name_of(canonical(feature), rows.schema)) in refused.value.detail
    assert f"more than {MOST_COMBINATIONS:,} combinations" in refused.value.detail


@pytest.mark.parametrize(("query", "most"), [(THRICE, 8_000), (WITH_SIBLINGS, 4_000)])
def test_a_request_whose_rows_combine_in_too_many_ways_is_refused(
    query: Query, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 20 children, there are 8,420 visits; of 200, there are 401 visits and 40,000 rows read."""
    n_rows = 20 if query is THRICE else 200
    rows = _one_table_below(1, n_rows)
    trie = QueryTrie([Feature("count", query)], rows.schema)

    monkeypatch.setattr("tree_explainers.relational.query_trie.MOST_VISITS", 2 * most)
    assert trie.vector(rows).tolist() == [n_rows**3 if query is THRICE else n_rows]
    monkeypatch.setattr("tree_explainers.relational.query_trie.MOST_VISITS", most)
    with pytest.raises(RowRefused) as refused:
        trie.vector(rows)

    assert refused.value.code == "too_many_rows"


def test_examples_of_one_request_share_a_limit() -> None:
    """Of 20 children, there are 8,420 visits."""
    rows = _one_table_below(1, 20)
    trie = QueryTrie([Feature("count", THRICE)], rows.schema)
    visits = VisitsLeft(10_000)

    assert trie.vector(rows, visits).tolist() == [20**3]
    with pytest.raises(RowRefused) as refused:
        trie.vector(rows, visits)

    assert refused.value.code == "too_many_rows"
    assert visits.n_left == 0
    assert trie.vector(rows).tolist() == [20**3]


def test_it_can_be_stopped_between_blocks() -> None:
    def stop() -> None:
        raise InterruptedError

    with pytest.raises(InterruptedError):
        evaluate([Feature("count", CHILDREN)], _one_table_below(9_000, 10), stop)


def test_decimals_that_add_up_to_nothing_have_the_sum_0_although_single_precision_has_not() -> None:
    rows = relational_rows(mutagenesis())
    query = Query((Variable(EXAMPLE, Step("atom.molecule", "children")),))
    charges = Measure(0, ColumnTerm("charge"))

    total, mean = evaluate([Feature("sum", query, charges), Feature("mean", query, charges)], rows)

    singles = rows.tables["atom"].columns["charge"].astype(np.float64)
    parents = rows.relationships["atom.molecule"].parents
    assert len(np.unique(np.bincount(parents, singles))) > 50
    assert total.tobytes() == mean.tobytes() == np.zeros(230, np.float32).tobytes()


def test_a_decimal_is_the_shortest_text_of_a_single() -> None:
    values = np.array([0.1, -0.7, 1e-7, 16777216, 0.0, 123.456, 1 / 3], np.float32)
    assert decimals_of(values).tolist()[:-1] == [float(str(value)) for value in values[:-1]]
    assert np.isnan(decimals_of(np.array([np.nan], np.float32)))[0]
