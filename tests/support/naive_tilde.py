"""TILDE candidate by candidate and example by example: a slow, obvious twin, from the design and the paper's table 1.

A candidate is a closed query: a component of the node's query with the candidate's own variable and condition. It is
evaluated on each example from the start, by recursion; nothing is kept from one node to the next but the queries.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, isnan, log, log2, sqrt

import numpy as np

from tests.support.naive_relational import (
    PlainRows,
    bindings,
    feature_value,
    levels_of,
    satisfies,
    table_of,
    term_value,
)
from tree_explainers.relational.language import Language
from tree_explainers.relational.queries import (
    EXAMPLE,
    AggregateFunction,
    AggregateTerm,
    ColumnTerm,
    Condition,
    Feature,
    FeatureTest,
    Measure,
    Operator,
    Query,
    Selection,
    Term,
    Value,
    Variable,
)
from tree_explainers.relational.schema import Schema, Step
from tree_explainers.relational.tilde_trees import TildeSettings

NUMBERS: tuple[AggregateFunction, ...] = ("mean", "sum", "min", "max")
LEVELS: tuple[AggregateFunction, ...] = ("mode", "n_distinct")


@dataclass(frozen=True)
class NaiveNode:
    """A node and what is below it; a leaf has no test."""

    class_weights: tuple[float, ...]
    test: FeatureTest | None = None
    yes: "NaiveNode | None" = None
    no: "NaiveNode | None" = None
    mean: float | None = None  # of regression


@dataclass(frozen=True)
class ChainTerm:
    """An aggregate of the rows that two steps lead to from the example."""

    via: Step
    term: AggregateTerm


@dataclass(frozen=True)
class _Candidate:
    place: int  # of the component that it extends; EXAMPLE: it is about the example, or begins a component
    query: Query  # closed, with the candidate's own variable and condition as the last
    test: FeatureTest
    passing: frozenset[int]  # examples
    chain: ChainTerm | None = None


@dataclass(frozen=True)
class _Known:
    """What succeeded above a node."""

    components: tuple[Query, ...] = ()
    aggregates: tuple[AggregateTerm | ChainTerm, ...] = ()  # of the example, with one selection


@dataclass(frozen=True)
class NaiveTilde:
    """What one tree is grown from."""

    rows: PlainRows
    labels: Sequence[int]  # of each example; negative: none
    weights: Sequence[float]
    n_classes: int
    settings: TildeSettings

    def grow(self) -> NaiveNode:
        """Return the tree, pruned if the settings say so."""
        root = self._grown([row for row in range(len(self.weights)) if self._is_learned(row)], _Known(), 0)
        return pruned(merged(root, root.class_weights)) if self.settings.pruning == "c45" else root

    def _grown(self, examples: list[int], known: _Known, depth: int) -> NaiveNode:
        totals = self._weights_of(examples)
        best = self._best(examples, totals, known, depth)
        if best is None:
            return self._leaf(examples)
        yes = self._grown([row for row in examples if row in best.passing], _after(known, best), depth + 1)
        no = self._grown([row for row in examples if row not in best.passing], known, depth + 1)
        return NaiveNode(totals, best.test, yes, no)

    def _best(self, examples: list[int], totals: tuple[float, ...], known: _Known, depth: int) -> _Candidate | None:
        too_deep = self.settings.max_depth is not None and depth >= self.settings.max_depth
        if too_deep or self._is_pure(totals) or sum(totals) < 2 * self.settings.min_samples_leaf:
            return None
        best, best_score = None, -1.0
        for candidate in candidates(self, examples, known):
            score = self._score(examples, candidate.passing)
            if score is not None and score > best_score + 1e-12:  # the earlier of equal scores wins
                best, best_score = candidate, score
        return best

    def _weights_of(self, examples: Sequence[int] | frozenset[int]) -> tuple[float, ...]:
        totals = [0.0] * self.n_classes
        for row in examples:
            totals[self.labels[row]] += self.weights[row]
        return tuple(totals)

    def _score(self, examples: list[int], passing: frozenset[int]) -> float | None:
        """Return equation 2, or its ratio to the entropy of the two shares; None where it is no test."""
        sides = [row for row in examples if row in passing], [row for row in examples if row not in passing]
        n_yes, n_no = (sum(self._weights_of(side)) for side in sides)
        if min(n_yes, n_no) < self.settings.min_samples_leaf or min(n_yes, n_no) <= 0:
            return None
        n = n_yes + n_no
        gain = self._impurity(examples) - sum(
            part / n * self._impurity(side) for part, side in zip((n_yes, n_no), sides, strict=True)
        )
        if gain <= 1e-9:
            return None
        return self._of_criterion(gain, entropy([n_yes, n_no]))

    # What is of classes, and of numbers elsewhere.

    def _is_learned(self, row: int) -> bool:
        return self.labels[row] >= 0 and self.weights[row] > 0

    def _leaf(self, examples: list[int]) -> NaiveNode:
        return NaiveNode(self._weights_of(examples))

    def _is_pure(self, totals: Sequence[float]) -> bool:
        return sum(weight > 0 for weight in totals) < 2

    def _impurity(self, examples: list[int]) -> float:
        return entropy(self._weights_of(examples))

    def _of_criterion(self, gain: float, of_shares: float) -> float:
        return gain / of_shares if self.settings.criterion == "gain_ratio" else gain


@dataclass(frozen=True)
class NaiveRegression(NaiveTilde):
    """A tree whose tests reduce the variance of numbers, and whose leaves hold their means; never pruned.

    All examples have the label 0 of one class.
    """

    values: Sequence[float]  # of each example; NaN: none

    def _is_learned(self, row: int) -> bool:
        return not isnan(self.values[row]) and self.weights[row] > 0

    def _leaf(self, examples: list[int]) -> NaiveNode:
        return NaiveNode(self._weights_of(examples), mean=self._mean(examples))

    def _is_pure(self, totals: Sequence[float]) -> bool:  # numbers of one value gain nothing
        return False

    def _impurity(self, examples: list[int]) -> float:
        """Return the variance as a share of that of all examples, each counted once."""
        learned = [self.values[row] for row in range(len(self.values)) if self._is_learned(row)]
        of_all = sum((value - sum(learned) / len(learned)) ** 2 for value in learned) / len(learned)
        mean = self._mean(examples)
        squares = sum(self.weights[row] * (self.values[row] - mean) ** 2 for row in examples)
        return squares / sum(self._weights_of(examples)) / (of_all or 1.0)

    def _mean(self, examples: list[int]) -> float:
        return sum(self.weights[row] * self.values[row] for row in examples) / sum(self._weights_of(examples))

    def _of_criterion(self, gain: float, of_shares: float) -> float:  # as of classes
        return gain


def entropy(weights: Sequence[float]) -> float:
    """Return equation 3 of weights of classes."""
    total = sum(weights)
    return -sum(weight / total * log2(weight / total) for weight in weights if weight > 0)


def _after(known: _Known, best: _Candidate) -> _Known:
    """Return what is known where the candidate succeeded."""
    if best.place != EXAMPLE:
        components = list(known.components)
        components[best.place] = best.query
        return replace(known, components=tuple(components))
    if best.query.variables:
        return replace(known, components=(*known.components, best.query))
    term = best.chain if best.chain is not None else best.query.conditions[-1].term
    aggregate = term.term if isinstance(term, ChainTerm) else term
    if isinstance(aggregate, AggregateTerm) and len(aggregate.where) == 1 and term not in known.aggregates:
        assert not isinstance(term, ColumnTerm)
        return replace(known, aggregates=(*known.aggregates, term))
    return known


def candidates(tilde: NaiveTilde, examples: list[int], known: _Known) -> Iterator[_Candidate]:
    """Yield the candidates in the design's order: of the example, then of each variable of each component."""
    yield from _of_variable(tilde, examples, EXAMPLE, Query(), EXAMPLE, known.aggregates)
    for place, query in enumerate(known.components):
        for variable in range(len(query.variables)):
            terms = [one.term for one in query.conditions if one.variable == variable]
            refinable = [term for term in terms if isinstance(term, AggregateTerm) and len(term.where) == 1]
            yield from _of_variable(tilde, examples, place, query, variable, tuple(dict.fromkeys(refinable)))


