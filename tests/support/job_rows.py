"""Rows of jobs over one database, with a clock that the test moves."""

from storage.abandoned_jobs import AbandonedJobs
from storage.attempts import AttemptStore, Claim
from storage.database import Database
from storage.jobs import JobStore, Origin


class JobRows:
    """All stores of jobs."""

    def __init__(self, database: Database) -> None:
        self.seconds = 1000.0  # of all clocks
        self.step_seconds = 0.0  # by which the wall clock was set forward, or back
        self.database = database
        self.jobs = JobStore(database, now=self._now)
        self.attempts = AttemptStore(database, now=self._now)
        self.abandoned = AbandonedJobs(database, self.attempts, now=self._now, clock=self._clock)

    def add(self, deadline_seconds: float = 60, estimated_seconds: float | None = None) -> str:
        origin = Origin(estimated_seconds=estimated_seconds)
        with self.database.transaction() as connection:
            return self.jobs.add(connection, "prototype_sets", "prs_x", {"seed": 1}, deadline_seconds, origin)

    def claim(self, job_id: str, lease_seconds: float = 30) -> Claim:
        claim = self.attempts.claim(job_id, lease_seconds)
        assert claim is not None
        return claim

    def status(self, job_id: str) -> str:
        return self.jobs.get(job_id).status

    def look(self) -> int:
        """Look for abandoned jobs as maintenance does again and again; return how many there were."""
        return self.abandoned.requeue_expired() + self.abandoned.expire_deadlines()

    def _now(self) -> float:
        return self.seconds + self.step_seconds

    def _clock(self) -> float:
        return self.seconds
