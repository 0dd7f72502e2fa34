"""The table of neighbours: a line for each row and each of its neighbours, in Parquet, written block by block."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from tree_explainers.compute.progress import ReportProgress
from tree_explainers.leaf_space.neighborhoods import Neighborhoods, each_neighborhood

from ...runtime.progress import part_of
from ..tree_space import SEEN, TreeSpace

SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("row_id", pa.string()),
        ("rank", pa.int32()),
        ("neighbor_row", pa.int64()),
        ("neighbor_row_id", pa.string()),
        ("proximity", pa.float64()),
    ]
)
_GROUP_LINES = 131_072  # what a reader of one page has to decode
_GROUP_BYTES = 1 << 28  # of names: fewer lines where these are long


@dataclass(slots=True)
class Written:
    """What was written so far."""

    n_pairs: int = 0
    n_alone: int = 0  # rows without neighbours
    nearest: int = 0  # integer proximity to the nearest row, summed over rows

    def add(self, block: Neighborhoods) -> None:
        """Count a block."""
        self.n_pairs += int((block.proximities > 0).sum())
        self.n_alone += int((block.proximities[:, 0] == 0).sum())
        self.nearest += int(block.proximities[:, 0].sum())


def write_neighbors(path: Path, space: TreeSpace, names: pa.Array, n_neighbors: int, report: ReportProgress) -> Written:
    """Write the nearest ``n_neighbors`` of every row, leaving out rows that share no leaf with it."""
    written = Written()
    longest = pc.max(pc.binary_length(names)).as_py() or 1
    n_group_lines = max(1, min(_GROUP_LINES, _GROUP_BYTES // (2 * longest)))
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for block in each_neighborhood(space.seen.table, space.weights, n_neighbors, part_of(report, SEEN, 1)):
            for lines in _groups(block, names, space.total_weight, n_group_lines):
                writer.write_table(lines)
            written.add(block)
    return written


def _groups(block: Neighborhoods, names: pa.Array, total_weight: int, n_group_lines: int) -> Iterator[pa.Table]:
    lines, ranks = np.nonzero(block.proximities)  # in the order of rows, and nearest first in each
    for start in range(0, len(lines), n_group_lines):
        line, rank = (indices[start : start + n_group_lines] for indices in (lines, ranks))
        rows, neighbors = block.rows[line], block.neighbors[line, rank]
        proximities = block.proximities[line, rank] / total_weight
        columns = [rows, names.take(rows), rank + 1, neighbors, names.take(neighbors), proximities]
        yield pa.table(dict(zip(SCHEMA.names, columns, strict=True))).cast(SCHEMA)
