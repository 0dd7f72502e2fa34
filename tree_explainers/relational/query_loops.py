"""The compiled loop that runs a program of queries, example by example.

It looks for bindings depth first, so that it keeps no table of them, and leaves a block as soon as nothing in it is
open: an ``exists`` is settled by its first binding. One call serves one example sent in a request or a block of many.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.compiled import compiled, compiled_ahead, inlined_reader
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
_MAX_ROWS = 16  # more than a query has variables
_FEW = 64


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
    noted: NDArray[np.float64], n_open: NDArray[np.int32], instructions: NDArray[np.int32], at: np.int64, value: float
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


@compiled
def _put_collected(
    kinds: NDArray[np.int32], collected: NDArray[np.float64], features: NDArray[np.int32], out: NDArray[np.float32]
) -> None:
    """Write the features that are the mode or the number of distinct values of what was collected for them."""
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
def _begin(kinds: NDArray[np.int32], noted: NDArray[np.float64]) -> bool:
    """Begin with nothing noted; return whether values are to be collected."""
    collects = False
    for feature in range(len(kinds)):
        kind = kinds[feature]
        noted[feature, 0] = np.nan if kind in (_MIN, _MAX, _VALUE) else 0.0
        noted[feature, 1] = noted[feature, 2] = 0.0
        collects |= kind in (_MODE, _N_DISTINCT)
    return collects


@inlined_reader
def _term_of(  # noqa: PLR0913, PLR0917  # as ``aggregate`` takes them
    terms: NDArray[np.int32], steps: NDArray[np.int32], selections: NDArray[np.int32],
    selection_values: NDArray[np.float64], starts: NDArray[np.int64], readings: NDArray[np.int64],
    parents: NDArray[np.int32], codes: NDArray[np.int32], numbers: NDArray[np.float32], decimals: NDArray[np.float64],
    links: NDArray[np.int32], ways: NDArray[np.int64], times: NDArray[np.float64], buffer: NDArray[np.float64],
    term: int, row: int, cutoff: float,
) -> float:  # fmt: skip
    """Return the value of a term in a row: of a column, or of an aggregate as ``aggregate`` does."""
    if terms[term, 0] == 0:
        return read(readings, parents, codes, numbers, decimals, links, ways, times, terms[term, 1], row, cutoff)
    return aggregate(
        terms, steps, selections, selection_values, starts, readings, parents, codes, numbers,
        decimals, links, ways, times, buffer, term, row, cutoff,
    )  # fmt: skip


@inlined_reader
def _reached(  # noqa: PLR0913, PLR0917
    steps: NDArray[np.int32], links: NDArray[np.int32], starts: NDArray[np.int64], ways: NDArray[np.int64],
    times: NDArray[np.float64], step: int, origin: int, cutoff: float,
) -> tuple[np.int64, np.int64, np.int64]:  # fmt: skip
    """Return the first row to which a step leads, and where in ``links`` it and the end of the others are."""
    way, begin, end, row = steps[step, 0], np.int64(0), np.int64(0), np.int64(MISSING)
    if steps[step, 1]:
        begin, end = children_of(links, starts, ways, times, way, origin, cutoff)
        if begin < end:
            row = np.int64(links[begin])
    else:
        row = np.int64(parent_of(links, ways, times, way, origin, cutoff))
        end = np.int64(row >= 0)
    return row, begin, end


def _types(n: Any) -> list[Any]:  # noqa: ANN401  # numba's types
    int32s, int64s, float64s = n.int32[::1], n.int64[::1], n.float64[::1]
    int32_rows, int64_rows = n.int32[:, ::1], n.int64[:, ::1]
    parts = (int32_rows, float64s, int32s, int32_rows, int32_rows, float64s)
    program = n.NamedTuple((*parts, int32_rows, int32s, int32_rows, int32s, int32s), Program)
    values = (int32s, n.float32[::1], float64s, int64_rows, int32s, int64s, int64_rows, float64s, float64s)
    return [n.boolean(program, n.NamedTuple(values, Pools), n.int64, n.float32[:, ::1], n.int64)]


@compiled_ahead(_types)
def run(  # noqa: C901, PLR0912, PLR0915
    program: Program, pools: Pools, first: int, out: NDArray[np.float32], most: int
) -> bool:
    """Evaluate the features of the examples from ``first`` on into ``out``, (n_examples, n_features).

    It gives up, and returns false, after ``most`` visits to rows and values that were collected.

    What it calls for an instruction is compiled into it: passing the arrays on would cost more than most instructions.
    """
    instructions, constants, steps = program.instructions, program.constants, program.steps
    terms, kinds, parents, jumps = program.terms, program.kinds, program.parents, program.jumps
    selections, selection_values = program.selections, program.selection_values
    codes, numbers, decimals, readings = pools.codes, pools.numbers, pools.decimals, pools.readings
    links, starts, ways, times = pools.links, pools.starts, pools.ways, pools.times
    rows, visits, n_visits = np.zeros(_MAX_ROWS, np.int64), np.zeros(_MAX_ROWS, np.int64), 0
    children, ends = np.zeros(_MAX_ROWS, np.int64), np.zeros(_MAX_ROWS, np.int64)  # among the rows of each variable
    term_values, term_visits = np.empty(len(terms)), np.zeros(len(terms), np.int64)  # as read at that visit to a row
    noted, n_open = np.empty((len(kinds), 3)), program.n_open.copy()
    buffer = np.empty(longest_list(terms, starts))
    collected, collected_for = np.empty(_FEW), np.empty(_FEW, np.int32)
    number = 0
    while number < len(out):
        cutoff, n_collected, at = pools.cutoffs[first + number], 0, np.int64(0)
        n_open[:] = program.n_open
        collects = _begin(kinds, noted)
        n_visits += 1
        rows[0], visits[0] = first + number, n_visits
        while at < len(instructions):
            do, variable = instructions[at, _DO], instructions[at, _VARIABLE]
            value = np.nan
            if do <= _SWITCH and n_open[at] == 0:
                at = np.int64(instructions[at, _END])
                continue
            if do in (_FILTER, _SWITCH) or do >= _MEAN:
                term = instructions[at, _TERM]
                if term_visits[term] != visits[variable]:
                    term_visits[term] = visits[variable]
                    term_values[term] = _term_of(
                        terms, steps, selections, selection_values, starts, readings, parents, codes, numbers,
                        decimals, links, ways, times, buffer, term, rows[variable], cutoff,
                    )  # fmt: skip
                    if terms[term, 0] >= OF_LEVELS:
                        term_values[term] = of_levels(buffer[: np.int64(term_values[term])], terms[term, 0])
                value = term_values[term]
            if do == _FILTER:
                passes = holds(value, instructions[at, _OPERATOR], constants[at])
                at = at + 1 if passes else np.int64(instructions[at, _FAILED])
            elif do == _SWITCH:
                is_code = 0 <= value < instructions[at, _STEP]  # not of a missing value
                at = np.int64(jumps[instructions[at, _ORIGIN] + np.int64(value)] if is_code else instructions[at, _END])
            elif do == _EXPAND:
                step, origin = instructions[at, _STEP], rows[instructions[at, _ORIGIN]]
                row, begin, end = _reached(steps, links, starts, ways, times, step, origin, cutoff)
                n_visits += 1
                rows[variable], visits[variable], children[variable], ends[variable] = row, n_visits, begin, end
                at = at + 1 if begin < end else np.int64(instructions[at, _END])
            elif do == _NEXT:
                children[variable] += 1
                if children[variable] < ends[variable] and n_open[instructions[at, _END]] > 0:
                    n_visits += 1
                    if n_visits + n_collected > most:
                        return False
                    rows[variable], visits[variable] = links[children[variable]], n_visits
                    at = np.int64(instructions[at, _END])
                at += 1
            elif do == _JUMP:
                at = np.int64(instructions[at, _END])
            else:
                if do in (_EXISTS, _VALUE):
                    _settle(noted, n_open, instructions, at, value if do == _VALUE else 1.0)
                elif do in (_MODE, _N_DISTINCT):
                    if not np.isnan(value):
                        if n_collected < len(collected):
                            collected[n_collected], collected_for[n_collected] = value, instructions[at, _FEATURE]
                        n_collected += 1
                else:
                    is_sum_of_aggregates = do in (_SUM, _MEAN) and terms[instructions[at, _TERM], 0] > 0
                    _note(noted, instructions[at, _FEATURE], do, decimal_of(value) if is_sum_of_aggregates else value)
                at += 1
        if n_collected > len(collected):  # not in the inner loop, which would count references to what it replaces
            collected, collected_for = np.empty(2 * n_collected), np.empty(2 * n_collected, np.int32)
            continue
        _put_results(kinds, noted, out, number)
        if collects:
            _put_collected(kinds, collected[:n_collected], collected_for[:n_collected], out[number])
        number += 1
    return True