def _of_variable(  # noqa: C901  # the kinds of tests, in their order
    tilde: NaiveTilde,
    examples: list[int],
    place: int,
    query: Query,
    variable: int,
    refinable: tuple[AggregateTerm | ChainTerm, ...],
) -> Iterator[_Candidate]:
    """Yield conditions on a variable's columns, then on its aggregates, then new variables from it."""
    schema, language = tilde.rows.schema, tilde.settings.language
    table = table_of(schema, query, variable)
    came_by = None if variable == EXAMPLE else query.variables[variable].by
    for term in column_terms(schema, language, table, came_by):
        yield from _conditions(tilde, examples, place, query, variable, term)
    steps = list(open_steps(schema, language, table, came_by))
    if tilde.settings.aggregates:
        for step in steps:
            if step.to == "children":
                own = [term for term in refinable if isinstance(term, AggregateTerm)]
                for aggregate in aggregate_terms(schema, language, step, own):
                    yield from _conditions(tilde, examples, place, query, variable, aggregate)
        if variable == EXAMPLE and language.max_variables > 1:
            for step in steps:
                if step.to == "children":
                    yield from _of_chains(tilde, examples, step, refinable)
    if len(query.variables) < language.max_variables:
        for step in steps:
            wider = Query((*query.variables, Variable(variable, step)), query.conditions)
            yield from _introduced(tilde, examples, place, wider, step)


