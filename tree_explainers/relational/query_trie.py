"""Evaluation of features: one column each, for all examples of several tables or for one that a request brings.

The program of a list of features depends on the schema alone, so that explainers of single examples make it once.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import Tick, no_tick
from ..compute.threads import in_order
from ..errors import RowRefused
from .queries import Feature
from .query_loops import run
from .query_program import column_of, program_of
from .row_readings import Pools
from .schema import Schema
from .tables import MISSING, RelationalRows

FeatureColumn: TypeAlias = NDArray[np.bool_] | NDArray[np.int32] | NDArray[np.float32]
"""Of ``exists``: booleans. Of categories and booleans: codes, MISSING for none. Of numbers: NaN for none."""

MOST_VISITS = 20_000_000
"""To rows of one example in a request, of which some hundreds combine in billions of ways: about half a second."""
_ANY_NUMBER = np.iinfo(np.int64).max
_VALUES_AT_ONCE = 2_000_000  # of examples by features: a block of a moment's length
_EXAMPLES_AT_ONCE = 4096


class QueryTrie:
    """The features of a feature set, ready to be evaluated on any rows of the schema."""

    def __init__(self, features: Sequence[Feature], schema: Schema) -> None:
        self.features = tuple(features)
        self.columns = tuple(column_of(feature, schema) for feature in features)  # what each feature's column holds
        self._program, self.used = program_of(features, schema)

    def evaluate(self, rows: RelationalRows, tick: Tick = no_tick, n_threads: int | None = None) -> list[FeatureColumn]:
        """Return the column of each feature, of the length of the examples; see ``FeatureColumn``.

        Sums are added in the order of the bindings, rounded to 1e-9 of the sum of their magnitudes, and then to single
        precision. ``tick`` is called between blocks of examples. The result does not depend on the number of threads.
        """
        pools = Pools.of(rows, self.used, self._program.readings)
        values = np.empty((len(self.features), rows.n_examples), np.float32)
        length = max(1, min(_EXAMPLES_AT_ONCE, _VALUES_AT_ONCE // max(1, len(self.features))))
        blocks = [slice(start, start + length) for start in range(0, rows.n_examples, length)]

        def evaluated(block: slice) -> NDArray[np.float32]:
            out = np.empty((min(block.stop, rows.n_examples) - block.start, len(self.features)), np.float32)
            run(self._program, pools, block.start, out, _ANY_NUMBER)
            return out

        for block, of_block in in_order(evaluated, blocks, n_threads):
            values[:, block] = of_block.T
            tick()
        return [self._typed(index, of_feature) for index, of_feature in enumerate(values)]

    def vector(self, rows: RelationalRows) -> NDArray[np.float32]:
        """Return the value of each feature for the first example, (n_features,): 0 and 1, codes, numbers; NaN: missing.

        It has as little overhead as a request needs, and the values of ``evaluate``.

        Raises
        ------
        RowRefused
            ``too_many_rows`` where its rows combine in more ways than a request may wait for.
        """
        out: NDArray[np.float32] = np.empty((1, len(self.features)), np.float32)
        if not run(self._program, Pools.of(rows, self.used, self._program.readings), 0, out, MOST_VISITS):
            detail = (
                f"The features look at more than {MOST_VISITS:,} combinations of the example's rows: send fewer rows, "
                "or make a dataset of them."
            )
            raise RowRefused("too_many_rows", detail)
        return out.ravel()

    def _typed(self, index: int, values: NDArray[np.float32]) -> FeatureColumn:
        if self.features[index].kind == "exists":
            exists: NDArray[np.bool_] = values != 0
            return exists
        if self.columns[index].kind == "number":
            return values
        return np.where(np.isnan(values), np.float32(MISSING), values).astype(np.int32)


def evaluate(
    features: Sequence[Feature], rows: RelationalRows, tick: Tick = no_tick, n_threads: int | None = None
) -> list[FeatureColumn]:
    """Return the column of each feature; see ``QueryTrie.evaluate``."""
    return QueryTrie(features, rows.schema).evaluate(rows, tick, n_threads)
