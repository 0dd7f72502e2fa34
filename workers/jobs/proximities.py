"""Make proximities: the nearest rows of every row, found and written block by block, so that memory holds one block."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from schemas.proximities import ProximitiesRequest, ProximitiesResult
from storage.array_files import write_arrays
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.leaf_space.neighborhoods import Neighborhoods, each_neighborhood

from ..runtime.context import JobContext, Produced
from .inputs import row_names
from .neighbor_spaces import NeighborSpace, load_neighbor_space
from .spaces import SPACE_LOADED

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


def make_proximities(context: JobContext) -> Produced:
    """Make the artefact that a ``ProximitiesRequest`` describes."""
    request = ProximitiesRequest(**context.request)
    space = load_neighbor_space(context, request)
    table = context.workspace / "neighbors.parquet"
    report = part_of(context.report, SPACE_LOADED, 1)
    names = row_names(context.objects, space.dataset.stored)
    totals = _write_neighbors(table, space, names, request.n_neighbors, report)
    content = ProximitiesResult(
        proximity_kind=space.kind,
        n_rows=space.dataset.n_rows,
        n_trees=space.model.view.n_trees,
        min_leaf_rows=space.min_leaf_rows,
        n_trees_used=space.n_trees_used,
        n_neighbors=request.n_neighbors,
        n_pairs=totals.n_pairs,
        mean_nearest_proximity=totals.nearest / space.total_weight / space.dataset.n_rows,
        share_without_neighbors=totals.n_alone / space.dataset.n_rows,
    )
    kept = None if space.arrays is None else write_arrays(space.arrays)
    return Produced(content.model_dump_json().encode(), kept, files={"table": table})


@dataclass(slots=True)
class _Totals:
    """Sums over the rows that are written so far."""

    n_pairs: int = 0
    n_alone: int = 0  # rows without neighbours
    nearest: int = 0  # integer proximity to the nearest row

    def add(self, block: Neighborhoods) -> None:
        self.n_pairs += int((block.proximities > 0).sum())
        self.n_alone += int((block.proximities[:, 0] == 0).sum())
        self.nearest += int(block.proximities[:, 0].sum())


def _write_neighbors(
    path: Path, space: NeighborSpace, names: pa.Array, n_neighbors: int, report: ReportProgress
) -> _Totals:
    """Write the nearest ``n_neighbors`` of every row, leaving out rows that share no leaf with it."""
    totals = _Totals()
    longest = pc.max(pc.binary_length(names)).as_py() or 1
    n_group_lines = max(1, min(_GROUP_LINES, _GROUP_BYTES // (2 * longest)))
    with pq.ParquetWriter(path, SCHEMA, compression="zstd") as writer:
        for block in each_neighborhood(space.dataset.table, space.weights, n_neighbors, report):
            for lines in _row_groups(block, names, space.total_weight, n_group_lines):
                writer.write_table(lines)
            totals.add(block)
    return totals


def _row_groups(block: Neighborhoods, names: pa.Array, total_weight: int, n_group_lines: int) -> Iterator[pa.Table]:
    """Yield a line for each row and each of its neighbours, nearest first."""
    all_rows, all_ranks = np.nonzero(block.proximities)  # indices within the block
    for start in range(0, len(all_rows), n_group_lines):
        row, rank = (indices[start : start + n_group_lines] for indices in (all_rows, all_ranks))
        rows, neighbors = block.rows[row], block.neighbors[row, rank]
        proximities = block.proximities[row, rank] / total_weight
        columns = [rows, names.take(rows), rank + 1, neighbors, names.take(neighbors), proximities]
        yield pa.table(dict(zip(SCHEMA.names, columns, strict=True))).cast(SCHEMA)