def _introduced(tilde: NaiveTilde, examples: list[int], place: int, wider: Query, step: Step) -> Iterator[_Candidate]:
    """Yield a new variable bare, then with one condition on each column."""
    schema, language = tilde.rows.schema, tilde.settings.language
    reached = schema.reached(step)
    of_table = language.of_table(reached)
    if of_table.bare:
        passing = frozenset(row for row in examples if bindings(tilde.rows, wider, row))
        yield _Candidate(place, wider, FeatureTest(Feature("exists", wider)), passing)
    for term in column_terms(schema, language, reached, step):
        named = of_table.introduced_with
        in_language = named is None or (not term.parents and term.column in named)
        if in_language and (named is not None or tilde.settings.look_ahead):
            yield from _conditions(tilde, examples, place, wider, len(wider.variables) - 1, term)
    if of_table.introduced_with is None and tilde.settings.look_ahead and tilde.settings.aggregates:
        for further in open_steps(schema, language, reached, step):
            if further.to == "children":
                for aggregate in aggregate_terms(schema, language, further, ()):
                    if aggregate.function == "count":
                        yield from _conditions(tilde, examples, place, wider, len(wider.variables) - 1, aggregate)


def _of_chains(
    tilde: NaiveTilde, examples: list[int], via: Step, refinable: Sequence[AggregateTerm | ChainTerm]
) -> Iterator[_Candidate]:
    """Yield cuts of aggregates of the rows that two steps lead to from the example."""
    rows, language = tilde.rows, tilde.settings.language
    for step in open_steps(rows.schema, language, rows.schema.reached(via), via):
        known = [one.term for one in refinable if isinstance(one, ChainTerm) and one.via == via]
        terms = aggregate_terms(rows.schema, language, step, known) if step.to == "children" else iter(())
        for term in terms:
            if term.function == "mode":
                continue
            conditions = tuple(Condition(1, one.term, one.operator, one.value) for one in term.where)
            query = Query((Variable(EXAMPLE, via), Variable(0, step)), conditions)
            feature = Feature(term.function, query, None if term.column is None else Measure(1, term.column))
            values = {row: [feature_value(rows, feature, row)] for row in examples}
            for operator, cut in _constants(rows, rows.schema.examples, term, values):
                assert isinstance(cut, float)
                assert operator == ">" or operator == "<="  # noqa: PLR1714  # mypy sees which
                passing = frozenset(row for row in examples if satisfies(values[row][0], operator, cut))
                test = FeatureTest(feature, operator, cut)
                yield _Candidate(EXAMPLE, Query(), test, passing, ChainTerm(via, term))


