"""Grown trees are those of the slow twin, node by node, on random small schemas."""

from collections.abc import Iterator
from dataclasses import replace
from math import nan
from random import Random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.support.naive_relational import passing, plain_rows
from tests.support.naive_tilde import NaiveNode, NaiveRegression, NaiveTilde
from tests.support.raw_tables import RawTables, foreign_key, named, relational_rows, table
from tests.support.relational_cases import CLASSES, COLUMNS, NAMES, random_rows, raw_tables, schemas
from tree_explainers.relational.language import Language, TableLanguage
from tree_explainers.relational.queries import FeatureTest
from tree_explainers.relational.schema import ColumnSchema, Schema
from tree_explainers.relational.tables import RelationalRows
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

Node = tuple[FeatureTest | None, tuple[float, ...]]


def _nodes(tree: TildeTree) -> list[Node]:
    return [(node.test, tuple(node.class_weights.tolist())) for node in tree.nodes]


def _naive_nodes(node: NaiveNode | None) -> list[Node]:
    if node is None:
        return []
    return [(node.test, node.class_weights), *_naive_nodes(node.yes), *_naive_nodes(node.no)]


def _naive(rows: RelationalRows, weights: list[float], tilde: TildeSettings) -> NaiveNode:
    assert rows.labels is not None
    return NaiveTilde(plain_rows(rows), rows.labels.tolist(), weights, len(rows.classes), tilde).grow()


@st.composite
def _settings(draw: st.DrawFn) -> TildeSettings:
    return TildeSettings(
        criterion=draw(st.sampled_from(["gain", "gain_ratio"])),
        min_samples_leaf=draw(st.sampled_from([1, 2])),
        max_depth=draw(st.sampled_from([None, 3])),
        pruning=draw(st.sampled_from(["none", "none", "c45"])),
        aggregates=draw(st.booleans()),
        look_ahead=draw(st.booleans()),
        language=Language(
            max_variables=draw(st.integers(1, 3)),
            through_examples=draw(st.booleans()),
            tables=draw(st.sampled_from([{}, {NAMES[0]: TableLanguage(columns=())}])),  # of the example, nothing
        ),
    )


@st.composite
def _tables(draw: st.DrawFn) -> RawTables:
    """Draw tables with labels at random, so that trees are deep; at times tables are small or empty."""
    schema = draw(schemas(min_tables=2))
    return draw(raw_tables(schema, min_examples=14, min_rows=draw(st.sampled_from([0, 12, 16])), max_rows=20))


@settings(max_examples=30, suppress_health_check=list(HealthCheck))
@given(raw=_tables(), tilde=_settings(), data=st.data())
def test_the_tree_is_the_twins(raw: RawTables, tilde: TildeSettings, data: st.DataObject) -> None:
    rows = relational_rows(raw)
    weights = data.draw(st.lists(st.integers(0, 2).map(float), min_size=rows.n_examples, max_size=rows.n_examples))
    weights[0] = 1.0

    assert _nodes(grow_tilde(rows, np.array(weights), tilde)) == _naive_nodes(_naive(rows, weights, tilde))


@settings(max_examples=10, suppress_health_check=list(HealthCheck))
@given(raw=_tables(), tilde=_settings(), data=st.data())
def test_a_tree_of_regression_is_the_twins(raw: RawTables, tilde: TildeSettings, data: st.DataObject) -> None:
    rows, tilde = relational_rows(raw), replace(tilde, pruning="none", criterion="gain")
    drawn = st.lists(st.integers(0, 2).map(float), min_size=rows.n_examples, max_size=rows.n_examples)
    weights, values = [1.0, *data.draw(drawn)[1:]], [3.0, *data.draw(drawn)[1:]]
    values[-1] = nan
    rows = replace(rows, labels=None, classes=(), values=np.array(values))
    twin = NaiveRegression(plain_rows(rows), [0] * rows.n_examples, weights, 1, tilde, values)

    tree, expected = grow_tilde(rows, np.array(weights), tilde), twin.grow()

    assert _nodes(tree) == _naive_nodes(expected)
    assert [node.mean for node in tree.nodes if node.test is None] == pytest.approx(_naive_means(expected))


