"""A database, a Redis and worker processes of a test's own, with short leases."""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from sqlalchemy import insert

from schemas.jobs import FINAL_STATUSES, Job
from storage.artefacts import Artefact, ArtefactStore, NewArtefact
from storage.attempts import AttemptStore
from storage.database import Database
from storage.job_counts import is_short
from storage.jobs import JobStore, Origin
from storage.remote_objects import open_objects
from storage.settings import embedded
from storage.tables import datasets, models

from .databases import put_tables
from .patience import PATIENCE_SECONDS, when_idle
from .processes import children_of
from .redis import OwnRedis
from .worker_template import ForkedWorker, worker_template

WorkerProcess: TypeAlias = "subprocess.Popen[bytes] | ForkedWorker"
_TEST_KINDS = "tests.support.job_kinds"
SHORT_LEASES = {
    "LEAFSPACE_LEASE_SECONDS": "2",
    "LEAFSPACE_RENEW_SECONDS": "0.5",
    "LEAFSPACE_LOOK_SECONDS": "0.2",
    "LEAFSPACE_RECONCILE_SECONDS": "0.2",
    "LEAFSPACE_NOTIFICATION_SECONDS": "0.5",
    "LEAFSPACE_RETRY_DELAYS_SECONDS": "[0.1, 0.2]",
    "LEAFSPACE_STORAGE_PAUSE_SECONDS": "0.2",
    "LEAFSPACE_LOG_LEVEL": "error",
    "LEAFSPACE_JOB_MEMORY_BYTES": str(2 << 30),
}


class JobFarm:
    """Everything that a job meets on its way, but for the API."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        settings = embedded(directory)
        put_tables(directory / "leafspace.db")
        self.database = Database(settings.database_url)
        self.objects = open_objects(settings)
        self.jobs = JobStore(self.database)
        self.attempts = AttemptStore(self.database)
        self.artefacts = ArtefactStore(self.database)
        self.redis = OwnRedis(directory / "redis")
        self.redis.start()
        self.workers: list[WorkerProcess] = []
        self._n_artefacts = 0
        self._add_what_artefacts_are_made_of()

    def start_worker(self, module: str = _TEST_KINDS, *arguments: str, **environment: str) -> WorkerProcess:
        """Start a worker; it is forked from this process's template unless it imports anything else."""
        own = {"LEAFSPACE_DATA_DIR": str(self.directory), "LEAFSPACE_REDIS_URL": self.redis.url}
        whole = {**os.environ, **SHORT_LEASES, **own, **environment}
        is_as_usual = module == _TEST_KINDS and "PYTHONPATH" not in environment
        worker = worker_template().fork(arguments, whole) if is_as_usual else _new_process(module, arguments, whole)
        self.workers.append(worker)
        return worker

    def start_workers(self, n_workers: int, **environment: str) -> WorkerProcess:
        """Start a parent that forks this number of workers; return it when it has."""
        parent = self.start_worker(_TEST_KINDS, str(n_workers), **environment)
        self.wait_until(lambda: len(children_of(parent.pid)) == n_workers)
        return parent

    def stop(self) -> None:
        for worker in self.workers:
            if worker.poll() is None:
                worker.terminate()
        for worker in self.workers:
            worker.wait(PATIENCE_SECONDS)
        self.redis.kill()
        self.database.close()

    def request_job(
        self,
        kind: str,
        *,
        deadline_seconds: float = 60,
        estimated_seconds: float | None = None,
        notify: bool = True,
        **request: object,
    ) -> Artefact:
        """Request an artefact as the API does it."""
        origin = Origin(estimated_seconds=estimated_seconds)
        self._n_artefacts += 1
        job_request = {"seed": 1, "traces": str(self.traces), **request}
        new = NewArtefact(f"prs_{self._n_artefacts}", kind, job_request, "mdl_1", "ds_1")
        with self.artefacts.requested(new) as requested:
            requested.job = self.jobs.add(requested.connection, kind, new.id, job_request, deadline_seconds, origin)
        artefact = requested.artefact
        if notify:
            assert self.redis.notifier.notify(artefact.job, deadline_seconds, is_short=is_short(estimated_seconds))
        return artefact

    def workspaces(self) -> list[Path]:
        """Return the folders in which jobs and uploads write, and those that were left behind."""
        return list((embedded(self.directory).objects_dir / "incoming").iterdir())

    @property
    def traces(self) -> Path:
        return self.directory / "traces"

    def runs(self) -> list[int]:
        """Return the processes that began a job which leaves traces."""
        return [int(line) for line in self.traces.read_text().split()] if self.traces.exists() else []

    def forget_runs(self) -> None:
        """Let the next job that leaves traces be the first."""
        self.traces.unlink(missing_ok=True)

    def wait_for_end(self, artefact: Artefact, seconds: float = PATIENCE_SECONDS) -> Job:
        self.wait_until(lambda: self.jobs.get(artefact.job).status in FINAL_STATUSES, seconds)
        return self.jobs.get(artefact.job)

    def wait_for_run(self, n_runs: int = 1) -> int:
        """Wait until a job began for the n-th time; return its process."""
        self.wait_until(lambda: len(self.runs()) >= n_runs)
        return self.runs()[n_runs - 1]

    @staticmethod
    def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
        """Wait until this has happened, which takes this number of seconds on an idle machine."""
        began = time.monotonic()
        while not condition():
            assert time.monotonic() - began < when_idle(seconds), "it did not happen in time"
            time.sleep(0.02)

    def _add_what_artefacts_are_made_of(self) -> None:
        common = {"sha256": "0" * 64, "size_bytes": 1, "metadata": {}, "listed": {}, "created_at": 0.0}
        model = {"id": "mdl_1", "leaf_graph": "0" * 64, "ensemble": "0" * 64, "description": {}}
        dataset = {"id": "ds_1", "content": "0" * 64, "summary": {}}
        with self.database.transaction() as connection:
            connection.execute(insert(models).values(**common, **model))
            connection.execute(insert(datasets).values(**common, **dataset))


def _new_process(module: str, arguments: tuple[str, ...], environment: Mapping[str, str]) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # one of our own
        [sys.executable, "-m", module, *arguments],
        env=environment,
        cwd=Path(__file__).parents[2],
        start_new_session=True,
    )