def _conditions(
    tilde: NaiveTilde, examples: list[int], place: int, query: Query, variable: int, term: Term
) -> Iterator[_Candidate]:
    """Yield each condition on a term of a variable: levels ascending, or `>` of each cut, then `<=`; last, missing."""
    rows = tilde.rows
    table = table_of(rows.schema, query, variable)
    values = {
        row: [
            term_value(rows, term, table, row if variable == EXAMPLE else binding[variable], row)
            for binding in bindings(rows, query, row)
        ]
        for row in examples
    }
    for operator, constant in _constants(rows, table, term, values):
        passing = frozenset(
            row for row in examples if any(satisfies(value, operator, constant) for value in values[row])
        )
        condition = Condition(variable, term, operator, constant)
        closed = Query(query.variables, (*query.conditions, condition))
        yield _Candidate(place, closed, _test(query, condition, closed), passing)


def _constants(
    rows: PlainRows, table: str, term: Term, values: dict[int, list[Value]]
) -> Iterator[tuple[Operator, Value]]:
    levels = _levels(rows.schema, table, term)
    if levels:
        for level in levels:
            yield "=", level
    else:
        numbers = [[float(value) for value in some if value is not None] for some in values.values()]
        for cut in cuts([max(some) for some in numbers if some]):
            yield ">", cut
        for cut in cuts([min(some) for some in numbers if some]):
            yield "<=", cut
    if isinstance(term, ColumnTerm):
        yield "is_missing", None  # where nothing is missing, this parts nothing


def _levels(schema: Schema, table: str, term: Term) -> Sequence[Value]:
    if isinstance(term, ColumnTerm):
        return levels_of(schema, term, table)
    if term.function == "mode" and term.column is not None:
        return levels_of(schema, term.column, schema.reached(term.by))
    return ()


def cuts(values: Sequence[float]) -> Iterator[float]:
    """Yield the cuts halfway between neighbours, of single precision if that parts the same; else the lower."""
    for lower, upper in pairwise(sorted(set(values))):
        halfway = float(np.float32((lower + upper) / 2))
        yield halfway if lower <= halfway < upper else lower


def _test(query: Query, condition: Condition, closed: Query) -> FeatureTest:
    """Return the candidate's test as a column, and a cut of it where its condition is an inequality."""
    if condition.operator not in {">", "<="}:
        return FeatureTest(Feature("exists", closed))
    operator, term = condition.operator, condition.term
    assert operator in {">", "<="}
    assert isinstance(condition.value, float)
    if condition.variable != EXAMPLE:
        kind = Feature("max" if operator == ">" else "min", query, Measure(condition.variable, term))
        return FeatureTest(kind, operator, condition.value)
    if isinstance(term, ColumnTerm):
        return FeatureTest(Feature("value", Query(), Measure(EXAMPLE, term)), operator, condition.value)
    conditions = tuple(Condition(0, one.term, one.operator, one.value) for one in term.where)
    measure = None if term.column is None else Measure(0, term.column)
    feature = Feature(term.function, Query((Variable(EXAMPLE, term.by),), conditions), measure)
    return FeatureTest(feature, operator, condition.value)


def open_steps(schema: Schema, language: Language, table: str, came_by: Step | None) -> Iterator[Step]:
    """Yield the steps from a table: not back to the parent one came from, nor into the examples' table."""
    for step, reached in schema.steps_from(table):
        if came_by is not None and came_by.to == "children" and step == Step(came_by.relationship, "parent"):
            continue
        if reached == schema.examples and not language.through_examples:
            continue
        if language.relationships is None or step.relationship in language.relationships:
            yield step


def column_terms(
    schema: Schema, language: Language, table: str, came_by: Step | None, parents: tuple[str, ...] = ()
) -> Iterator[ColumnTerm]:
    """Yield the columns that tests of a row may use: its own, then those of up to three parents in turn."""
    allowed = language.of_table(table).columns
    for name, column in schema.tables[table].columns.items():
        if (table, name) == (schema.examples, schema.target) or column.kind in {"key", "time"}:
            continue
        if (allowed is None or name in allowed) and len(column.levels) <= 1000:
            yield ColumnTerm(name, parents)
    if len(parents) < 3:
        for step in open_steps(schema, language, table, came_by):
            if step.to == "parent" and step.relationship not in parents:
                yield from column_terms(schema, language, schema.reached(step), None, (*parents, step.relationship))


