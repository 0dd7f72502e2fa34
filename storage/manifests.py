"""Manifests: which files of a lake hold a dataset's rows, what each one was like, and what its columns are.

A manifest is an object like any other, in the place of the rows: from it alone any process, on any host, reads a range
of rows and knows whether the files are still those that were registered.
"""

import json
from dataclasses import asdict, dataclass
from typing import Any

_FORM = "leafspace.manifest.1"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file, as it was when it was registered."""

    name: str  # below the root, with slashes
    size_bytes: int
    tag: str  # the store's entity tag, or the SHA-256 of a file in a folder
    group_rows: tuple[int, ...]  # rows of each row group of its normalised form
    differs: dict[str, Any] | None = None  # types that columns have here since they have them in other files

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.group_rows)


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of a dataset by reference, in the order of their names."""

    root: str  # s3://bucket/prefix or file:///folder, as the operator allows it
    target: str | None
    row_id: str | None
    declared_features: tuple[str, ...] | None  # in the model's order, where the caller names them
    file_names: tuple[str, ...]  # of the columns, in the order of the first file
    columns: tuple[dict[str, Any], ...]  # summaries in the order in which columns are kept, as at an upload
    files: tuple[SourceFile, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the columns, in the order in which they are kept."""
        return tuple(column["name"] for column in self.columns)

    @property
    def size_bytes(self) -> int:
        """Size of all files."""
        return sum(file.size_bytes for file in self.files)

    @property
    def n_rows(self) -> int:
        """Number of rows of all files."""
        return sum(file.n_rows for file in self.files)

    def to_json(self) -> bytes:
        """Return the manifest as bytes: the same for the same files."""
        return json.dumps({"form": _FORM, **asdict(self)}, sort_keys=True, ensure_ascii=True).encode()

    @classmethod
    def of_json(cls, data: bytes) -> "Manifest":
        """Return the manifest that these bytes are of."""
        document = json.loads(data)
        files = tuple(SourceFile(**{**file, "group_rows": tuple(file["group_rows"])}) for file in document["files"])
        features = document["declared_features"]
        return cls(
            root=document["root"],
            target=document["target"],
            row_id=document["row_id"],
            declared_features=None if features is None else tuple(features),
            file_names=tuple(document["file_names"]),
            columns=tuple(document["columns"]),
            files=files,
        )
