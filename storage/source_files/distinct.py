"""Distinct texts of a column, counted exactly however many they are.

A hash distributes them over 64 files, which are counted file by file: memory holds one of them at a time.
"""

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

_N_SHARES = 64
_SCHEMA = pa.schema([pa.field("text", pa.string())])
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_MOST_REPEATED = 100_000


def count_distinct(blocks: Iterable[pa.ChunkedArray], folder: Path) -> tuple[int, pa.Array]:
    """Return how many texts there are, null left out, and those that are in two blocks or more (the first of many).

    Parameters
    ----------
    blocks
        Texts, block by block.
    folder
        Where there is room for all of them.
    """
    n_distinct, repeated = 0, pa.array([], pa.string())
    with TemporaryDirectory(dir=folder) as shares:
        for texts in _shares(blocks, Path(shares)):
            counts = texts.value_counts()
            n_distinct += len(counts)
            if len(repeated) < _MOST_REPEATED:
                again = counts.field("values").filter(pc.greater(counts.field("counts"), 1))
                repeated = pa.concat_arrays([repeated, again])
    return n_distinct, repeated


def first_repeat(blocks: Iterable[pa.ChunkedArray], repeated: pa.Array) -> tuple[str, int, int]:
    """Return the first text of these that comes again, and its two rows, counted from 0."""
    seen: dict[str, int] = {}
    start = 0
    for texts in blocks:
        for row in np.flatnonzero(pc.is_in(texts, value_set=repeated).to_numpy(zero_copy_only=False)).tolist():
            text = str(texts[row])
            if text in seen:
                return text, seen[text], start + row
            seen[text] = start + row
        start += len(texts)
    message = "none of the texts comes again"
    raise LookupError(message)


def _shares(blocks: Iterable[pa.ChunkedArray], folder: Path) -> Iterator[pa.Array]:
    """Yield all texts in shares: equal ones are in the same; each block gives a text once."""
    paths = [folder / str(share) for share in range(_N_SHARES)]
    with ExitStack() as stack:
        files = [stack.enter_context(pa.OSFile(str(path), "wb")) for path in paths]
        writers = [stack.enter_context(pa.ipc.new_stream(file, _SCHEMA)) for file in files]
        for block in blocks:
            texts = pc.drop_null(pc.unique(block))
            share_of = _hashes(texts) >> np.uint64(58)
            order = np.argsort(share_of, kind="stable")
            ordered, bounds = texts.take(pa.array(order)), np.searchsorted(share_of[order], np.arange(_N_SHARES + 1))
            for share in np.unique(share_of).tolist():
                of_share = ordered.slice(bounds[share], bounds[share + 1] - bounds[share])
                writers[share].write_batch(pa.record_batch([of_share], schema=_SCHEMA))
    for path in paths:
        with pa.OSFile(str(path)) as file:
            table = pa.ipc.open_stream(file).read_all()
        path.unlink()
        yield table.column(0).combine_chunks()


def _hashes(texts: pa.Array) -> NDArray[np.uint64]:
    """Return a hash of each text: a polynomial of its bytes, whose upper bits are well mixed."""
    lengths = pc.binary_length(texts).to_numpy(zero_copy_only=False).astype(np.int64)
    starts = np.cumsum(lengths) - lengths
    together = pa.ListArray.from_arrays(pa.array([0, len(texts)], pa.int32()), texts)
    joined = np.frombuffer(pc.binary_join(together, "")[0].as_buffer(), np.uint8)
    positions = np.arange(len(joined), dtype=np.int64) - np.repeat(starts, lengths)
    powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, _MULTIPLIER, np.uint64))
    sums = np.concatenate(([np.uint64(0)], np.cumsum((joined.astype(np.uint64) + np.uint64(1)) * powers[positions])))
    hashes = sums[starts + lengths] - sums[starts]
    return np.asarray((hashes ^ (hashes >> np.uint64(29))) * _MULTIPLIER)
