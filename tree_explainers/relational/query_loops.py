"""The compiled loop that runs a program of queries, example by example.

It looks for bindings depth first, so that it keeps no table of them, and leaves a block as soon as nothing in it is
open: an ``exists`` is settled by its first binding. One search serves one example sent in a request or a block of many.
It pauses after a number of visits to rows, wherever it is, so that its caller can look whether it is to go on.
"""

from enum import IntEnum
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled_ahead, compiled_for_loops, inlined_reader
from .query_program import Do, Field, Program
from .row_readings import (
    OF_LEVELS,
    Pools,
    aggregate,
    children_of,
    holds,
    longest_list,
    most_frequent,
    n_distinct,
    of_levels,
    parent_of,
    read,
    rounded_sum,
)
from .tables import MISSING, decimal_of

_DO, _VARIABLE, _ORIGIN, _STEP, _TERM, _OPERATOR, _FEATURE, _BLOCK, _END, _FAILED = map(int, Field)
_FILTER, _EXPAND, _SWITCH, _NEXT, _JUMP, _BASE, _EXISTS, _COUNT, _SHARE = list(map(int, Do))[:9]
_MEAN, _SUM, _MIN, _MAX, _MODE, _N_DISTINCT, _VALUE = list(map(int, Do))[9:]
_Index: TypeAlias = Any  # an integer
_MAX_ROWS = 16  # more than a query has variables
_FEW = 64


class Outcome(IntEnum):
    """Why a search stopped."""

    FINISHED = 0
    PAUSED = 1
    FULL = 2  # ``collected`` has no room for the next value
    BEYOND = 3  # an instruction has looked at more rows of one example than it may
    LISTED = 4  # ``buffer`` has the values of an aggregate, which have to be sorted: not outside ``run``
    COLLECTED = 5  # the example that is finished has values which have to be sorted: not outside ``run``


class Place(IntEnum):
    """The entries of ``Search.place``."""

    EXAMPLE = 0  # its index in the block
    INSTRUCTION = 1  # the next one; -1: the example has not begun
    N_STEPS = 2  # visits to rows, rows that aggregates read, and values that were collected, of all examples
    N_READ = 3  # rows that aggregates read, of all examples
    N_BEFORE = 4  # steps before the example began
    N_COLLECTED = 5  # values of the example


_FINISHED, _PAUSED, _FULL, _BEYOND, _LISTED, _COLLECTED = map(int, Outcome)
_EXAMPLE, _INSTRUCTION, _N_STEPS, _N_READ, _N_BEFORE, _N_COLLECTED = map(int, Place)
_READ_IN_A_VISIT = 10  # rows of an aggregate, which lie side by side, in the time of a visit


class Search(NamedTuple):
    """Where a search for bindings is: one that has paused goes on from there."""

    place: NDArray[np.int64]  # (len(Place),)
    rows: NDArray[np.int64]  # (_MAX_ROWS,) of each variable
    visits: NDArray[np.int64]  # (_MAX_ROWS,) the step at which it was bound to that row
    children: NDArray[np.int64]  # (_MAX_ROWS,) where that row is in the list that the variable runs through
    ends: NDArray[np.int64]  # (_MAX_ROWS,) the end of that list
    term_values: NDArray[np.float64]  # (n_terms,) as read of the row that was bound at the step in ``term_visits``
    term_visits: NDArray[np.int64]  # (n_terms,)
    n_open: NDArray[np.int32]  # (n_instructions,) of a block: as in the program, without what is settled
    n_looked_at: NDArray[np.int64]  # (n_instructions,) rows of the example
    noted: NDArray[np.float64]  # (n_features, 3)
    buffer: NDArray[np.float64]  # for the values of one aggregate
    collected: NDArray[np.float64]  # values of which the mode or the number of distinct ones is taken
    collected_for: NDArray[np.int32]  # the feature of each

    @classmethod
    def of(cls, program: Program, pools: Pools) -> "Search":
        """Return a search that has not begun."""
        n_instructions, n_terms = len(program.instructions), len(program.terms)
        return cls(
            place=np.array([0, -1, 0, 0, 0, 0], np.int64),
            rows=np.zeros(_MAX_ROWS, np.int64),
            visits=np.zeros(_MAX_ROWS, np.int64),
            children=np.zeros(_MAX_ROWS, np.int64),
            ends=np.zeros(_MAX_ROWS, np.int64),
            term_values=np.empty(n_terms),
            term_visits=np.zeros(n_terms, np.int64),
            n_open=np.zeros(n_instructions, np.int32),
            n_looked_at=np.zeros(n_instructions, np.int64),
            noted=np.empty((len(program.kinds), 3)),
            buffer=np.empty(longest_list(program.terms, pools.starts)),
            collected=np.empty(_FEW),
            collected_for=np.empty(_FEW, np.int32),
        )

    @property
    def n_visits(self) -> int:
        """Visits to rows so far, and values that were collected; ten rows that aggregates read are one visit."""
        n_read = int(self.place[Place.N_READ])
        return int(self.place[Place.N_STEPS]) - n_read + n_read // _READ_IN_A_VISIT

    def enlarged(self) -> "Search":
        """Return the same search with room for twice as many values."""
        collected = np.concatenate([self.collected, np.empty_like(self.collected)])
        collected_for = np.concatenate([self.collected_for, np.empty_like(self.collected_for)])
        return self._replace(collected=collected, collected_for=collected_for)


