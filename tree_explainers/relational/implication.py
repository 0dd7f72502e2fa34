"""Which tests follow from which: an example with an account of kind credit has an account.

A test is turned into a query that has a binding wherever it passes, and another whose binding makes it pass. One test
implies another if the variables of the second's query can be mapped to the first's such that every condition follows
from one there (theta-subsumption: Plotkin 1970). This is complete for equalities, and sufficient, never wrong, with
inequalities, which follow by intervals, and aggregates.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any

from .canonical import canonical
from .queries import (
    EXAMPLE,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Query,
    Selection,
    Term,
    Variable,
)
from .schema import Step

_SAME_PASSES = {("max", ">"), ("min", "<="), ("value", ">"), ("value", "<=")}
_SOME_PASSES = {*_SAME_PASSES, ("max", "<="), ("min", ">"), ("mean", ">"), ("mean", "<=")}
_GROW_WITH_ROWS = {("count", ">"), ("n_distinct", ">"), ("max", ">"), ("min", "<=")}


def equivalent_query(test: FeatureTest) -> Query | None:
    """Return the query that has a binding exactly where the test passes; None if there is none such.

    There is one for ``exists``, for a largest value above and a smallest at most a cut (some row is), for a value of
    the example, and for more than no row.
    """
    return _equivalent_query(_canonical_test(test))


def _canonical_test(test: FeatureTest) -> FeatureTest:
    return FeatureTest(canonical(test.feature), test.operator, test.cut)


def _equivalent_query(test: FeatureTest) -> Query | None:
    feature = test.feature
    if feature.kind == "exists":
        return feature.query
    if feature.kind == "count":
        return feature.query if test.operator == ">" and floor(test.cut or 0.0) == 0 else None
    return _with_measured(feature, test) if (feature.kind, test.operator) in _SAME_PASSES else None


def _necessary_query(test: FeatureTest) -> Query | None:
    """Return a query that has a binding wherever the test passes; None if none is known."""
    feature = test.feature
    if (feature.kind, test.operator) in _SOME_PASSES:
        return _with_measured(feature, test)
    if feature.kind in {"count", "n_distinct", "sum"} and not _excludes_zero(test):
        return None
    if feature.kind == "share" and not _excludes_zero(test):
        last = len(feature.query.variables) - 1
        return replace(feature.query, conditions=tuple(c for c in feature.query.conditions if c.variable != last))
    return feature.query


def _excludes_zero(test: FeatureTest) -> bool:
    cut = test.cut or 0.0
    return cut >= 0 if test.operator == ">" else cut < 0


def _with_measured(feature: Feature, test: FeatureTest) -> Query:
    assert feature.measure is not None  # of these kinds
    assert test.operator is not None
    measured = Condition(feature.measure.variable, feature.measure.term, test.operator, test.cut)
    return Query(feature.query.variables, (*feature.query.conditions, measured))


def implies(premise: FeatureTest, conclusion: FeatureTest) -> bool:
    """Return whether it is certain that each example that passes the first test passes the second, too."""
    premise, conclusion = _canonical_test(premise), _canonical_test(conclusion)
    if premise.feature == conclusion.feature and premise.operator == conclusion.operator:
        return _weakness(premise) <= _weakness(conclusion)
    return _Premise.of(premise).implies(_Conclusion.of(conclusion))


def _weakness(test: FeatureTest) -> float:
    """Return a number that is larger the more values of one feature pass."""
    cut = test.cut or 0.0
    return -cut if test.operator == ">" else cut


def implied(tests: Sequence[FeatureTest]) -> list[tuple[int, int]]:
    """Return pairs of tests of different features in which the first implies the second, in ascending order.

    Of the cuts of one feature, those pairs are left out that follow from another pair by the order of the cuts. Tests
    that pass always, as far as is known, are implied by none.
    """
    tests = [_canonical_test(test) for test in tests]
    premises = [_Premise.of(test) for test in tests]
    conclusions = [_Conclusion.of(test) for test in tests]
    index, families = _Index.of(premises), _families(tests)
    weakness = {test: index for family in families for index, test in enumerate(family)}
    weakest: dict[tuple[FeatureTest, int], int] = {}  # of a given feature and operator, the weakest test
    for family in families:
        for premise in sorted(index.candidates(conclusions[family[0]])):
            if tests[premise].feature == tests[family[0]].feature:
                continue
            first = _first_implied(premises[premise], [conclusions[conclusion] for conclusion in family])
            if first < len(family):
                key = replace(tests[premise], cut=None), family[first]
                weakest[key] = max(weakest.get(key, premise), premise, key=weakness.__getitem__)
    return sorted((premise, conclusion) for (_, conclusion), premise in weakest.items())


def _families(tests: Sequence[FeatureTest]) -> list[list[int]]:
    """Return the tests of each feature and operator, from the strongest to the weakest."""
    families: dict[FeatureTest, list[int]] = {}
    for index, test in enumerate(tests):
        families.setdefault(replace(test, cut=None), []).append(index)
    return [sorted(members, key=lambda index: _weakness(tests[index])) for members in families.values()]


def _first_implied(premise: "_Premise", conclusions: Sequence["_Conclusion"]) -> int:
    """Return the index of the first that is implied, after which all are."""
    low, high = 0, len(conclusions)
    while low < high:
        middle = (low + high) // 2
        if premise.implies(conclusions[middle]):
            high = middle
        else:
            low = middle + 1
    return low


@dataclass(frozen=True, slots=True)
class _Premise:
    """What is known where a test passes."""

    query: Query | None  # has a binding; with variables for the rows that its aggregates rest on
    at_least: tuple[Query, float] | None  # this query has more bindings than that

    @classmethod
    def of(cls, test: FeatureTest) -> "_Premise":
        query = _necessary_query(test)
        return cls(None if query is None else _with_rows_of_aggregates(query), _at_least(test))

    def implies(self, conclusion: "_Conclusion") -> bool:
        if self.query is not None and conclusion.query is not None and _maps_into(conclusion.query, self.query):
            return True
        if self.at_least is None or conclusion.at_least is None or self.at_least[1] < conclusion.at_least[1]:
            return False
        query, other = self.at_least[0], conclusion.at_least[0]
        return len(query.variables) == len(other.variables) and _maps_into(other, query, one_to_one=True)


@dataclass(frozen=True, slots=True)
class _Conclusion:
    """What suffices for a test to pass."""

    query: Query | None
    at_least: tuple[Query, float] | None

    @classmethod
    def of(cls, test: FeatureTest) -> "_Conclusion":
        query = _equivalent_query(test)
        return cls(None if query is None else _without_aggregates(query), _at_least(test))


def _at_least(test: FeatureTest) -> tuple[Query, float] | None:
    feature = test.feature
    is_count = feature.kind == "count" and test.operator == ">"
    return (feature.query, float(floor(test.cut or 0.0))) if is_count else None


def _maps_into(query: Query, into: Query, *, one_to_one: bool = False) -> bool:
    """Return whether the variables can be mapped such that every condition follows."""
    ours = _by_variable(query)
    others = _by_variable(into)
    return _holds(ours.get(EXAMPLE, []), others.get(EXAMPLE, [])) and any(
        True for _ in _maps(query, into, ours, others, {EXAMPLE: EXAMPLE}, one_to_one=one_to_one)
    )


_Conditions = Mapping[int, Sequence[Condition]]


def _maps(
    query: Query, into: Query, ours: _Conditions, others: _Conditions, mapped: dict[int, int], *, one_to_one: bool
) -> Iterator[dict[int, int]]:
    variable = len(mapped) - 1
    if variable == len(query.variables):
        yield mapped
        return
    for image, other in enumerate(into.variables):
        is_reached = (
            other.by == query.variables[variable].by and other.origin == mapped[query.variables[variable].origin]
        )
        is_free = not one_to_one or image not in mapped.values()
        if is_reached and is_free and _holds(ours.get(variable, []), others.get(image, [])):
            yield from _maps(query, into, ours, others, {**mapped, variable: image}, one_to_one=one_to_one)


def _by_variable(query: Query) -> dict[int, list[Condition]]:
    conditions: dict[int, list[Condition]] = {}
    for condition in query.conditions:
        conditions.setdefault(condition.variable, []).append(condition)
    return conditions


def _holds(conditions: Sequence[Condition | Selection], facts: Sequence[Condition | Selection]) -> bool:
    return all(any(_follows(condition, known) for known in facts) for condition in conditions)


def _follows(condition: Condition | Selection, known: Condition | Selection) -> bool:
    """Return whether a condition on a row follows from another on the same row."""
    if not _is_within(known.operator, known.value, condition.operator, condition.value):
        return False
    term, other = condition.term, known.term
    if term == other or isinstance(term, ColumnTerm) or isinstance(other, ColumnTerm):
        return term == other
    if replace(term, where=()) != replace(other, where=()) or known.operator == "=":
        return False
    if (term.function, condition.operator) in _GROW_WITH_ROWS:
        return _holds(term.where, other.where)  # of fewer rows, so that there are more
    is_upper_end = (term.function, condition.operator) in {("count", "<="), ("n_distinct", "<=")}
    return is_upper_end and _holds(other.where, term.where)


def _is_within(operator: str, value: Any, outer: str, limit: Any) -> bool:  # values of one column
    """Return whether all values that pass the first comparison pass the second."""
    if outer in {"=", "is_missing"} or operator == "is_missing":
        return (operator, value) == (outer, limit)
    if operator not in {"=", outer} or isinstance(value, str | bool):
        return False
    if outer == ">":
        return bool(value > limit if operator == "=" else value >= limit)
    return bool(value <= limit)


def _with_rows_of_aggregates(query: Query) -> Query:
    """Return the query with a variable for the row that each aggregate has where its condition needs one."""
    variables, conditions = list(query.variables), list(query.conditions)
    for condition in query.conditions:
        row = _row_of(condition, len(variables), _SOME_PASSES)
        if row is None and _counts_a_row(condition):
            row = _row_of(condition, len(variables), set(), is_counted=True)
        if row is not None:
            variables.append(row[0])
            conditions += row[1]
    return Query(tuple(variables), tuple(conditions))


def _without_aggregates(query: Query) -> Query:
    """Return the query with a variable in place of each aggregate whose condition holds exactly where it has a row."""
    variables, conditions = list(query.variables), list[Condition]()
    for condition in query.conditions:
        is_counted = _counts_a_row(condition, ("count",)) and condition.operator == ">" and not _is_several(condition)
        row = _row_of(condition, len(variables), _SAME_PASSES, is_counted=is_counted)
        if row is None:
            conditions.append(condition)
        else:
            variables.append(row[0])
            conditions += row[1]
    return Query(tuple(variables), tuple(conditions))


def _counts_a_row(condition: Condition, functions: Sequence[str] = ("count", "n_distinct", "share", "sum")) -> bool:
    """Return whether a condition on such an aggregate would fail of no rows."""
    term, value = condition.term, condition.value
    if not isinstance(term, AggregateTerm) or not isinstance(value, float | int):
        return False
    fails_at_zero = (condition.operator == ">" and value >= 0) or (condition.operator == "<=" and value < 0)
    return term.function in functions and fails_at_zero


def _is_several(condition: Condition) -> bool:
    return isinstance(condition.value, float | int) and condition.value >= 1


def _row_of(
    condition: Condition, index: int, measured: set[tuple[str, str]], *, is_counted: bool = False
) -> tuple[Variable, list[Condition]] | None:
    """Return a variable for a row of the aggregate that passes the condition itself, or that is merely counted."""
    term = condition.term
    if not isinstance(term, AggregateTerm):
        return None
    conditions = [Condition(index, chosen.term, chosen.operator, chosen.value) for chosen in term.where]
    if term.column is not None and (term.function, condition.operator) in measured:
        conditions.append(Condition(index, term.column, condition.operator, condition.value))
    elif not is_counted:
        return None
    return Variable(condition.variable, term.by), conditions


_Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Index:
    """The premises that have each of the keys that a conclusion needs."""

    premises: Mapping[_Key, set[int]]

    @classmethod
    def of(cls, premises: Sequence[_Premise]) -> "_Index":
        by_key: dict[_Key, set[int]] = {}
        for number, premise in enumerate(premises):
            for query in (premise.query, premise.at_least and premise.at_least[0]):
                for key in () if query is None else _keys(query, is_given=True):
                    by_key.setdefault(key, set()).add(number)
        return cls(by_key)

    def candidates(self, conclusion: _Conclusion) -> set[int]:
        """Return the premises that a conclusion may follow from."""
        query = conclusion.query if conclusion.query is not None else conclusion.at_least and conclusion.at_least[0]
        keys = set() if query is None else _keys(query, is_given=False)
        premises = sorted((self.premises.get(key, set()) for key in keys), key=len)
        return set.intersection(*premises) if premises else set()


def _keys(query: Query, *, is_given: bool) -> set[_Key]:
    """Return what a query needs, or offers, of any that it maps into: ways to rows, and what is compared there."""
    ways: dict[int, tuple[Step, ...]] = {EXAMPLE: ()}
    for index, variable in enumerate(query.variables):
        ways[index] = (*ways[variable.origin], variable.by)
    keys: set[_Key] = {(way,) for way in ways.values() if way}
    for condition in query.conditions:
        operators = (">", "<=", "=") if is_given and condition.operator == "=" else (condition.operator,)
        for operator in operators:
            value = condition.value if operator == "=" else None
            keys.add((ways[condition.variable], _without_selections(condition.term), operator, value))
    return keys


def _without_selections(term: Term) -> Term:
    return term if isinstance(term, ColumnTerm) else replace(term, where=())
