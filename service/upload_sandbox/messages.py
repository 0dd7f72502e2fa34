"""What parent and child exchange: messages as JSON, and files beside the upload.

Nothing but the standard library is imported here: the child starts with this module.
"""

from dataclasses import dataclass
from typing import Any, Literal

Task = Literal["read_model", "read_dataset"]

CONTENT = "content.parquet"
LEAF_GRAPH = "leaf_graph.onnx"
ENSEMBLE = "ensemble.npz"
"""Files that the child writes beside the upload."""

COULD_NOT_START = 3
"""Exit status of a child that failed before it read the upload: a fault of the service, not of the caller."""

DISK_FULL = 4
"""Exit status of a child that had no room for what it made: a status, as answers need room, too."""


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the child may use."""

    parent: int  # process id; the child ends when that process does
    n_memory_bytes: int
    n_cpu_seconds: int
    n_file_bytes: int  # of any one file it writes
    n_open_files: int
    nice: int


@dataclass(frozen=True, slots=True)
class Request:
    """One upload to be read; the child writes its files into the upload's folder."""

    task: Task
    upload: str
    media_hint: str | None
    metadata: dict[str, Any]
    limits: dict[str, int]
    confinement: Confinement