@inlined_reader
def _note(noted: NDArray[np.float64], feature: int, do: int, value: float) -> None:
    """Add a binding, or its value, to what is noted of a feature: three numbers, by its kind."""
    if do in (_COUNT, _SHARE):
        noted[feature, 0] += 1
    elif do == _BASE:
        noted[feature, 1] += 1
    elif np.isnan(value):
        return
    elif do == _MIN:
        noted[feature, 0] = noted[feature, 0] if value >= noted[feature, 0] else value  # noqa: FURB136  # NaN at first
    elif do == _MAX:
        noted[feature, 0] = noted[feature, 0] if value <= noted[feature, 0] else value  # noqa: FURB136
    else:
        noted[feature, 0] += value  # a decimal
        noted[feature, 1] += abs(value)
        noted[feature, 2] += 1


@inlined_reader
def _settle(
    noted: NDArray[np.float64], n_open: NDArray[np.int32], instructions: NDArray[np.int32], at: _Index, value: float
) -> None:
    """Note the first value of a feature that needs no other, and count it off in the blocks around it."""
    feature = instructions[at, _FEATURE]
    if noted[feature, 1] == 0:
        noted[feature, 0], noted[feature, 1] = value, 1
        block = instructions[at, _BLOCK]
        while block >= 0:
            n_open[block] -= 1
            block = instructions[block, _BLOCK]


@inlined_reader
def _put_results(kinds: NDArray[np.int32], noted: NDArray[np.float64], out: NDArray[np.float32], number: int) -> None:
    for feature in range(len(kinds)):
        kind, result = kinds[feature], noted[feature, 0]
        if kind in (_MEAN, _SUM):
            result = rounded_sum(noted[feature, 0], noted[feature, 1])
        if kind in (_SHARE, _MEAN):
            n = noted[feature, 1 if kind == _SHARE else 2]
            result = result / n if n else np.nan
        out[number, feature] = result


@inlined_reader
def _collects(kinds: NDArray[np.int32]) -> bool:
    """Return whether a feature needs all of its values at once."""
    collects = False
    for kind in kinds:
        collects |= kind in (_MODE, _N_DISTINCT)
    return collects


@compiled_for_loops
def _sort_listed(program: Program, search: Search) -> None:
    """Put the aggregate of the values in ``buffer`` into the place of their number."""
    term = program.instructions[search.place[_INSTRUCTION], _TERM]
    values = search.buffer[: np.int64(search.term_values[term])]
    search.term_values[term] = of_levels(values, program.terms[term, 0])


@compiled_for_loops
def _put_collected(kinds: NDArray[np.int32], search: Search, out: NDArray[np.float32]) -> None:
    """Write the features that are the mode or the number of distinct values of what was collected for them."""
    collected = search.collected[: search.place[_N_COLLECTED]]
    features = search.collected_for[: search.place[_N_COLLECTED]]
    starts = np.zeros(len(kinds) + 1, np.int64)
    for feature in features:
        starts[feature + 1] += 1
    starts = np.cumsum(starts)
    ends = starts[:-1].copy()
    by_feature = np.empty(len(collected))
    for index in range(len(collected)):
        by_feature[ends[features[index]]] = collected[index]
        ends[features[index]] += 1
    for feature in range(len(kinds)):
        if kinds[feature] in (_MODE, _N_DISTINCT):
            values = by_feature[starts[feature] : ends[feature]]
            values.sort()
            out[feature] = most_frequent(values) if kinds[feature] == _MODE else n_distinct(values)


@inlined_reader
def _begin(program: Program, search: Search, example: int) -> None:
    """Begin an example, with nothing noted."""
    place, noted = search.place, search.noted
    for feature in range(len(program.kinds)):
        noted[feature, 0] = np.nan if program.kinds[feature] in (_MIN, _MAX, _VALUE) else 0.0
        noted[feature, 1] = noted[feature, 2] = 0.0
    for at in range(len(program.instructions)):
        search.n_open[at] = program.n_open[at]
        search.n_looked_at[at] = 0
    place[_INSTRUCTION], place[_N_BEFORE], place[_N_COLLECTED] = 0, place[_N_STEPS], 0
    place[_N_STEPS] += 1
    search.rows[0], search.visits[0] = example, place[_N_STEPS]


