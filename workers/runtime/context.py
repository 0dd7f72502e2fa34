"""What a job is given, and what it gives back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from storage.database import Database
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress


@dataclass(frozen=True, slots=True)
class JobContext:
    """Everything that a job may use."""

    job: str
    artefact: str  # the id of what is to be made
    request: Mapping[str, Any]  # as it was asked for, defaults filled in
    database: Database
    objects: ObjectStore
    report: ReportProgress  # raises to stop a job that is cancelled
    rng: np.random.Generator  # seeded by the request: the same request makes the same artefact
    workspace: Path  # an empty private folder beside the objects; it is gone when the attempt has ended


@dataclass(frozen=True, slots=True)
class Produced:
    """What a job made."""

    result: bytes  # JSON, as the artefact's readers get it
    arrays: bytes | None = None  # what explainers need of it
    files: Mapping[str, Path] = field(default_factory=dict)  # written in the workspace; kept under these names


JobKind = Callable[[JobContext], Produced]
"""Makes one kind of artefact."""
