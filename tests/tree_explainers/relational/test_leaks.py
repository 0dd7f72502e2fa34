"""What a learner must not see: the target on any path, and rows from the cutoff on."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.bank import bank
from tests.support.naive_relational import feature_value, plain_rows
from tests.support.raw_tables import RawTables, Values, relational_rows
from tests.support.relational_cases import NAMES, features, random_rows, raw_tables, schemas
from tree_explainers.relational.language import Language
from tree_explainers.relational.queries import AggregateTerm, ColumnTerm, Feature, Term
from tree_explainers.relational.schema import Schema, Step
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings


def _columns_read(schema: Schema, feature: Feature) -> Iterator[tuple[str, str]]:
    """Yield the table and the column of each column that a feature reads."""
    query = feature.query
    terms = [(one.variable, one.term) for one in query.conditions]
    terms += [] if feature.measure is None else [(feature.measure.variable, feature.measure.term)]
    for variable, term in terms:
        table = schema.examples if variable < 0 else schema.reached(query.variables[variable].by)
        yield from _read_by(schema, table, term)


def _read_by(schema: Schema, table: str, term: Term) -> Iterator[tuple[str, str]]:
    if isinstance(term, AggregateTerm):
        reached = schema.reached(term.by)
        inner = [selection.term for selection in term.where] + ([] if term.column is None else [term.column])
        for one in inner:
            yield from _read_by(schema, reached, one)
        return
    assert isinstance(term, ColumnTerm)
    for relationship in term.parents:
        table = schema.reached(Step(relationship, "parent"))
    yield table, term.column


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(schema=schemas(min_tables=2), seed=st.integers(0, 999), look_ahead=st.booleans())
def test_the_target_is_not_asked_on_any_path(schema: Schema, seed: int, look_ahead: bool) -> None:
    raw = random_rows(schema, Random(seed), dict.fromkeys(schema.tables, 20))  # noqa: S311 - values of a test
    rows = relational_rows(raw)
    tilde = TildeSettings(pruning="none", look_ahead=look_ahead, language=Language(through_examples=True))

    tree = grow_tilde(rows, np.ones(rows.n_examples), tilde)

    read = {column for test in tree.tests() for column in _columns_read(schema, test.feature)}
    assert (schema.examples, "label") not in read
    assert not [column for table, column in read if schema.tables[table].columns[column].kind in {"key", "time"}]


def _changed_later(raw: RawTables, cutoff: float, seed: int) -> RawTables:
    """Return the tables with other values and parents in each row that has no time before the cutoff."""
    rng = Random(seed)  # noqa: S311 - values of a test
    other = random_rows(raw.schema, rng, {name: raw.n_rows(name) for name in raw.columns})
    changed: dict[str, Mapping[str, Values]] = {}
    for name, columns in raw.columns.items():
        of = raw.schema.tables[name]
        if of.time is None or name == raw.schema.examples:
            changed[name] = columns
            continue
        late = [time is None or time >= cutoff for time in columns[of.time]]
        kept = {*of.primary_key, of.time}
        changed[name] = {
            column: values if column in kept else _mixed(values, other.columns[name][column], late)
            for column, values in columns.items()
        }
    return RawTables(raw.schema, changed)


def _mixed(values: Values, others: Values, late: list[bool]) -> Values:
    return [other if is_late else value for value, other, is_late in zip(values, others, late, strict=True)]


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(data=st.data(), seed=st.integers(0, 999))
def test_rows_from_an_examples_cutoff_on_change_none_of_its_features(data: st.DataObject, seed: int) -> None:
    schema = data.draw(schemas(min_tables=2, cutoffs=True))
    raw = data.draw(raw_tables(schema, min_examples=1, min_rows=4))
    feature = data.draw(features(schema))
    rows = plain_rows(relational_rows(raw))

    for example, cutoff in enumerate(raw.columns[NAMES[0]]["as_of"]):
        changed = _changed_later(raw, float("-inf") if cutoff is None else cutoff, seed)
        assert feature_value(rows, feature, example) == feature_value(
            plain_rows(relational_rows(changed)), feature, example
        )


@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(schema=schemas(min_tables=2, cutoffs=True), seed=st.integers(0, 999))
def test_rows_from_the_last_cutoff_on_change_no_tree(schema: Schema, seed: int) -> None:
    raw = random_rows(schema, Random(seed), dict.fromkeys(schema.tables, 20))  # noqa: S311 - values of a test
    cutoffs = [cutoff for cutoff in raw.columns[NAMES[0]]["as_of"] if cutoff is not None]
    changed = _changed_later(raw, max(cutoffs, default=0.0), seed + 1)

    def grown(tables: RawTables) -> list[object]:
        rows = relational_rows(tables)
        tree = grow_tilde(rows, np.ones(rows.n_examples), TildeSettings(pruning="none"))
        return [(node.test, node.class_weights.tolist()) for node in tree.nodes]

    assert grown(raw) == grown(changed)


def test_a_planted_leak_is_found_only_without_a_cutoff() -> None:
    """Transactions booked after the day in question determine the label; before the cutoff, nothing does."""
    raw = bank(300, seed=3, noise=0.5, cutoffs=True)
    transactions = {name: list(values) for name, values in raw.columns["transaction"].items()}
    account_owner = dict(zip(raw.columns["account"]["id"], raw.columns["account"]["customer_id"], strict=True))
    for row, account in enumerate(transactions["account_id"]):
        customer = account_owner[account]
        if transactions["booked_at"][row] >= raw.columns["customer"]["as_of"][customer]:
            defaulted = raw.columns["customer"]["defaulted"][customer] == "yes"
            transactions["amount"][row] = 1e6 if defaulted else 1.0
    leaky = RawTables(raw.schema, {**raw.columns, "transaction": transactions})
    tables = {name: replace(of, time=None) for name, of in raw.schema.tables.items()}
    timeless = RawTables(replace(raw.schema, tables=tables, cutoff=None), leaky.columns)

    def accuracy(tables: RawTables) -> float:
        rows = relational_rows(tables)
        tree = grow_tilde(rows, np.ones(rows.n_examples), TildeSettings(min_samples_leaf=20))
        leaves = [node.class_weights for node in tree.nodes if node.test is None]
        return float(sum(leaf.max() for leaf in leaves)) / rows.n_examples

    assert accuracy(timeless) > 0.95
    assert accuracy(leaky) < 0.8
