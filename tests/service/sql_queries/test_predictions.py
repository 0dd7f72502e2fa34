"""Printed trees and tests of nodes decide for every example as the slow twin does, in DuckDB and in SQLite."""

from typing import Any

from hypothesis import strategies as st

from explanations.rules import MissingTerm, NumberTerm, Term, TextTerm
from service.sql_queries import NamedTests, feature_test, node_test, write_predictions
from service.sql_queries.cases import Case, CaseTree
from service.sql_queries.expressions import sql_text
from service.sql_queries.features import measured_column
from tests.support.naive_relational import PlainRows, feature_column, passes, plain_rows
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.relational_cases import feature_tests, features, raw_tables
from tests.support.sampling import drawn
from tests.support.sql_engines import ENGINES, by_example
from tree_explainers.relational.queries import Feature, FeatureTest
from tree_explainers.relational.schema import Schema

CUTS = st.integers(-8, 8).map(lambda quarters: quarters / 4)
Node = tuple[FeatureTest, "Node | str", "Node | str"]  # a test, the branch for yes, the branch for no; a text: a leaf


def trees(tests: st.SearchStrategy[FeatureTest], depth: int) -> st.SearchStrategy[Any]:
    """Return trees with labels that need quotes."""
    leaf = st.sampled_from(["yes", "it's no"])
    below = trees(tests, depth - 1) if depth else leaf
    return st.one_of(leaf, st.tuples(tests, below, below)) if depth else leaf


def tree_lines(raw: RawTables, tests: NamedTests, tree: Node | str) -> list[str]:
    """Return a tree as an expression over named tests."""
    steps: list[Case | None] = []
    predictions: list[str] = []

    def add(node: Node | str) -> int:
        place = len(steps)
        steps.append(None)
        predictions.append(sql_text(node) if isinstance(node, str) else "")
        if not isinstance(node, str):
            condition = tests.condition(node_test(raw.schema, "a\ntest", node[0]))
            steps[place] = Case([condition], add(node[1]), add(node[2]))
        return place

    add(tree)
    return CaseTree(steps, predictions).lines()


def decision(rows: PlainRows, tree: Node | str, example: int) -> str:
    """Walk down a tree."""
    while not isinstance(tree, str):
        tree = tree[1] if passes(rows, tree[0], example) else tree[2]
    return tree


def found_in_engines(raw: RawTables, sql: str) -> list[list[Any]]:
    """Return what each engine answers for each example."""
    answers = []
    for engine in ENGINES.values():
        with engine(raw) as run:
            answers.append([row[0] for row in by_example(raw, run(sql))])
    return answers


@drawn(15, 60, data=st.data())
def test_trees_of_random_tests(data: st.DataObject) -> None:
    raw = data.draw(raw_tables())
    tree, tests = data.draw(trees(feature_tests(raw.schema), 3)), NamedTests()
    sql = write_predictions(raw.schema, tests, tree_lines(raw, tests, tree))

    rows = plain_rows(relational_rows(raw))
    expected = [decision(rows, tree, example) for example in range(raw.n_rows(raw.schema.examples))]

    assert found_in_engines(raw, sql) == [expected, expected], sql


def terms(schema: Schema, feature: Feature) -> st.SearchStrategy[Term]:
    """Return conditions as trees and rules over columns have them."""
    column = measured_column(schema, feature)
    if feature.kind in {"value", "mode"} and column is not None and column.kind == "category":
        some = st.lists(st.sampled_from(column.levels), unique=True).map(tuple)
        return st.builds(TextTerm, st.just("f"), some, st.booleans(), st.booleans(), st.none())
    missing = st.builds(MissingTerm, st.just("f"), st.booleans())
    return st.one_of(missing, st.builds(NumberTerm, st.just("f"), CUTS, st.booleans(), st.booleans()))


@drawn(25, 100, data=st.data())
def test_terms_over_any_feature(data: st.DataObject) -> None:
    raw = data.draw(raw_tables())
    rows = plain_rows(relational_rows(raw))
    feature = data.draw(features(raw.schema))
    values = feature_column(rows, feature)
    term, tests = data.draw(terms(raw.schema, feature)), NamedTests()
    name = tests.condition(feature_test(raw.schema, feature, term))
    sql = write_predictions(raw.schema, tests, [f"CASE WHEN {name} THEN 1 ELSE 0 END"])

    expected = [int(term.holds(value)) for value in values]

    assert found_in_engines(raw, sql) == [expected, expected], sql