def aggregate_terms(
    schema: Schema, language: Language, step: Step, refinable: Sequence[AggregateTerm]
) -> Iterator[AggregateTerm]:
    """Yield aggregates of the rows a step leads to: of all, then of those with each level; then refined ones."""
    reached = schema.reached(step)
    allowed = language.of_table(reached).aggregates
    columns = list(column_terms(schema, language, reached, step))
    selecting = [term for term in columns if 0 < len(levels_of(schema, term, reached)) <= 40]
    for function, column in _functions(schema, reached, columns):
        if allowed is None or function in allowed:
            if function != "share":
                yield AggregateTerm(function, step, column)
            for one in _selections(schema, reached, [term for term in selecting if term != column]):
                yield AggregateTerm(function, step, column, (one,))
    for known in refinable:
        if known.by == step:
            further = [term for term in selecting if term not in {known.where[0].term, known.column}]
            for one in _selections(schema, reached, further):
                yield replace(known, where=(*known.where, one))


def _selections(schema: Schema, table: str, terms: Sequence[ColumnTerm]) -> Iterator[Selection]:
    for term in terms:
        yield from (Selection(term, "=", level) for level in levels_of(schema, term, table))


def _functions(
    schema: Schema, table: str, columns: Sequence[ColumnTerm]
) -> Iterator[tuple[AggregateFunction, ColumnTerm | None]]:
    yield "count", None
    yield "share", None
    numbers = [term for term in columns if not levels_of(schema, term, table)]
    for function in NUMBERS:
        yield from ((function, term) for term in numbers)
    for function in LEVELS:
        yield from ((function, term) for term in columns if term not in numbers)


def merged(node: NaiveNode, all_weights: Sequence[float]) -> NaiveNode:
    """Return the tree in which a node is a leaf if all leaves below say one class."""
    if node.yes is None or node.no is None:
        return node
    if len(set(_said(node, all_weights))) == 1:
        return NaiveNode(node.class_weights)
    return replace(node, yes=merged(node.yes, all_weights), no=merged(node.no, all_weights))


def _said(node: NaiveNode, all_weights: Sequence[float]) -> Iterator[int]:
    """Yield the class that each leaf says: that of the highest m-estimate, the first of equal ones."""
    if node.yes is not None and node.no is not None:
        yield from _said(node.yes, all_weights)
        yield from _said(node.no, all_weights)
        return
    total = sum(all_weights)
    scores = [n + 2 * prior / total for n, prior in zip(node.class_weights, all_weights, strict=True)]
    yield int(np.argmax(np.array(scores) / (sum(node.class_weights) + 2)))


def pruned(node: NaiveNode) -> NaiveNode:
    """Return the tree in which a leaf replaces each subtree that C4.5 estimates to err at most 0.1 less, bottom up."""
    if node.yes is None or node.no is None:
        return node
    smaller = replace(node, yes=pruned(node.yes), no=pruned(node.no))
    leaf = NaiveNode(node.class_weights)
    return leaf if estimate(leaf) <= estimate(smaller) + 0.1 else smaller


def estimate(node: NaiveNode) -> float:
    """Return C4.5's pessimistic estimate of the errors of a tree."""
    if node.yes is not None and node.no is not None:
        return estimate(node.yes) + estimate(node.no)
    n = sum(node.class_weights)
    errors = n - max(node.class_weights)
    return errors + added_errors(n, errors)


def added_errors(n: float, errors: float) -> float:
    """Return U(N, E) of the design."""
    if errors + 0.5 >= n and errors >= 1:
        return 0.67 * (n - errors)
    if errors < 1:
        none = n * (1 - exp(log(0.25) / n))
        return none if errors == 0 else none + errors * (added_errors(n, 1.0) - none)
    z, half = 0.6925, errors + 0.5
    root = sqrt(half * (1 - half / n) + z * z / 4)
    return n * (half + z * z / 2 + z * root) / (n + z * z) - errors
