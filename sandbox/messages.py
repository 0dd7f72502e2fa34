"""What parent and child exchange: messages as JSON, and files beside the upload.

Nothing but the standard library is imported here: the child starts with this module.
"""

from dataclasses import dataclass
from typing import Any

CONTENT = "content.parquet"
LEAF_GRAPH = "leaf_graph.onnx"
ENSEMBLE = "ensemble.npz"
ARRAYS = "relationships.arrays"
"""Files that the child writes beside the upload."""

COULD_NOT_START = 3
"""Exit status of a child that failed before it read the upload: a fault of the service, not of the caller."""

DISK_FULL = 4
"""Exit status of a child that had no room for what it made: a status, as answers need room, too."""

STATUS_FORMAT = "i"
"""How the fork server writes a child's exit status (``struct``): negative for a signal."""


def upload_of_table(index: int) -> str:
    """Return the name of the uploaded file of a table, by its 0-based index in the metadata."""
    return f"upload_{index}"


def content_of_table(index: int) -> str:
    """Return the name of the normalised file of a table, which the child writes beside its upload."""
    return f"content_{index}.parquet"


@dataclass(frozen=True, slots=True)
class Task:
    """What reads an upload, by dotted names: this package confines code of others, and knows none of it.

    Attributes
    ----------
    function
        Takes a ``Request`` and returns the answer, in the child.
    loader
        Loads the libraries that the function needs, before children are forked; tasks of one loader share a server.
    uses_compiled_loops
        Whether the child is told where the compiled loops are, which are code of ours that it may read.
    """

    function: str
    loader: str
    uses_compiled_loops: bool = False


@dataclass(frozen=True, slots=True)
class Confinement:
    """What the child may use."""

    parent: int  # process id; the child ends when that process does; ``run_child`` puts the fork server's here
    n_memory_bytes: int
    n_cpu_seconds: int
    n_file_bytes: int  # of any one file it writes
    n_open_files: int
    nice: int


@dataclass(frozen=True, slots=True)
class Request:
    """One upload to be read; the child writes its files into the upload's folder."""

    task: Task
    upload: str  # of several tables: the first one's, beside which the others are
    media_hint: str | None
    metadata: dict[str, Any]
    limits: dict[str, int]
    confinement: Confinement
