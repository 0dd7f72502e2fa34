"""The lines of explanation sets, kept compressed frame by frame: read as a whole, or one page of them."""

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from schemas.nouns import EXPLANATION_SETS
from storage.array_files import read_arrays

from ..app_context import AppContext
from .artefacts import ready_result
from .json_pages import MAX_PAGE_BYTES, Rows, page_blocks
from .positions import position_of

_COMPRESSION = "zstd"
_BLOCK_BYTES = 1 << 20
_LARGE_LINE = (
    "download all explanations as JSON lines (`Accept: application/x-ndjson`) or Parquet "
    "(`Accept: application/vnd.apache.parquet`)"
)


@dataclass(frozen=True, slots=True)
class KeptLines:
    """The lines of one set."""

    path: Path
    rows: NDArray[np.int64]  # (n_frames + 1,) where each frame begins, and the last one ends
    offsets: NDArray[np.int64]  # (n_frames + 1,) the same in bytes of the file

    @property
    def size_bytes(self) -> int:
        """Bytes of the file."""
        return int(self.offsets[-1])

    def kept_blocks(self) -> Generator[bytes]:
        """Yield the file as it is kept."""
        with self.path.open("rb") as file:
            while block := file.read(_BLOCK_BYTES):
                yield block

    def blocks(self) -> Generator[bytes]:
        """Yield the lines; no block of them is larger than a megabyte."""
        with pa.OSFile(str(self.path)) as file, pa.CompressedInputStream(file, _COMPRESSION) as lines:
            while block := lines.read(_BLOCK_BYTES):
                yield block

    def read(self, start: int, stop: int) -> Iterator[bytes]:
        """Yield lines ``start`` up to, not including, ``stop``, or as many of them as are in one frame."""
        if start >= self.rows[-1]:
            return
        frame = int(np.searchsorted(self.rows, start, side="right")) - 1
        first, last = self.offsets[frame : frame + 2].tolist()
        skipped, wanted = start - int(self.rows[frame]), stop - int(self.rows[frame])
        with self.path.open("rb") as file:
            file.seek(first)
            kept = pa.BufferReader(file.read(last - first))
        with pa.CompressedInputStream(kept, _COMPRESSION) as lines:
            yield from islice(_split(lines), skipped, wanted)


def _split(lines: pa.NativeFile) -> Iterator[bytes]:
    """Yield lines one by one; a line that no page can hold is cut off there, and is the last."""
    pending = bytearray()
    while block := lines.read(_BLOCK_BYTES):
        *whole, rest = (bytes(pending) + block).split(b"\n")
        pending[:] = rest
        yield from whole
        if len(pending) > MAX_PAGE_BYTES:
            break
    if pending:
        yield bytes(pending)


def open_lines(context: AppContext, explanation_set_id: str) -> KeptLines:
    """Return the lines of a set; refuse one that is not ready."""
    artefact = context.artefacts.get(EXPLANATION_SETS.name, explanation_set_id)
    ready_result(artefact)
    index = read_arrays(context.objects.get(artefact.arrays or ""))
    return KeptLines(context.objects.path_of_pages(artefact.files["lines"]), index["rows"], index["bytes"])


def list_explanations(context: AppContext, explanation_set_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of explanations as JSON: a ``Page`` of ``Explanation``.

    The cursor is the position of the next row; a page holds fewer than ``limit`` rows where a frame of them ends.
    """
    start = position_of(cursor)
    lines = open_lines(context, explanation_set_id)
    return page_blocks(Rows(lines.read(start, start + limit), start, int(lines.rows[-1]), _LARGE_LINE))
