"""The rows to explain, a block at a time, with what the model says of them where an earlier job kept that."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from explanations.row_blocks import RowBlock
from storage.dataset_files import DatasetFile
from tree_explainers.onnx_models.session import Outcome

from ..leaf_tables import CodedOutcome

_SPAN_CELLS = 1 << 23  # read at a time: 64 MiB of numbers
_MAX_SPAN_ROWS = 65_536


@dataclass(frozen=True, slots=True)
class RowsToExplain:
    """A dataset's rows."""

    file: DatasetFile
    columns: Sequence[str]  # the dataset's column for each feature
    kept: CodedOutcome | None  # what the model says of all rows

    def blocks(self, n_block_rows: int) -> Iterator[tuple[RowBlock, Outcome | None]]:
        """Yield blocks of consecutive rows, and what the model says of each if that is known."""
        are_booleans = tuple(self.file.column(name).type == "boolean" for name in self.columns)
        n_span_rows = max(1, min(_MAX_SPAN_ROWS, _SPAN_CELLS // len(self.columns)))
        for start in range(0, self.file.n_rows, n_span_rows):
            rows = range(start, min(start + n_span_rows, self.file.n_rows))
            values = tuple(self.file.read_columns(self.columns, rows.start, rows.stop))
            span = RowBlock(start, self.file.row_ids(rows), values, are_booleans)
            for first in range(0, len(span), n_block_rows):
                block = span.part(slice(first, min(first + n_block_rows, len(span))))
                yield block, self._said_of(block)

    def _said_of(self, block: RowBlock) -> Outcome | None:
        if self.kept is None:
            return None
        place = slice(block.first_row, block.first_row + len(block))
        labels = None if self.kept.labels is None else self.kept.labels[place]
        leaves = np.ascontiguousarray(self.kept.codes[:, place].T, dtype=np.int32)
        return Outcome(self.kept.scores[place], labels, leaves)
