"""The files of an explanation set: blocks rendered as compressed JSON lines and as Parquet, and counted."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from explanations.explained_blocks import BlockExplainer, ExplainedBlock, RowBlock
from explanations.explained_rows import explain_instances
from explanations.tables import TableMaker
from schemas.explanation_sets import ExplanationParts
from schemas.explanations import ExplanationRequest
from tree_explainers.onnx_models.session import Outcome

_COMPRESSION_LEVEL = 1  # the next ones take twice as long for the same size
_GROUP_BYTES = 64 << 20  # of a row group in memory


@dataclass(slots=True)
class Tally:
    """Counts and sums over explained rows."""

    n_rows: int = 0
    n_explained: int = 0
    n_unassigned: int = 0
    n_agreeing: int = 0  # rows whose nearest prototype has the label that the model predicts
    proximity: float = 0.0  # to the nearest prototype, summed over rows
    n_of_label: Counter[int] = field(default_factory=Counter)

    @staticmethod
    def of(explained: ExplainedBlock) -> "Tally":
        """Count a block."""
        is_assigned = explained.nearest >= 0
        labels = explained.outcome.labels
        return Tally(
            n_rows=len(explained.rows),
            n_explained=len(explained.accepted),
            n_unassigned=int((~is_assigned).sum()),
            n_agreeing=int(explained.agrees.sum()),
            proximity=float(explained.shares[explained.near.bounds[:-1][is_assigned]].sum()),
            n_of_label=Counter([] if labels is None else labels.tolist()),
        )

    def add(self, other: "Tally") -> None:
        """Add the counts of other rows."""
        self.n_rows += other.n_rows
        self.n_explained += other.n_explained
        self.n_unassigned += other.n_unassigned
        self.n_agreeing += other.n_agreeing
        self.proximity += other.proximity
        self.n_of_label.update(other.n_of_label)


@dataclass(frozen=True, slots=True)
class Frame:
    """Some lines, compressed so that they can be read alone."""

    n_rows: int
    n_bytes: int  # before compression
    data: pa.Buffer  # a frame of zstd


@dataclass(frozen=True, slots=True)
class RenderedBlock:
    """A block, ready to be written."""

    frames: tuple[Frame, ...]
    table: pa.Table
    tally: Tally
    outcome: Outcome  # of the rows that the model takes


class BlockRenderer:
    """Explains and renders blocks of rows; several threads may share it.

    Parameters
    ----------
    explainer
        Explains the rows.
    parts
        What explanations have.
    n_frame_rows
        Largest number of rows of a compressed frame.
    """

    def __init__(self, explainer: BlockExplainer, parts: ExplanationParts, n_frame_rows: int) -> None:
        self._explainer = explainer
        self._parts = {name: getattr(parts, name) for name in ExplanationParts.model_fields}
        self._n_frame_rows = n_frame_rows
        self._tables = TableMaker(explainer)
        self._codec = pa.Codec("zstd", compression_level=_COMPRESSION_LEVEL)

    def render(self, block: RowBlock, outcome: Outcome | None) -> RenderedBlock:
        """Explain and render a block; ``outcome`` is the model's outcome of its rows, if that is known."""
        explained = self._explainer.explain(block, outcome)
        frames, table = tuple(self._frames(block)), self._tables.make(explained)
        return RenderedBlock(frames, table, Tally.of(explained), explained.outcome)

    def _frames(self, block: RowBlock) -> Iterator[Frame]:
        for start in range(0, len(block), self._n_frame_rows):
            rows = block.part(slice(start, min(start + self._n_frame_rows, len(block))))
            lines = self._lines(rows)
            yield Frame(len(rows), len(lines), self._codec.compress(lines))

    def _lines(self, rows: RowBlock) -> bytes:
        """Return the explanations of rows as JSON lines: what a call for each answers."""
        request = ExplanationRequest.model_construct(
            instances=[rows.instance(row) for row in range(len(rows))], row_ids=list(rows.row_ids), **self._parts
        )
        return b"".join(orjson.dumps(each) + b"\n" for each in explain_instances(self._explainer.warm, request))


class ExplanationSetFiles:
    """The files while they are written; a context manager. Lines are frames of zstd that can be read alone."""

    def __init__(self, folder: Path) -> None:
        self._lines_path, self._table_path = folder / "explanations.jsonl.zst", folder / "explanations.parquet"
        self._lines = self._lines_path.open("wb")
        self._parquet: pq.ParquetWriter | None = None
        self._pending: list[pa.Table] = []
        self._n_pending_bytes = 0
        self._ends: list[tuple[int, int]] = [(0, 0)]  # rows and bytes up to the end of each frame
        self.n_line_bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._lines.close()
        if self._parquet is not None:
            self._parquet.close()

    def add(self, block: RenderedBlock) -> None:
        """Write a block; its table may wait for others to make a row group together."""
        for frame in block.frames:
            self._lines.write(frame.data)
            n_rows, n_bytes = self._ends[-1]
            self._ends.append((n_rows + frame.n_rows, n_bytes + frame.data.size))
            self.n_line_bytes += frame.n_bytes
        self._pending.append(block.table)
        self._n_pending_bytes += block.table.nbytes
        if self._n_pending_bytes > _GROUP_BYTES:
            self._write_group()

    def finish(self) -> Mapping[str, Path]:
        """Write what is left; return the files by their names."""
        if self._pending:
            self._write_group()
        if self._parquet is not None:
            self._parquet.close()
        self._lines.close()
        return {"lines": self._lines_path, "table": self._table_path}

    def index(self) -> dict[str, NDArray[np.int64]]:
        """Return where frames begin, and where the last one ends: by their rows, and by their bytes among the lines."""
        rows, line_bytes = np.array(self._ends, dtype=np.int64).T
        return {"rows": rows, "bytes": line_bytes}

    def _write_group(self) -> None:
        group = pa.concat_tables(self._pending)
        self._pending, self._n_pending_bytes = [], 0
        if self._parquet is None:
            # Without Arrow's own schema, dictionaries are plain texts to every reader of the file.
            self._parquet = pq.ParquetWriter(self._table_path, group.schema, compression="zstd", store_schema=False)
        self._parquet.write_table(group, row_group_size=group.num_rows)
