"""TILDE against what ACE printed, and what holds of any tree: threads, keys, restrictions, limits."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from tests.support import relational_data
from tests.support.bank import bank
from tests.support.raw_tables import RawTables, category, foreign_key, named, relational_rows, table
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.relational.c45_pruning import estimated_errors, upper_errors
from tree_explainers.relational.language import Language, TableLanguage
from tree_explainers.relational.queries import AggregateTerm, ColumnTerm, FeatureTest
from tree_explainers.relational.query_trie import evaluate
from tree_explainers.relational.schema import ColumnSchema, Schema, TableSchema
from tree_explainers.relational.tables import RelationalRows, Table
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

UNPRUNED = TildeSettings(pruning="none")


@cache
def _bank(n_customers: int = 400) -> RelationalRows:
    return relational_rows(bank(n_customers))


def _ones(rows: RelationalRows) -> NDArray[np.float64]:
    return np.ones(rows.n_examples)


def _as_text(tree: TildeTree) -> str:
    return repr([(node.test, node.class_weights.tolist(), node.yes, node.no) for node in tree.nodes])


def _leaves(tree: TildeTree) -> list[list[float]]:
    return [node.class_weights.tolist() for node in tree.nodes if node.test is None]


def _last_condition(test: FeatureTest) -> tuple[str, object]:
    term = test.feature.query.conditions[-1].term
    assert isinstance(term, ColumnTerm)
    return term.column, test.feature.query.conditions[-1].value


def test_the_tree_of_the_machines_is_aces() -> None:
    rows = relational_rows(relational_data.mach())

    tree = grow_tilde(rows, _ones(rows), TildeSettings("gain_ratio", aggregates=False))

    worn, replaceable = tree.tests()
    assert len(worn.feature.query.variables) == 1
    assert not worn.feature.query.conditions
    assert replaceable.feature.query.conditions[0].term == ColumnTerm("replaceable", ("worn.comp",))
    assert replaceable.feature.query.conditions[0].value is False
    assert rows.classes == ("fix", "ok", "sendback")
    assert _leaves(tree) == [[0, 0, 6], [6, 0, 0], [0, 3, 0]]
    assert estimated_errors(tree) == pytest.approx(3.58571211334849, rel=1e-14)


def test_the_pruned_tree_of_the_molecules_is_aces() -> None:
    rows = relational_rows(relational_data.muta())
    language = Language(tables={"atom": TableLanguage(columns=("element", "type"), bare=False)})

    tree = grow_tilde(rows, _ones(rows), TildeSettings(min_samples_leaf=4, aggregates=False, language=language))

    types = ["27", "35", "29", "8", "16", "29", "1", "52"]
    assert [_last_condition(test) for test in tree.tests()] == [("type", level) for level in types]
    assert {len(test.feature.query.variables) for test in tree.tests()} == {1}
    leaves = [[6, 1], [0, 20], [4, 0], [2, 4], [11, 49], [7, 5], [7, 29], [0, 6], [55, 24]]
    assert rows.classes == ("neg", "pos")
    assert _leaves(tree) == leaves
    assert sum(max(leaf) for leaf in leaves) == 180
    assert estimated_errors(tree) == pytest.approx(66.6546112633088, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "errors", "added"), [(6, 0, 1.238), (9, 0, 1.285), (1, 0, 0.75), (16, 1, 1.507), (3, 2.75, 0.1675)]
)
def test_upper_errors_are_c45s(n: float, errors: float, added: float) -> None:
    assert upper_errors(n, errors) == pytest.approx(added, abs=5e-4)


def test_one_tree_finds_the_planted_concept() -> None:
    rows = _bank(3000)

    tree = grow_tilde(rows, _ones(rows), TildeSettings(max_depth=3, min_samples_leaf=20))

    returned, withdrawals, of_credit = tree.tests()
    assert returned.feature.kind == "max"
    assert returned.feature.query.conditions[0].value == "returned"
    assert returned.cut == pytest.approx(300, abs=5)
    assert withdrawals.cut == 2.5
    (count, kind) = of_credit.feature.query.conditions
    assert isinstance(count.term, AggregateTerm)
    assert count.term.where[0].value == "cash"
    assert (kind.variable, kind.value) == (count.variable, "credit")


def test_any_number_of_threads_grows_the_same_tree() -> None:
    rows = _bank(2500)  # enough bindings to be shared among threads
    weights = np.random.default_rng(0).poisson(1.0, rows.n_examples).astype(float)
    settings = TildeSettings(test_share=0.25, max_depth=5, pruning="none")

    trees = [grow_tilde(rows, weights, settings, (3, 1), n_threads=n_threads) for n_threads in (1, 2, 5)]

    assert trees[0].n_tests > 10
    assert {_as_text(tree) for tree in trees} == {_as_text(trees[0])}


def test_the_order_of_rows_changes_nothing() -> None:
    raw = bank(400)
    rng = np.random.default_rng(1)
    orders = {name: rng.permutation(raw.n_rows(name)) for name in raw.schema.tables}
    columns = {
        table: {name: [values[row] for row in orders[table]] for name, values in of.items()}
        for table, of in raw.columns.items()
    }
    settings = replace(UNPRUNED, test_share=0.5)

    trees = [
        grow_tilde(rows, _ones(rows), settings)
        for rows in (relational_rows(raw), relational_rows(RawTables(raw.schema, columns)))
    ]

    assert _as_text(trees[0]) == _as_text(trees[1])


@pytest.mark.parametrize("cutoffs", [False, True])
def test_the_columns_of_its_tests_decide_as_the_bindings_did(cutoffs: bool) -> None:
    rows = relational_rows(bank(800, cutoffs=cutoffs))
    assert rows.labels is not None

    tree = grow_tilde(rows, _ones(rows), replace(UNPRUNED, test_share=0.3))

    places = [place for place, node in enumerate(tree.nodes) if node.test is not None]
    columns = evaluate([test.feature for test in tree.tests()], rows)
    reaching = {0: np.ones(rows.n_examples, bool)}
    for place, column in zip(places, columns, strict=True):
        node, test = tree.nodes[place], tree.nodes[place].test
        assert test is not None
        above, upto = column > np.float32(test.cut or 0), column <= np.float32(test.cut or 0)
        passed = upto if test.operator == "<=" else above
        reaching |= {node.yes: reaching[place] & passed, node.no: reaching[place] & ~passed}
    assert len(places) > 20
    for place, node in enumerate(tree.nodes):
        assert np.bincount(rows.labels[reaching[place]], minlength=2).tolist() == node.class_weights.tolist()


def test_a_key_keeps_its_share_of_the_tests() -> None:
    rows, settings = _bank(), replace(UNPRUNED, test_share=0.3, max_depth=1)
    best = next(grow_tilde(rows, _ones(rows), UNPRUNED).tests())

    stumps = [grow_tilde(rows, _ones(rows), settings, (0, tree)) for tree in range(80)]

    kept = sum(next(stump.tests()) == best for stump in stumps)
    assert abs(kept / 80 - 0.3) < 4 * np.sqrt(0.3 * 0.7 / 80)
    again = grow_tilde(rows, _ones(rows), settings, (0, 7))
    assert _as_text(again) == _as_text(stumps[7])


def test_examples_of_no_weight_or_label_are_not_learned_from() -> None:
    rows = _bank()
    assert rows.labels is not None
    weights = (np.arange(rows.n_examples) % 3).astype(np.float64)
    turned = np.where(weights > 0, rows.labels, 1 - rows.labels)
    unlabelled = np.where(weights > 0, rows.labels, -1)

    trees = [
        grow_tilde(replace(rows, labels=turned), weights, UNPRUNED),
        grow_tilde(replace(rows, labels=unlabelled), np.maximum(weights, 1.0), UNPRUNED),
    ]

    assert _as_text(trees[0]) == _as_text(trees[1])


def test_nothing_to_learn_from_is_refused() -> None:
    rows = _bank()
    with pytest.raises(MethodNotApplicable):
        grow_tilde(rows, np.zeros(rows.n_examples), UNPRUNED)


def test_steps_that_bind_too_many_rows_are_skipped_and_told() -> None:
    rows = _bank()

    tree = grow_tilde(rows, _ones(rows), replace(UNPRUNED, max_bindings=2000))

    assert tree.n_tests > 0
    assert any("transaction" in one.query and "2,000" in one.reason for one in tree.skipped)
    assert not any(len(test.feature.query.variables) > 1 for test in list(tree.tests())[:1])


def test_a_report_that_raises_stops_the_growth() -> None:
    calls: list[float] = []

    def stop(fraction: float, stage: str) -> None:
        assert stage == "growing"
        calls.append(fraction)
        if len(calls) > 50:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        grow_tilde(_bank(), _ones(_bank()), UNPRUNED, report=stop)

    assert calls == sorted(calls)
    assert all(0 <= fraction <= 1 for fraction in calls)


def _tests(language: Language, **changes: object) -> list[FeatureTest]:
    rows = _bank()
    settings = replace(UNPRUNED, language=language, **changes)  # type: ignore[arg-type]
    return list(grow_tilde(rows, _ones(rows), settings).tests())


def _variables(test: FeatureTest) -> int:
    return len(test.feature.query.variables)


def _reads(test: FeatureTest, name: str) -> bool:
    return f"'{name}'" in repr(test)


@pytest.mark.parametrize(
    ("language", "changes", "holds"),
    [
        (Language(max_variables=1), {}, lambda test: _variables(test) <= 1),
        (Language(relationships=("account.customer_id",)), {}, lambda test: not _reads(test, "transaction.account_id")),
        (
            Language(relationships=()),
            {},
            lambda test: _variables(test) == 0 and not _reads(test, "account.customer_id"),
        ),
        (Language(tables={"account": TableLanguage(columns=("kind",))}), {}, lambda test: not _reads(test, "limit")),
        (
            Language(
                tables={"account": TableLanguage(aggregates=()), "transaction": TableLanguage(aggregates=("sum",))}
            ),
            {},
            lambda test: not any(_reads(test, name) for name in ("count", "share", "mean", "n_distinct", "mode")),
        ),
        (Language(), {"aggregates": False}, lambda test: test.feature.kind in {"exists", "max", "min", "value"}),
        (Language(), {"max_depth": 2}, lambda _test: True),
    ],
)
def test_a_language_is_kept(
    language: Language, changes: dict[str, object], holds: Callable[[FeatureTest], bool]
) -> None:
    tests = _tests(language, **changes)

    assert tests
    assert all(holds(test) for test in tests)
    assert changes.get("max_depth") is None or len(tests) <= 3


def test_new_rows_come_with_the_conditions_that_the_language_names() -> None:
    tables = {"account": TableLanguage(bare=False, introduced_with=("kind",))}
    tests = _tests(Language(tables=tables), aggregates=False, look_ahead=False)

    with_accounts = [test.feature.query for test in tests if _variables(test)]
    assert with_accounts
    for query in with_accounts:
        first = next(condition for condition in query.conditions if condition.variable == 0)
        assert first.term == ColumnTerm("kind")


def _items(n_examples: int) -> RawTables:
    """Return examples that are positive where they have over two items that are both red and round."""
    rng = np.random.default_rng(0)
    owner = np.repeat(np.arange(n_examples), 8)
    red, is_round = rng.random(len(owner)) < 0.6, rng.random(len(owner)) < 0.5
    counts = np.bincount(owner[red & is_round], minlength=n_examples)
    columns = {
        "box": {"id": np.arange(n_examples), "label": np.array(["no", "yes"])[(counts > 2).astype(int)]},
        "item": {
            "box": owner,
            "colour": np.array(["blue", "red"])[red.astype(int)],
            "shape": np.array(["round", "square"])[(~is_round).astype(int)],
        },
    }
    key = ColumnSchema("key")
    tables = {
        "box": table({"id": key, "label": ColumnSchema("category", ("no", "yes"))}, ["id"]),
        "item": table({"box": key} | {name: category(columns["item"][name]) for name in ("colour", "shape")}),
    }
    return RawTables(Schema(tables, named(foreign_key("item", ["box"], "box", ["id"])), "box", "label"), columns)


def test_a_selected_aggregate_on_the_path_gains_a_second_selection() -> None:
    rows = relational_rows(_items(300))
    language = Language(tables={"item": TableLanguage(bare=False, aggregates=("count",))})

    tests = list(grow_tilde(rows, _ones(rows), replace(UNPRUNED, look_ahead=False, language=language)).tests())

    selected = {tuple(condition.value for condition in test.feature.query.conditions) for test in tests}
    assert selected & {("red", "round"), ("round", "red")}
    assert len(tests[0].feature.query.conditions) == 1


def test_numbers_are_cut_between_bins_of_equal_frequency() -> None:
    rows = _bank()

    tests = grow_tilde(rows, _ones(rows), replace(UNPRUNED, aggregates=False, n_bins=5)).tests()

    cuts = {test.cut for test in tests if test.feature.measure and test.feature.measure.term == ColumnTerm("amount")}
    amounts = rows.tables["transaction"].columns["amount"]
    assert cuts
    assert cuts <= set(np.quantile(amounts, [0.2, 0.4, 0.6, 0.8]).astype(np.float32).tolist())


def test_a_class_score_is_the_m_estimate_of_a_leaf() -> None:
    rows = relational_rows(relational_data.mach())

    tree = grow_tilde(rows, _ones(rows), TildeSettings("gain_ratio", aggregates=False))

    place = next(place for place, node in enumerate(tree.nodes) if node.class_weights.tolist() == [0, 3, 0])
    assert tree.leaf_scores(place) == pytest.approx([2 * 6 / 15 / 5, (3 + 2 * 3 / 15) / 5, 2 * 6 / 15 / 5])
    assert tree.depth == 2


def _one_table(n_rows: int, *, of_classes: bool) -> tuple[RelationalRows, NDArray[np.float32]]:
    """Return examples with three numbers and no other tables, and the numbers, (n_rows, 3)."""
    rng = np.random.default_rng(5)
    numbers = rng.normal(size=(n_rows, 3)).astype(np.float32)
    values = numbers[:, 0] * 3 + (numbers[:, 1] > 0.3) * 2.0 + rng.normal(size=n_rows) * 0.3
    columns = {name: ColumnSchema("number") for name in "abc"}
    schema = Schema({"row": TableSchema(columns)}, {}, "row")
    of_table = Table(n_rows, dict(zip("abc", numbers.T.copy(), strict=True)))
    labels = np.digitize(values, [-1.0, 2.0]).astype(np.int64) if of_classes else None
    rows = RelationalRows(schema, {"row": of_table}, {}, labels=labels, classes=("a", "b", "c"), values=values)
    return rows, numbers


def _leaf_places(tree: TildeTree, numbers: NDArray[np.float32]) -> list[int]:
    def place_of(row: NDArray[np.float32]) -> int:
        place = 0
        while (test := tree.nodes[place].test) is not None:
            assert test.feature.measure is not None
            assert test.cut is not None
            assert isinstance(test.feature.measure.term, ColumnTerm)
            above = row["abc".index(test.feature.measure.term.column)] > test.cut
            place = tree.nodes[place].yes if above == (test.operator == ">") else tree.nodes[place].no
        return place

    return [place_of(row) for row in numbers]


@pytest.mark.parametrize("of_classes", [False, True])
def test_of_one_table_the_tree_is_scikit_learns(of_classes: bool) -> None:
    rows, numbers = _one_table(150, of_classes=of_classes)
    weights = np.random.default_rng(6).integers(0, 3, 150).astype(float)
    settings = TildeSettings(pruning="none", min_samples_leaf=3, max_depth=4)

    tree = grow_tilde(rows, weights, settings)

    drawn = np.repeat(np.arange(150), weights.astype(int))
    witness = (
        DecisionTreeClassifier(criterion="entropy", min_samples_leaf=3, max_depth=4, random_state=0)
        if of_classes
        else DecisionTreeRegressor(min_samples_leaf=3, max_depth=4, random_state=0)
    ).fit(numbers[drawn], (rows.values if rows.labels is None else rows.labels)[drawn])  # type: ignore[index]
    places = _leaf_places(tree, numbers)
    seen = weights > 0
    assert len(set(zip(places, witness.apply(numbers), strict=True))) >= tree.n_tests
    if of_classes:
        shares = np.array([tree.nodes[place].class_weights / tree.nodes[place].class_weights.sum() for place in places])
        assert shares[seen] == pytest.approx(witness.predict_proba(numbers)[seen])
    else:
        means = np.array([tree.leaf_scores(place)[0] for place in places])
        assert means[seen] == pytest.approx(witness.predict(numbers)[seen])


def test_a_tree_of_regression_reads_other_tables() -> None:
    rows = _bank()
    transactions = rows.tables["transaction"].columns
    owner = rows.relationships["account.customer_id"].parents[rows.relationships["transaction.account_id"].parents]
    cash = transactions["kind"] == rows.schema.tables["transaction"].columns["kind"].levels.index("cash")
    spent = np.bincount(owner[cash], transactions["amount"][cash], rows.n_examples).astype(np.float64)
    settings = TildeSettings(max_depth=1)

    tree = grow_tilde(replace(rows, labels=None, values=spent), _ones(rows), settings)

    (test,) = tree.tests()
    assert test.feature.kind == "sum"
    assert test.feature.query.conditions[0].value == "cash"
    assert test.cut is not None
    above = spent > test.cut
    assert tree.leaf_scores(1)[0] == pytest.approx(spent[above].mean())
    assert tree.nodes[1].class_weights.tolist() == [above.sum()]
