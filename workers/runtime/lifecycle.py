"""The life of one attempt inside its own process: do the work, publish the result, or record why there is none."""

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection

from schemas.jobs import Progress
from schemas.problems import PROBLEM_KINDS, Problem, problem_for
from storage.artefacts import MAX_RESULT_BYTES, publish
from storage.attempts import AttemptState, AttemptStore, Claim
from storage.database import Database
from storage.errors import StorageError, StorageUnavailable, translate_disk_full
from storage.jobs import rename_artefact
from storage.object_store import ObjectStore
from storage.publications import Publication, publish_things
from storage.remote_objects import open_objects
from storage.retention import discard_orphans
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.errors import ExplainerError

from .context import JobContext, JobKind, Produced
from .process_limits import limit_memory
from .settings import WorkerSettings

if TYPE_CHECKING:
    from ..cluster.connection import Cluster

_OURS = "internal_error"
_BYTES_PER_GIB = 1 << 30
_SECONDS_BETWEEN_WRITES = 0.5
_log = logging.getLogger(__name__)


def run_job(settings: WorkerSettings, kinds: Mapping[str, JobKind], claim: Claim) -> None:
    """Run a claimed job to its end: succeeded, failed, or left to be tried again.

    Called in a process of its own, which is forked for the job and ends with it: connections are opened here.
    """
    limit_memory(settings.job_memory_bytes)
    database = Database(settings.storage.database_url)
    attempts = AttemptStore(database, retry_delays_seconds=settings.retry_delays_seconds)
    try:
        objects = open_objects(settings.storage)
        for attempt in range(1, claim.attempt):  # a worker that was killed with its job could clear nothing
            objects.clear_workspace(workspace_name(claim.job, attempt))
        with objects.workspace(workspace_name(claim.job, claim.attempt)) as workspace, translate_disk_full():
            report = ProgressReporter(attempts, claim)
            context = _context(claim, database, objects, report, workspace)
            with _cluster(settings, claim, report) as cluster:
                produced = kinds[claim.kind](replace(context, cluster=cluster))
            _publish(context, attempts, claim, produced)
            _log.info("job_succeeded")
    except JobStopped:
        attempts.finish_cancel(claim)
    except StorageUnavailable as error:
        _log.warning("job %s: %s is away, to be tried again: %s", claim.job, error.thing, error)
        # However long it stays away, it is not counted as an attempt.
        attempts.hand_back(claim, settings.storage_pause_seconds, f"waits for {error.thing}: {error.detail}")
    except Exception as error:  # noqa: BLE001  # the edge of the process: whatever it is, the job's row must name it
        attempts.fail(claim, _problem(error, settings, claim))


class JobStopped(Exception):
    """The job was cancelled, or another attempt took its place: its result is to be thrown away."""


class ProgressReporter:
    """Writes progress to the job's row, at most twice a second and whenever a new stage begins.

    Writing is also how a job learns that it is to stop. Several threads may report.
    """

    def __init__(self, attempts: AttemptStore, claim: Claim, clock: Callable[[], float] = time.monotonic) -> None:
        self._attempts = attempts
        self._claim = claim
        self._clock = clock
        self._stage = ""
        self._fraction = 0.0
        self._written_at = 0.0
        self._lock = Lock()
        self._is_stopped = False

    def __call__(self, fraction: float, stage: str) -> None:
        """Report that ``fraction`` (0 to 1) of the job is done and ``stage`` is under way.

        Raises
        ------
        JobStopped
            If the job is to stop.
        """
        with self._lock:
            self._fraction = float(fraction)
            is_due = stage != self._stage or self._clock() - self._written_at >= _SECONDS_BETWEEN_WRITES
            if is_due and not self._is_stopped:
                self._stage, self._written_at = stage, self._clock()
                progress = Progress(fraction=min(max(float(fraction), 0.0), 1.0), stage=stage)
                state = self._attempts.report_progress(self._claim, progress)
                self._is_stopped = state is not AttemptState.RUNNING
            if self._is_stopped:
                raise JobStopped

    def tick(self) -> None:
        """Note that the last stage is still under way, where nothing else is known of the work; may raise as above."""
        self(self._fraction, self._stage)


