"""The files of an explanation set, while they are written: compressed JSON lines, and Parquet."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from .explained_blocks import RenderedBlock

_GROUP_BYTES = 64 << 20  # of a row group in memory


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
        self._lines.write(block.lines)
        n_rows, n_bytes = self._ends[-1]
        self._ends.append((n_rows + block.tally.n_rows, n_bytes + len(block.lines)))
        self.n_line_bytes += block.n_line_bytes
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
            self._parquet = pq.ParquetWriter(self._table_path, group.schema, compression="zstd", store_schema=False)
        self._parquet.write_table(group, row_group_size=group.num_rows)
