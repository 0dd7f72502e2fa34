"""A candidate as a closed query, which is evaluated on the example alone: a column, and perhaps a cut."""

from .bindings import Component
from .candidate_families import Candidate
from .queries import (
    EXAMPLE,
    AggregateTerm,
    Condition,
    Feature,
    FeatureKind,
    FeatureTest,
    Measure,
    Query,
    Term,
    Variable,
)
from .schema import Step


def refined_query(candidate: Candidate, query: Query) -> Query:
    """Return the query of a component with the candidate's own variable and condition."""
    wider, variable = _with_variable(candidate, query)
    if candidate.operator is None or candidate.term is None:
        return wider
    condition = Condition(variable, candidate.term, candidate.operator, candidate.value)
    return Query(wider.variables, (*wider.conditions, condition))


def closed_test(candidate: Candidate, component: Component) -> FeatureTest:
    """Return the test of a node: whether the component, with the candidate's variable and condition, succeeds.

    An inequality as the last condition is a threshold of the largest or smallest value that satisfies the others.
    """
    if candidate.operator not in (">", "<=") or candidate.term is None or not isinstance(candidate.value, float):
        return FeatureTest(Feature("exists", refined_query(candidate, component.query)))
    wider, variable = _with_variable(candidate, component.query)
    if variable == EXAMPLE:
        return FeatureTest(_of_example(candidate.term, candidate.via), candidate.operator, candidate.value)
    kind: FeatureKind = "max" if candidate.operator == ">" else "min"
    return FeatureTest(Feature(kind, wider, Measure(variable, candidate.term)), candidate.operator, candidate.value)


def _with_variable(candidate: Candidate, query: Query) -> tuple[Query, int]:
    """Return the query with the candidate's new variable, if it has one, and the variable that it tests."""
    if candidate.step is None:
        return query, candidate.variable
    variables = (*query.variables, Variable(candidate.variable, candidate.step))
    return Query(variables, query.conditions), len(query.variables)


def _of_example(term: Term, via: tuple[Step, ...]) -> Feature:
    """Return a number of the example as a feature: of its own column, or over all rows that steps lead to."""
    if not isinstance(term, AggregateTerm):
        return Feature("value", Query(), Measure(EXAMPLE, term))
    variables = tuple(Variable(index - 1, step) for index, step in enumerate((*via, term.by)))
    last = len(via)
    conditions = tuple(Condition(last, one.term, one.operator, one.value) for one in term.where)
    measure = None if term.column is None else Measure(last, term.column)
    return Feature(term.function, Query(variables, conditions), measure)
