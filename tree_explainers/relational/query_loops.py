"""The compiled loop that runs a program of queries, example by example.

It looks for bindings depth first, so that it keeps no table of them, and leaves a block as soon as nothing in it is
open: an ``exists`` is settled by its first binding. One call serves one example sent in a request or a block of many.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, inlined
from .query_program import Do, Field, Program
from .row_readings import Pools, children_of, holds, most_frequent, n_distinct, parent_of, read_term, rounded_sum

_DO, _VARIABLE, _ORIGIN, _STEP, _TERM, _OPERATOR, _FEATURE, _BLOCK, _END = map(int, Field)
_FILTER, _EXPAND, _NEXT, _BASE, _EXISTS, _COUNT, _SHARE, _MEAN, _SUM, _MIN, _MAX, _MODE, _N_DISTINCT, _VALUE = map(
    int, Do
)
_MAX_ROWS = 16  # more than a query has variables
_FEW = 64


class Search(NamedTuple):
    """Where the search for bindings is. Of variables: (_MAX_ROWS,), the example first."""

    rows: NDArray[np.int64]  # the row that each variable has now
    places: NDArray[np.int64]  # among the rows that its step leads to
    ends: NDArray[np.int64]
    visits: NDArray[np.int64]  # the number of the visit to that row
    n_visits: NDArray[np.int64]  # (1,)
    term_values: NDArray[np.float64]  # (n_terms,) as read at the visit ``term_visits``
    term_visits: NDArray[np.int64]
    n_open: NDArray[np.int32]  # (n_instructions,) as in the program, less what is settled
    noted: NDArray[np.float64]  # (n_features, 3) what is noted of each feature, by its kind


@inlined
def _visit(search: Search, variable: int, row: int) -> None:
    search.rows[variable] = row
    search.n_visits[0] += 1
    search.visits[variable] = search.n_visits[0]


@inlined
def _begin(program: Program, search: Search, example: int) -> None:
    """Begin with an example, nothing noted."""
    search.n_open[:] = program.n_open
    for feature in range(len(program.kinds)):
        kind = program.kinds[feature]
        search.noted[feature, 0] = np.nan if kind in (_MIN, _MAX, _VALUE) else 0.0
        search.noted[feature, 1] = search.noted[feature, 2] = 0.0
    _visit(search, 0, example)


@inlined
def _value(program: Program, pools: Pools, search: Search, at: int, cutoff: float) -> float:
    """Return the term of an instruction for the row that its variable has; it is read once for each visit to a row."""
    term, variable = program.instructions[at, _TERM], program.instructions[at, _VARIABLE]
    if search.term_visits[term] != search.visits[variable]:
        search.term_visits[term] = search.visits[variable]
        search.term_values[term] = read_term(program, pools, term, search.rows[variable], cutoff)
    return search.term_values[term]


@inlined
def _enter(program: Program, pools: Pools, search: Search, at: int, cutoff: float) -> bool:
    """Give the variable of an EXPAND its first row; return whether there is one."""
    step, variable = program.instructions[at, _STEP], program.instructions[at, _VARIABLE]
    relationship, origin = program.steps[step, 0], search.rows[program.instructions[at, _ORIGIN]]
    if program.steps[step, 1]:
        first, end = children_of(pools, relationship, origin, cutoff)
        search.places[variable], search.ends[variable] = first, end
        if first < end:
            _visit(search, variable, pools.links[first])
        return first < end
    row = parent_of(pools, relationship, origin, cutoff)
    search.places[variable], search.ends[variable] = 0, 1
    _visit(search, variable, row)
    return row >= 0


@inlined
def _goes_on(program: Program, pools: Pools, search: Search, at: int) -> bool:
    """Give the variable of a NEXT its next row; return whether there is one that is needed."""
    variable = program.instructions[at, _VARIABLE]
    search.places[variable] += 1
    if search.places[variable] >= search.ends[variable] or search.n_open[program.instructions[at, _END]] == 0:
        return False
    _visit(search, variable, pools.links[search.places[variable]])
    return True


@inlined
def _settle(program: Program, search: Search, at: int, value: float) -> None:
    """Note a value that needs no further binding, and note this in all blocks around it."""
    noted = search.noted[program.instructions[at, _FEATURE]]
    if noted[1] == 0:
        noted[0], noted[1] = value, 1
        block = program.instructions[at, _BLOCK]
        while block >= 0:
            search.n_open[block] -= 1
            block = program.instructions[block, _BLOCK]


@inlined
def _note(noted: NDArray[np.float64], do: int, value: float) -> None:
    """Add the value of a binding to what is noted of a feature."""
    if np.isnan(value):
        return
    if do in (_MEAN, _SUM):
        noted[0] += value
        noted[1] += abs(value)
        noted[2] += 1
    elif do == _MIN:
        noted[0] = noted[0] if value >= noted[0] else value  # noqa: FURB136  # NaN at first
    elif do == _MAX:
        noted[0] = noted[0] if value <= noted[0] else value  # noqa: FURB136


@inlined
def _result(kind: int, noted: NDArray[np.float64]) -> float:
    if kind in (_MEAN, _SUM):
        total = rounded_sum(noted[0], noted[1])
        return total if kind == _SUM else (total / noted[2] if noted[2] else np.nan)
    if kind == _SHARE:
        return noted[0] / noted[1] if noted[1] else np.nan
    return noted[0]


@compiled
def _put_collected(
    program: Program, collected: NDArray[np.float64], features: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """Write the features that are the mode or the number of distinct values of what was collected for them."""
    starts = np.zeros(len(program.kinds) + 1, np.int64)
    for feature in features:
        starts[feature + 1] += 1
    starts = np.cumsum(starts)
    ends = starts[:-1].copy()
    by_feature = np.empty(len(collected))
    for place in range(len(collected)):
        by_feature[ends[features[place]]] = collected[place]
        ends[features[place]] += 1
    for feature in range(len(program.kinds)):
        if program.kinds[feature] in (_MODE, _N_DISTINCT):
            values = by_feature[starts[feature] : ends[feature]]
            values.sort()
            out[feature] = most_frequent(values) if program.kinds[feature] == _MODE else n_distinct(values)


@compiled
def run(program: Program, pools: Pools, first: int, out: NDArray[np.float32]) -> None:  # noqa: C901, PLR0912  # a case each
    """Evaluate the features of the examples from ``first`` on into ``out``, (n_examples, n_features)."""
    n_terms, n_features, instructions = len(program.terms), len(program.kinds), program.instructions
    search = Search(
        np.zeros(_MAX_ROWS, np.int64), np.zeros(_MAX_ROWS, np.int64), np.zeros(_MAX_ROWS, np.int64),
        np.zeros(_MAX_ROWS, np.int64), np.zeros(1, np.int64),
        np.empty(n_terms), np.zeros(n_terms, np.int64), program.n_open.copy(), np.empty((n_features, 3)),
    )  # fmt: skip
    collected, collected_for = np.empty(_FEW), np.empty(_FEW, np.int32)
    for number in range(len(out)):
        cutoff, n_collected, at = pools.cutoffs[first + number], 0, np.int64(0)
        _begin(program, search, first + number)
        while at < len(instructions):
            do, feature = instructions[at, _DO], instructions[at, _FEATURE]
            goes_in = True
            if do == _FILTER:
                if search.n_open[at] == 0:
                    goes_in = False
                else:
                    value = _value(program, pools, search, at, cutoff)
                    goes_in = holds(value, instructions[at, _OPERATOR], program.constants[at])
            elif do == _EXPAND:
                goes_in = search.n_open[at] > 0 and _enter(program, pools, search, at, cutoff)
            elif do == _NEXT:
                if _goes_on(program, pools, search, at):
                    at = np.int64(instructions[at, _END])
            elif do == _EXISTS:
                _settle(program, search, at, 1.0)
            elif do in (_COUNT, _SHARE):
                search.noted[feature, 0] += 1
            elif do == _BASE:
                search.noted[feature, 1] += 1
            else:
                value = _value(program, pools, search, at, cutoff)
                if do == _VALUE:
                    _settle(program, search, at, value)
                elif do in (_MODE, _N_DISTINCT):
                    if n_collected == len(collected):
                        collected = np.concatenate((collected, np.empty(n_collected)))
                        collected_for = np.concatenate((collected_for, np.empty(n_collected, np.int32)))
                    collected[n_collected], collected_for[n_collected] = value, feature
                    n_collected += not np.isnan(value)
                else:
                    _note(search.noted[feature], do, value)
            at = at + 1 if goes_in else np.int64(instructions[at, _END])
        for feature in range(n_features):
            out[number, feature] = _result(program.kinds[feature], search.noted[feature])
        _put_collected(program, collected[:n_collected], collected_for[:n_collected], out[number])