@contextmanager
def _cluster(settings: WorkerSettings, claim: Claim, report: ProgressReporter) -> "Iterator[Cluster | None]":
    """Yield the cluster that the request wants the job to run on, if it does."""
    if claim.request.get("run_on") != "cluster":
        yield None
        return
    if settings.cluster is None:
        detail = "the job is to run on the cluster, and this worker has none: set LEAFSPACE_DASK_SCHEDULER for workers"
        raise StorageError("cluster_not_configured", detail)
    report(0.0, "waiting for the cluster")
    from ..cluster.connection import open_cluster  # late: it brings Dask, which is there for those who have a cluster

    with open_cluster(settings.cluster, report.tick) as cluster:
        yield cluster


def workspace_name(job: str, attempt: int) -> str:
    """Return the name of an attempt's workspace, by which others clear it when its process was killed."""
    return f"{job}.{attempt}"


def _context(
    claim: Claim, database: Database, objects: ObjectStore, report: ReportProgress, workspace: Path
) -> JobContext:
    return JobContext(
        job=claim.job,
        artefact=claim.artefact,
        request=claim.request,
        database=database,
        objects=objects,
        report=report,
        rng=np.random.default_rng(claim.request.get("seed", 0)),
        workspace=workspace,
    )


def _publish(context: JobContext, attempts: AttemptStore, claim: Claim, produced: Produced) -> None:
    objects = context.objects
    _refuse_large_result(produced.result or b"")
    with objects.keeping():
        result = None if produced.result is None else objects.put(produced.result)
        arrays = None if produced.arrays is None else objects.put(produced.arrays)
        files = {name: objects.put_file(file) for name, file in produced.files.items()}
        publication = Publication() if produced.publish is None else produced.publish(objects)

        def publish_all(connection: Connection) -> None:
            publish_things(connection, publication)
            if publication.is_artefact and publication.dataset is not None:
                rename_artefact(connection, claim.job, publication.dataset.id)
            if result is not None:
                publish(connection, claim.artefact, result, arrays, files, publication.columns)

        is_published = attempts.succeed(claim, publish_all)
    # Of the things that were published, others may have been there already, with other bytes.
    if not is_published or publication.objects:
        discard_orphans(context.database, objects, (result, arrays, *files.values(), *publication.objects))
    if not is_published:
        raise JobStopped


def _refuse_large_result(result: bytes) -> None:
    """Refuse a result that readers could not take as a whole: what grows with the rows is kept in files."""
    if len(result) > MAX_RESULT_BYTES:
        detail = (
            f"the result has {len(result):,} bytes, more than the {MAX_RESULT_BYTES:,} that a result may have; request "
            "fewer prototypes (of a_pete, by a larger alpha), rules or splits, or take a model of fewer features"
        )
        raise StorageError(code="result_too_large", detail=detail)


def _problem(error: Exception, settings: WorkerSettings, claim: Claim) -> Problem:
    if isinstance(error, MemoryError):
        _log.warning("job %s: out of memory", claim.job)
        return problem_for("job_failed", _out_of_memory(settings))
    if isinstance(error, ExplainerError | StorageError) and error.code in PROBLEM_KINDS and error.code != _OURS:
        return problem_for(error.code, error.detail)
    _log.error("job %s (%s, attempt %d) failed", claim.job, claim.kind, claim.attempt, exc_info=error)
    return problem_for(
        "job_failed", f"something failed on our side while the job ran; the log has it under {claim.job}"
    )


def _out_of_memory(settings: WorkerSettings) -> str:
    limit = settings.job_memory_bytes / _BYTES_PER_GIB
    return (
        f"the job needed more memory than the {limit:.3g} GiB that a job may use; request fewer rows or trees, "
        "or raise LEAFSPACE_JOB_MEMORY_BYTES"
    )