@inlined_reader
def _reads(do: int) -> bool:
    """Return whether an instruction reads a term."""
    return do in (_FILTER, _SWITCH) or do >= _MEAN


@inlined_reader
def _read_term(program: Program, pools: Pools, search: Search, at: _Index, cutoff: float) -> bool:
    """Read the value of an instruction's term, unless it is known; return whether ``buffer`` has what it is made of."""
    variable, term = program.instructions[at, _VARIABLE], program.instructions[at, _TERM]
    if search.term_visits[term] == search.visits[variable]:
        return False
    search.term_visits[term] = search.visits[variable]
    function, row = program.terms[term, 0], search.rows[variable]
    if function == 0:
        search.term_values[term] = read(program, pools, program.terms[term, 1], row, cutoff)
        return False
    search.term_values[term], n_read = aggregate(program, pools, search.buffer, term, row, cutoff)
    search.place[_N_STEPS] += n_read
    search.place[_N_READ] += n_read
    search.n_looked_at[at] += n_read
    return bool(function >= OF_LEVELS)


@inlined_reader
def _enter(program: Program, pools: Pools, search: Search, at: _Index, cutoff: float) -> _Index:
    """Bind a variable to the first row that a step leads to; return the next instruction."""
    instructions, variable = program.instructions, program.instructions[at, _VARIABLE]
    step, origin = instructions[at, _STEP], search.rows[instructions[at, _ORIGIN]]
    way, begin, end, row = program.steps[step, 0], np.int64(0), np.int64(0), np.int64(MISSING)
    if program.steps[step, 1]:
        begin, end = children_of(pools, way, origin, cutoff)
        if begin < end:
            row = np.int64(pools.links[begin])
    else:
        row = np.int64(parent_of(pools, way, origin, cutoff))
        end = np.int64(row >= 0)
    _visit(search, at, variable, row)
    search.children[variable], search.ends[variable] = begin, end
    return at + 1 if begin < end else np.int64(instructions[at, _END])


@inlined_reader
def _visit(search: Search, at: _Index, variable: _Index, row: _Index) -> None:
    """Bind a variable to a row, for the instruction that opens its block."""
    search.place[_N_STEPS] += 1
    search.n_looked_at[at] += 1
    search.rows[variable], search.visits[variable] = row, search.place[_N_STEPS]


@inlined_reader
def _next(program: Program, pools: Pools, search: Search, at: _Index) -> _Index:
    """Bind a variable to its next row, if there is one and something is open; return the next instruction."""
    variable, opener = program.instructions[at, _VARIABLE], np.int64(program.instructions[at, _END])
    search.children[variable] += 1
    if search.children[variable] < search.ends[variable] and search.n_open[opener] > 0:
        _visit(search, opener, variable, np.int64(pools.links[search.children[variable]]))
        return opener + 1
    return at + 1


@inlined_reader
def _switched(program: Program, at: _Index, value: float) -> _Index:
    """Return the filter that a code passes, or the end of the switch."""
    instructions = program.instructions
    is_code = 0 <= value < instructions[at, _STEP]  # not of a missing value
    return np.int64(program.jumps[instructions[at, _ORIGIN] + np.int64(value)] if is_code else instructions[at, _END])


@inlined_reader
def _collect(program: Program, search: Search, at: _Index, value: float) -> bool:
    """Keep a value for a feature that needs all of them; return whether there was room."""
    n_collected = search.place[_N_COLLECTED]
    if np.isnan(value):
        return True
    if n_collected == len(search.collected):
        return False
    search.collected[n_collected] = value
    search.collected_for[n_collected] = program.instructions[at, _FEATURE]
    search.place[_N_COLLECTED] += 1
    search.place[_N_STEPS] += 1
    return True


@inlined_reader
def _put(program: Program, search: Search, at: _Index, value: float) -> bool:
    """Note a binding, or its value, for a feature; return whether there was room."""
    do = program.instructions[at, _DO]
    if do in (_MODE, _N_DISTINCT):
        return _collect(program, search, at, value)
    if do in (_EXISTS, _VALUE):
        _settle(search.noted, search.n_open, program.instructions, at, value if do == _VALUE else 1.0)
        return True
    is_sum_of_aggregates = do in (_SUM, _MEAN) and program.terms[program.instructions[at, _TERM], 0] > 0
    _note(search.noted, program.instructions[at, _FEATURE], do, decimal_of(value) if is_sum_of_aggregates else value)
    return True


