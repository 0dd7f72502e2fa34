"""Datasets by reference, slow and obvious: all files are joined to one, which is read as an upload is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from storage.dataset_files import DatasetFile, DatasetLimits, DeclaredColumns, ReadDataset, read_upload


def read_joined(
    files: Sequence[Path], declared: DeclaredColumns, folder: Path
) -> tuple[ReadDataset, list[dict[str, Any]]]:
    """Return what an upload of all files, one after the other, holds, and its rows."""
    first, *others = [pq.read_table(path) for path in sorted(files)]
    joined = pa.concat_tables(
        [first, *(table.select(first.column_names) for table in others)], promote_options="permissive"
    )
    pq.write_table(joined, folder / "joined")
    read = read_upload(folder / "joined", None, declared, DatasetLimits(), folder / "content")
    with DatasetFile(folder / "content") as file:
        return read, file.take(range(file.n_rows))