def _naive_means(node: NaiveNode) -> list[float | None]:
    return [node.mean] if node.yes is None or node.no is None else _naive_means(node.yes) + _naive_means(node.no)


def _all_ways() -> Schema:
    """Return a schema with a self-reference, a cycle, two keys to one table, a composite key and a cutoff."""
    columns = {name: COLUMNS[name] for name in ("kind", "amount", "flag")}
    key, time = ColumnSchema("key"), ColumnSchema("time")
    label = {"label": ColumnSchema("category", CLASSES), "as_of": time, "friend": key, "of_account": key}
    account = {"id": key, "customer": key, "guarantor": key, "parent": key, "at": time}
    order = {"id": key, "part": key, "account": key, "at": time}
    part = {"order_id": key, "order_part": key}
    tables = {
        NAMES[0]: table({"id": key, "flag": COLUMNS["flag"], **label}, ["id"]),
        "account": table({**account, **columns}, ["id"], "at"),
        "order": table({**order, "kind": columns["kind"], "amount": columns["amount"]}, ["id", "part"], "at"),
        "part": table({**part, "rate": COLUMNS["rate"], "flag": columns["flag"]}),
    }
    keys = named(
        foreign_key(NAMES[0], ["friend"], NAMES[0], ["id"]),
        foreign_key(NAMES[0], ["of_account"], "account", ["id"]),
        foreign_key("account", ["customer"], NAMES[0], ["id"]),
        foreign_key("account", ["guarantor"], NAMES[0], ["id"]),
        foreign_key("account", ["parent"], "account", ["id"]),
        foreign_key("order", ["account"], "account", ["id"]),
        foreign_key("part", ["order_id", "order_part"], "order", ["id", "part"]),
    )
    return Schema(tables, keys, NAMES[0], "label", "as_of")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("aggregates", [False, True])
@pytest.mark.sampled("thirds")
def test_deep_trees_over_all_kinds_of_relationships_are_the_twins(seed: int, aggregates: bool) -> None:
    raw = random_rows(_all_ways(), Random(seed), {NAMES[0]: 60, "account": 120, "order": 150, "part": 150})  # noqa: S311
    rows = relational_rows(raw)
    assert rows.labels is not None
    weights = np.random.default_rng(seed).integers(0, 3, rows.n_examples).astype(float)
    through_examples = seed % 2 == 1 and not aggregates  # both take the twin minutes
    language = Language(3, through_examples=through_examples, tables={NAMES[0]: TableLanguage(columns=())})
    tilde = TildeSettings(
        "gain_ratio" if seed % 3 == 2 else "gain",
        min_samples_leaf=2,
        pruning="none",
        aggregates=aggregates,
        look_ahead=seed < 4,
        language=language,
    )

    fast = grow_tilde(rows, weights, tilde)

    assert fast.n_tests > 1
    assert _nodes(fast) == _naive_nodes(_naive(rows, weights.tolist(), tilde))
    for place, examples in _routed(fast, rows):  # each node's test is closed: a column of the examples
        assert (
            np.bincount(rows.labels[examples], weights[examples], 2).tolist()
            == fast.nodes[place].class_weights.tolist()
        )


def _routed(tree: TildeTree, rows: RelationalRows) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """Yield each node and the examples that the tests above, evaluated as columns by the twin, lead to it."""
    plain = plain_rows(rows)
    reaching = {0: np.arange(rows.n_examples)}
    for place, node in enumerate(tree.nodes):
        yield place, reaching[place]
        if node.test is not None:
            passed = np.array(passing(plain, node.test))[reaching[place]]
            reaching |= {node.yes: reaching[place][passed], node.no: reaching[place][~passed]}