@inlined_reader
def _after(program: Program, pools: Pools, search: Search, at: _Index, value: float, cutoff: float) -> _Index:
    """Return the instruction that follows one that notes nothing."""
    instructions, do = program.instructions, program.instructions[at, _DO]
    if do == _FILTER:
        passes = holds(value, instructions[at, _OPERATOR], float(program.constants[at]))
        return at + 1 if passes else np.int64(instructions[at, _FAILED])
    if do == _SWITCH:
        return _switched(program, at, value)
    if do == _EXPAND:
        return _enter(program, pools, search, at, cutoff)
    return _next(program, pools, search, at) if do == _NEXT else np.int64(instructions[at, _END])


@inlined_reader
def _advance(program: Program, pools: Pools, search: Search, cutoff: float, pause_at: int) -> int:
    """Go on with an example until it is finished or the search has to stop."""
    instructions, place, at, outcome = program.instructions, search.place, search.place[_INSTRUCTION], _FINISHED
    while at < len(instructions) and outcome == _FINISHED:
        do, value = instructions[at, _DO], np.nan
        if place[_N_STEPS] > pause_at:
            outcome = _PAUSED
        elif do <= _SWITCH and search.n_open[at] == 0:
            at = np.int64(instructions[at, _END])
        elif _reads(do) and _read_term(program, pools, search, at, cutoff):
            outcome = _LISTED
        else:
            if _reads(do):
                value = search.term_values[instructions[at, _TERM]]
            if do <= _JUMP:
                at = _after(program, pools, search, at, value, cutoff)
            elif _put(program, search, at, value):
                at += 1
            else:
                outcome = _FULL
    place[_INSTRUCTION] = at
    return outcome


@inlined_reader
def _is_beyond(search: Search, most_combinations: int) -> bool:
    """Return whether an instruction has looked at more rows of the example than it may."""
    if search.place[_N_STEPS] - search.place[_N_BEFORE] <= most_combinations:
        return False
    most = 0
    for at in range(len(search.n_looked_at)):
        most = max(most, search.n_looked_at[at])
    return bool(most > most_combinations)


@inlined_reader
def _go_on(  # noqa: PLR0917
    program: Program, pools: Pools, search: Search, first: int, out: NDArray[np.float32], pause_at: int, most: int
) -> int:
    """Evaluate examples until all are finished or the search has to stop."""
    place, collects = search.place, _collects(program.kinds)
    while place[_EXAMPLE] < len(out):
        example = first + place[_EXAMPLE]
        if place[_INSTRUCTION] < 0:
            _begin(program, search, example)
        outcome = _advance(program, pools, search, pools.cutoffs[example], pause_at)
        if _is_beyond(search, most):
            return _BEYOND
        if outcome != _FINISHED:
            return outcome
        _put_results(program.kinds, search.noted, out, place[_EXAMPLE])
        place[_EXAMPLE] += 1
        place[_INSTRUCTION] = -1
        if collects:
            return _COLLECTED
    return _FINISHED


def _types(n: Any) -> list[Any]:  # numba's types
    int32s, int64s, float64s = n.int32[::1], n.int64[::1], n.float64[::1]
    int32_rows, int64_rows = n.int32[:, ::1], n.int64[:, ::1]
    parts = (int32_rows, float64s, int32s, int32_rows, int32_rows, float64s)
    program = n.NamedTuple((*parts, int32_rows, int32s, int32_rows, int32s, int32s), Program)
    values = (int32s, n.float32[::1], float64s, int64_rows, int32s, int64s, int64_rows, float64s, float64s)
    pools = n.NamedTuple(values, Pools)
    places = (*[int64s] * 5, float64s, int64s, int32s, int64s, n.float64[:, ::1], float64s, float64s, int32s)
    search = n.NamedTuple(places, Search)
    return [n.int64(program, pools, search, n.int64, n.float32[:, ::1], n.int64, n.int64)]


@compiled_ahead(_types)
def run(  # noqa: PLR0917
    program: Program,
    pools: Pools,
    search: Search,
    first: int,
    out: NDArray[np.float32],
    n_at_once: int,
    most_combinations: int,
) -> int:
    """Evaluate the features of the examples from ``first`` on into ``out``, (n_examples, n_features).

    It returns an ``Outcome``: it pauses after some ``n_at_once`` steps, and ends where one instruction looks at more
    than ``most_combinations`` rows of one example.

    What it calls for an instruction is compiled into it, by readers: passing the arrays on, or counting references to
    them, would cost more than most instructions.
    """
    place, outcome = search.place, _LISTED
    pause_at = place[_N_STEPS] + n_at_once
    while outcome in (_LISTED, _COLLECTED):  # what sorts makes arrays, which readers cannot
        outcome = _go_on(program, pools, search, first, out, pause_at, most_combinations)
        if outcome == _LISTED:
            _sort_listed(program, search)
        elif outcome == _COLLECTED:
            _put_collected(program.kinds, search, out[place[_EXAMPLE] - 1])
    return outcome
