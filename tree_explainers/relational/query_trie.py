"""Evaluation of features: one column each, for all examples of several tables or for one that a request brings.

The program of a list of features depends on the schema alone, so that explainers of single examples make it once.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..compute.threads import in_order
from ..errors import RowRefused
from .canonical import canonical
from .feature_texts import name_of
from .queries import Feature
from .query_loops import Outcome, Place, Search, run
from .query_program import Do, Field, column_of, program_of
from .row_readings import Pools
from .schema import Schema
from .tables import MISSING, RelationalRows

FeatureColumn: TypeAlias = NDArray[np.bool_] | NDArray[np.int32] | NDArray[np.float32]
"""Of ``exists``: booleans. Of categories and booleans: codes, MISSING for none. Of numbers: NaN for none."""

MOST_VISITS = 20_000_000
"""To rows of one example in a request, of which some hundreds combine in billions of ways: about half a second."""
MOST_VISITS_OF_CALL = 5 * MOST_VISITS
"""To rows of all examples of one request."""
MOST_COMBINATIONS = 100_000_000
"""Of one example's rows, that a query may look at: those of two lists of 10,000. Each takes some nanoseconds."""
_STEPS_AT_ONCE = 5_000_000  # between looks at whether to go on: tenths of a second
_VALUES_AT_ONCE = 2_000_000  # of examples by features: a block of a moment's length
_EXAMPLES_AT_ONCE = 4096


@dataclass(slots=True)
class VisitsLeft:
    """How many rows may still be looked at for a request; handed on from example to example."""

    n_left: int = MOST_VISITS_OF_CALL


class QueryTrie:
    """The features of a feature set, ready to be evaluated on any rows of the schema."""

    def __init__(self, features: Sequence[Feature], schema: Schema) -> None:
        self.features = tuple(features)
        self.columns = tuple(column_of(feature, schema) for feature in features)  # what each feature's column holds
        self._schema = schema
        self._program, self.used = program_of(features, schema)

    def evaluate(self, rows: RelationalRows, tick: Tick = no_tick, n_threads: int | None = None) -> list[FeatureColumn]:
        """Return the column of each feature, of the length of the examples; see ``FeatureColumn``.

        Sums are added in the order of the bindings, rounded to 1e-9 of the sum of their magnitudes, and then to single
        precision. ``tick`` is called every few million rows, by several threads. The result does not depend on their
        number.

        Raises
        ------
        RowRefused
            ``relational_too_many_combinations``, with the example, where a query looks at more than
            ``MOST_COMBINATIONS`` of its rows.
        """
        pools = Pools.of(rows, self.used, self._program.readings)
        values = np.empty((len(self.features), rows.n_examples), np.float32)
        length = max(1, min(_EXAMPLES_AT_ONCE, _VALUES_AT_ONCE // max(1, len(self.features))))
        blocks = [slice(start, min(start + length, rows.n_examples)) for start in range(0, rows.n_examples, length)]

        def evaluated(block: slice) -> NDArray[np.float32]:
            return self._evaluated(pools, block.start, block.stop, tick)

        for block, of_block in in_order(evaluated, blocks, n_threads):
            values[:, block] = of_block.T
        return [self._typed(index, of_feature) for index, of_feature in enumerate(values)]

    def vector(self, rows: RelationalRows, visits: "VisitsLeft | None" = None) -> NDArray[np.float32]:
        """Return the value of each feature for the first example, (n_features,): 0 and 1, codes, numbers; NaN: missing.

        It has as little overhead as a request needs, and the values of ``evaluate``.

        Parameters
        ----------
        visits
            How many rows may still be looked at for the examples of a call.

        Raises
        ------
        RowRefused
            ``too_many_rows`` where its rows combine in more ways than a request may wait for.
        """
        pools = Pools.of(rows, self.used, self._program.readings)
        return self._evaluated(pools, 0, 1, no_tick, visits or VisitsLeft()).ravel()

    def _evaluated(
        self, pools: Pools, start: int, stop: int, tick: Tick, visits: "VisitsLeft | None" = None
    ) -> NDArray[np.float32]:
        """Return the values of the features for a block of examples, (n_examples, n_features)."""
        out = np.empty((stop - start, len(self.features)), np.float32)
        search, outcome = Search.of(self._program, pools), Outcome.PAUSED
        most_visits = inf if visits is None else min(MOST_VISITS, visits.n_left)
        while outcome is not Outcome.FINISHED:
            outcome = Outcome(run(self._program, pools, search, start, out, _STEPS_AT_ONCE, MOST_COMBINATIONS))
            tick()
            if visits is not None and search.n_visits > most_visits:
                visits.n_left = max(0, visits.n_left - search.n_visits)
                raise _too_many_visits()
            if outcome is Outcome.BEYOND:
                raise self._too_many_combinations(search, start + int(search.place[Place.EXAMPLE]))
            if outcome is Outcome.FULL:
                search = search.enlarged()
        if visits is not None:
            visits.n_left = max(0, visits.n_left - search.n_visits)
        return out

    def _too_many_combinations(self, search: Search, example: int) -> RowRefused:
        """Return what refuses an example, naming the first feature that is noted where too many rows are looked at."""
        instructions = self._program.instructions[int(search.n_looked_at.argmax()) :]
        noted_first = int(np.argmax(instructions[:, Field.DO] >= Do.BASE))
        feature = self.features[int(instructions[noted_first, Field.FEATURE])]
        detail = (
            f"the query {name_of(canonical(feature), self._schema)!r} looks at more than {MOST_COMBINATIONS:,} "
            "combinations of its rows; leave the query or the example out, or give the query fewer variables or more "
            "conditions"
        )
        return RowRefused("relational_too_many_combinations", detail, example)

    def _typed(self, index: int, values: NDArray[np.float32]) -> FeatureColumn:
        if self.features[index].kind == "exists":
            exists: NDArray[np.bool_] = values != 0
            return exists
        if self.columns[index].kind == "number":
            return values
        return np.where(np.isnan(values), np.float32(MISSING), values).astype(np.int32)


def _too_many_visits() -> RowRefused:
    detail = (
        f"The features look at more than {MOST_VISITS:,} combinations of the example's rows, or at more than "
        f"{MOST_VISITS_OF_CALL:,} of all examples of the call: send fewer rows, or make a dataset of them."
    )
    return RowRefused("too_many_rows", detail)


def evaluate(
    features: Sequence[Feature], rows: RelationalRows, tick: Tick = no_tick, n_threads: int | None = None
) -> list[FeatureColumn]:
    """Return the column of each feature; see ``QueryTrie.evaluate``."""
    return QueryTrie(features, rows.schema).evaluate(rows, tick, n_threads)
