import itertools
from dataclasses import replace

import pytest
from hypothesis import strategies as st

from tests.support import naive_relational as naive
from tests.support import relational_cases as cases
from tests.support.raw_tables import RawTables, relational_rows
from tests.support.sampling import drawn
from tree_explainers.relational.canonical import canonical
from tree_explainers.relational.implication import implied, implies
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Measure,
    Query,
    Selection,
    Variable,
)
from tree_explainers.relational.schema import Schema, Step

ACCOUNTS, TRANSACTIONS = Step("account.customer_id", "children"), Step("transaction.account_id", "children")
ACCOUNT, TRANSACTION = Variable(EXAMPLE, ACCOUNTS), Variable(0, TRANSACTIONS)
CREDIT = Condition(0, ColumnTerm("kind"), "=", "credit")
IS_CASH, IS_LATE = Selection(ColumnTerm("kind"), "=", "cash"), Selection(ColumnTerm("is_late"), "=", value=True)
AMOUNT = ColumnTerm("amount")


def _has(*conditions: Condition, variables: tuple[Variable, ...] = (ACCOUNT,)) -> FeatureTest:
    return FeatureTest(Feature("exists", Query(variables, conditions)))


def _cash(operator: str, value: float, *where: Selection) -> Condition:
    return Condition(0, AggregateTerm("count", TRANSACTIONS, None, where or (IS_CASH,)), operator, value)  # type: ignore[arg-type]


def _amount(kind: str, operator: str, cut: float, *conditions: Condition) -> FeatureTest:
    measure = Measure(1, AMOUNT)
    return FeatureTest(Feature(kind, Query((ACCOUNT, TRANSACTION), conditions), measure), operator, cut)  # type: ignore[arg-type]


def _n(cut: float, *conditions: Condition) -> FeatureTest:
    return FeatureTest(Feature("count", Query((ACCOUNT,), conditions)), ">", cut)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_has(CREDIT), _has()),
        (_has(CREDIT, _cash(">", 2)), _has(CREDIT)),
        (_has(_cash(">", 2)), _has(_cash(">", 1))),
        (_has(_cash(">", 2, IS_CASH, IS_LATE)), _has(_cash(">", 2))),
        (_has(_cash("<=", 2)), _has(_cash("<=", 2, IS_CASH, IS_LATE))),
        (_has(_cash(">", 2)), _has(variables=(ACCOUNT, TRANSACTION))),
        (
            _has(Condition(1, IS_CASH.term, "=", "cash"), variables=(ACCOUNT, TRANSACTION)),
            _has(_cash(">", 0)),
        ),
        (_amount("max", ">", 300), _amount("max", ">", 200)),
        (_amount("max", ">", 300, CREDIT), _amount("max", ">", 300)),
        (_amount("min", "<=", 3, CREDIT), _amount("min", "<=", 4)),
        (_amount("min", ">", 3), _amount("max", ">", 3)),
        (_amount("mean", "<=", 3), _amount("min", "<=", 3)),
        (_amount("sum", ">", 0), _has(variables=(ACCOUNT, TRANSACTION))),
        (_n(3.5, CREDIT), _n(2.5)),
        (_n(0.5), _has()),
        (_has(CREDIT), _n(0.5, CREDIT)),
    ],
)
def test_what_holds_where_more_holds_is_implied(first: FeatureTest, second: FeatureTest) -> None:
    assert implies(first, second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (_has(), _has(CREDIT)),
        (_has(_cash(">", 2)), _has(_cash(">", 3))),
        (_has(_cash(">", 2)), _has(_cash(">", 2, IS_CASH, IS_LATE))),
        (_has(_cash("<=", 2)), _has(variables=(ACCOUNT, TRANSACTION))),
        (_has(_cash("<=", 2)), _has(_cash("<=", -1))),
        (_has(CREDIT, variables=(ACCOUNT, TRANSACTION)), _has(_cash(">", 0))),
        (_amount("max", "<=", 3), _amount("max", ">", 2)),
        (_amount("max", ">", 3), _amount("mean", ">", 3)),
        (_amount("sum", ">", -1), _has(variables=(ACCOUNT, TRANSACTION))),
        (_n(3.5), _n(2.5, CREDIT)),
        (_n(2.5), _n(3.5)),
        (FeatureTest(Feature("count", Query((ACCOUNT, ACCOUNT))), ">", 3.5), _n(3.5)),
    ],
)
def test_what_may_fail_is_not_implied(first: FeatureTest, second: FeatureTest) -> None:
    assert not implies(first, second)


