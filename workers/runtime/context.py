"""The argument and the return value of every kind of job."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from storage.database import Database
from storage.object_store import ObjectStore, PreparedFile
from storage.publications import Publication
from tree_explainers.compute.progress import ReportProgress

if TYPE_CHECKING:
    # Not loaded with this module: it brings Dask, which is there for those who have a cluster.
    from ..cluster.connection import Cluster


def _at_once(work: Callable[[], None]) -> None:
    work()


@dataclass(frozen=True, slots=True)
class JobContext:
    """Everything that a job may use."""

    job: str
    artefact: str  # id of the artefact to make
    request: Mapping[str, Any]  # as callers sent it, defaults filled in
    database: Database
    objects: ObjectStore
    report: ReportProgress  # raises to stop a job that is cancelled
    rng: np.random.Generator  # seeded by the request: the same request makes the same artefact
    workspace: Path  # an empty private folder beside the objects; it is gone when the attempt has ended
    cluster: "Cluster | None" = None  # on which the rows are worked on; None: in this process
    meanwhile: Callable[[Callable[[], None]], None] = _at_once  # does what can be done beside the job, before its end


@dataclass(frozen=True, slots=True)
class Produced:
    """The result of a job."""

    result: bytes | None  # JSON, as the artefact's readers get it; None where the job makes no artefact
    arrays: bytes | None = None  # what explainers need of it
    files: Mapping[str, Path | PreparedFile] = field(
        default_factory=dict
    )  # written in the workspace; kept under these names
    publish: Callable[[ObjectStore], Publication] | None = None  # keeps the objects of what is published beside it


JobKind = Callable[[JobContext], Produced]
"""Makes one kind of artefact."""
