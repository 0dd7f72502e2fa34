"""What the trees of a model compare, for raw rows, as the model's own graph computes it, and the tests that compare."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..rows import Rows
from ..walker.node_conditions import NodeTests, tests_of_whole_numbers
from .description import ModelDescription
from .encoding import Feeds, RowEncoder
from .refused_values import refusal_of
from .session import open_graph, runtime_errors
from .walked_parts import WalkedParts

Precision = Literal["single", "double"]


class TreeColumns:
    """The values that trees compare. Nothing in it changes: threads may share it.

    ``precision`` is that in which trees compare all raw numbers as they are; ``None`` where more is done with them.

    Parameters
    ----------
    description, parts
        Of the model, as it was read.
    """

    precision: Precision | None

    def __init__(self, description: ModelDescription, parts: WalkedParts) -> None:
        self._description = description
        self._encoder = RowEncoder(description)
        self._is_copied = _is_copied(description)
        self.precision = _precision_of_numbers(description) if self._is_copied else None
        has_front = bool(parts.front_graph) and not self._is_copied
        self._front = open_graph(parts.front_graph) if has_front else None
        self._computed = [each.name for each in self._front.get_outputs()] if self._front else []

    def of(self, rows: Rows | NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the trees compare, (n_rows, n_columns), NaN where a value is missing to them.

        Parameters
        ----------
        rows
            Raw rows; of a model that reads numbers alone a matrix, (n_rows, n_features), is the shorter way.

        Raises
        ------
        InvalidInput
            ``schema_mismatch`` where a feature is lacking.
        RowRefused
            Where the model takes not all of the rows.
        """
        encoder = self._encoder
        return self.of_feeds(encoder.encode(rows) if isinstance(rows, Rows) else encoder.encode_matrix(rows), len(rows))

    def of_feeds(self, feeds: Feeds, n_rows: int) -> NDArray[np.float64]:
        """Return what the trees compare in rows that are encoded already, as ``of`` does.

        Parameters
        ----------
        feeds
            The tensors of the model's graph for these rows.
        n_rows
            How many rows these are.
        """
        if self._is_copied:
            (values,), (tensor,) = feeds.values(), self._description.tensors
            values = values.reshape(n_rows, -1)
            return np.asarray(values if tensor.is_double else values.astype(np.float32), np.float64)
        if self._front is not None:
            try:
                computed = self._front.run(self._computed, feeds)
            except runtime_errors() as error:
                raise refusal_of(self._description, feeds) from error
            feeds = {**feeds, **dict(zip(self._computed, computed, strict=True))}
        tensors = [
            feeds[tensor.name].reshape(n_rows, -1).astype(np.float64 if tensor.is_double else np.float32)
            for tensor in self._description.tensors
        ]
        return np.concatenate(tensors, axis=1, dtype=np.float64)


def _is_copied(description: ModelDescription) -> bool:
    """Return whether trees read the numbers of the only input as they are, but for a cast: no graph is needed then."""
    if len(description.inputs) != 1 or len(description.tensors) != 1 or description.inputs[0].type == "string":
        return False
    is_rounded = description.inputs[0].type == "double" and description.tensors[0].is_double
    return len(description.columns) == description.inputs[0].width and all(
        (column.kind, column.raw_index, column.imputed) == ("identity", index, None)
        and not (is_rounded and column.is_rounded)
        for index, column in enumerate(description.columns)
    )


def _precision_of_numbers(description: ModelDescription) -> Precision | None:
    """Return the precision in which trees and graph take the same numbers; ``None`` where they do not, or integers."""
    (spec,), (tensor,) = description.inputs, description.tensors
    if spec.type == "float":
        return "single"
    return "double" if spec.type == "double" and tensor.is_double else None


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
