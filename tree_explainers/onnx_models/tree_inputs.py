"""What the trees of a model compare, for raw rows, as the model's own graph computes it, and the tests that compare."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..rows import Rows
from ..walker.node_conditions import NodeTests, tests_of_whole_numbers
from .description import ModelDescription
from .encoding import RowEncoder
from .refused_values import refusal_of
from .session import open_graph, runtime_errors
from .walked_parts import WalkedParts


class TreeColumns:
    """The values that trees compare. Nothing in it changes: threads may share it.

    Parameters
    ----------
    description, parts
        Of the model, as it was read.
    """

    def __init__(self, description: ModelDescription, parts: WalkedParts) -> None:
        self._description = description
        self._encoder = RowEncoder(description)
        self._front = open_graph(parts.front_graph) if parts.front_graph else None
        self._computed = [each.name for each in self._front.get_outputs()] if self._front else []

    def of(self, rows: Rows) -> NDArray[np.float64]:
        """Return what the trees compare, (n_rows, n_columns), NaN where a value is missing to them.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is lacking.
        RowRefused
            Where the model takes not all of the rows.
        """
        feeds: dict[str, NDArray[Any]] = self._encoder.encode(rows)
        if self._front is not None:
            try:
                computed = self._front.run(self._computed, feeds)
            except runtime_errors() as error:
                raise refusal_of(self._description, feeds) from error
            feeds = {**feeds, **dict(zip(self._computed, computed, strict=True))}
        tensors = [
            feeds[tensor.name].reshape(len(rows), -1).astype(np.float64 if tensor.is_double else np.float32)
            for tensor in self._description.tensors
        ]
        return np.concatenate(tensors, axis=1, dtype=np.float64)


class TreeInputs:
    """The values that trees compare, and the tests that compare them.

    Nothing in it changes: threads may share it. Columns that some tree looks up in a set, ``of_sets``, are taken for
    whole numbers: of others onnxruntime cuts off the fractions for some members, and not for others.

    Parameters
    ----------
    description, ensemble
        Of the model, as it was read.
    parts
        What is kept of it for the walker.
    """

    def __init__(self, description: ModelDescription, ensemble: TreeEnsemble, parts: WalkedParts) -> None:
        self.description = description
        self.ensemble = ensemble  # thresholds in raw units, where functions come before the trees
        self.tests: NodeTests = tests_of_whole_numbers(parts.as_read(ensemble))
        self.of_sets: NDArray[np.int64] = np.unique(ensemble.column[ensemble.operator == Operator.MEMBER]).astype(
            np.int64
        )
        self._columns = TreeColumns(description, parts)

    def columns(self, rows: Rows) -> NDArray[np.float64]:
        """Return what the trees compare, (n_rows, n_columns); see ``TreeColumns.of``."""
        return self._columns.of(rows)