@st.composite
def _tables_and_tests(draw: st.DrawFn) -> tuple[RawTables, list[FeatureTest]]:
    """Draw tests that are alike: of the same few features, each with conditions left out and other cuts."""
    raw = draw(cases.raw_tables(draw(cases.schemas(max_tables=3))))
    tests = draw(st.lists(cases.feature_tests(raw.schema), min_size=1, max_size=3))
    for test in list(tests):
        query = test.feature.query
        kept = draw(st.lists(st.sampled_from(query.conditions), unique=True)) if query.conditions else []
        weaker = replace(test.feature, query=Query(query.variables, tuple(kept)))
        cut = None if test.cut is None else draw(cases.QUARTERS)
        tests.append(FeatureTest(weaker, test.operator, cut))
        tests.append(FeatureTest(Feature("exists", weaker.query)))
        if query.variables:
            tests.append(FeatureTest(Feature("count", weaker.query), ">", draw(st.sampled_from([0.5, 1.5]))))
    return raw, tests


@drawn(40, 200, case=_tables_and_tests())
def test_no_rows_contradict_an_implication_and_few_pairs_say_them_all(
    case: tuple[RawTables, list[FeatureTest]],
) -> None:
    raw, tests = case
    rows = naive.plain_rows(relational_rows(raw))
    passing = [naive.passing(rows, test) for test in tests]
    pairs = implied(tests)

    reached = _closure(tests, pairs)
    for first, second in itertools.permutations(range(len(tests)), 2):
        if implies(tests[first], tests[second]):
            assert all(then for known, then in zip(passing[first], passing[second], strict=True) if known)
            assert (first, second) in reached or _is_trivial(tests[second])


def _is_trivial(test: FeatureTest) -> bool:
    return test.feature.query == Query() or test.feature.kind == "count"


def _closure(tests: list[FeatureTest], pairs: list[tuple[int, int]]) -> set[tuple[int, int]]:
    """Return all pairs that follow from some by transitivity and by the order of cuts of one feature."""
    reached = set(pairs)
    for first, second in itertools.permutations(range(len(tests)), 2):
        is_same = canonical(tests[first].feature) == canonical(tests[second].feature)
        if is_same and implies(tests[first], tests[second]):
            reached.add((first, second))
    while True:
        more = {(a, d) for a, b in reached for c, d in reached if b == c and a != d} - reached
        if not more:
            return reached
        reached |= more


def _naive_implies(first: Query, second: Query) -> bool:
    """Return whether some map of all variables takes each condition of the second to one of the first."""
    images = range(len(first.variables))
    for image in itertools.product(images, repeat=len(second.variables)):
        of = {EXAMPLE: EXAMPLE, **dict(enumerate(image))}
        steps = all(
            first.variables[of[index]] == Variable(of[variable.origin], variable.by)
            for index, variable in enumerate(second.variables)
        )
        if steps and all(replace(c, variable=of[c.variable]) in first.conditions for c in second.conditions):
            return True
    return False


@st.composite
def _two_queries_of_equalities(draw: st.DrawFn) -> tuple[Query, Query]:
    schema: Schema = draw(cases.schemas(max_tables=2))
    first, second = (draw(cases.queries(schema, max_variables=4, max_conditions=4)) for _ in range(2))
    kept = [
        Query(
            query.variables, tuple(c for c in query.conditions if c.operator == "=" and isinstance(c.term, ColumnTerm))
        )
        for query in (first, second)
    ]
    return kept[0], kept[1]


@drawn(60, 300, case=_two_queries_of_equalities())
def test_among_equalities_the_map_is_found_by_trying_all(case: tuple[Query, Query]) -> None:
    first, second = case
    tests = [FeatureTest(Feature("exists", query)) for query in (first, second)]
    assert implies(*tests) == _naive_implies(first, second)
    assert implies(*reversed(tests)) == _naive_implies(second, first)
