"""How soon each loss is noticed and made good: one part is killed at a time, with a long job at work."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.api import Api, Json
from tests.support.processes import parent_of

from .questions import Known
from .service_under_fire import Part, ServiceUnderFire

_PATIENCE_SECONDS = 300
_LONG = {"method": "sta", "max_pseudo_samples": 100_000, "n_repeats": 10, "max_depth": 8}


class Recovery:
    """Measures one service, which nobody else uses meanwhile.

    Each method returns seconds, by a clock that sees the job's row at most 50 ms late.
    """

    def __init__(self, service: ServiceUnderFire, known: Known) -> None:
        self._service = service
        self._api = Api(service.url)
        self._about = known.about
        self._n_requested = 0

    @contextmanager
    def long_job(self) -> Iterator[str]:
        """Yield a job of a minute or more that runs; it is cancelled at the end."""
        self._n_requested += 1
        requested = self._api.post("/v1/approximation-trees", self._about | _LONG | {"seed": self._n_requested})
        job: str = requested.json()["job"]
        wait_until(lambda: self._job(job)["progress"]["fraction"] > 0 and bool(self._service.parts("job")))
        yield job
        self._api.post(f"/v1/jobs/{job}/cancel")
        self._api.wait(job)

    def of_a_job_whose_process_is_killed(self) -> float:
        """Until its row says that the attempt is over."""
        with self.long_job() as job:
            return self._seconds_until_taken_back(job, self._process_of_the_job())

    def of_a_job_whose_worker_is_killed(self) -> float:
        """Until another worker took the job back: the lease, and some."""
        with self.long_job() as job:
            worker = parent_of(self._process_of_the_job())
            assert worker is not None
            return self._seconds_until_taken_back(job, worker)

    def of_a_job_that_is_cancelled(self) -> float:
        """Until it has ended, and its process with it."""
        with self.long_job() as job:
            process = self._process_of_the_job()
            began = time.monotonic()
            self._api.post(f"/v1/jobs/{job}/cancel")
            wait_until(lambda: self._job(job)["status"] == "cancelled" and process not in self._service.parts("job"))
            return time.monotonic() - began

    def of_the_api(self, part: Part = "api") -> float:
        """Until another one answers; where its parent is killed, it dies with it."""
        victim, api = self._only(part), self._only("api")

        def is_another() -> bool:
            return self._service.parts("api") not in ([], [api]) and self._service.is_ready()

        return self._seconds_until(victim, is_another)

    def of_redis(self) -> float:
        """Until nothing is degraded any more."""
        victim = self._only("redis")

        def is_back() -> bool:
            # Readiness may be remembered for a second.
            is_another = self._service.parts("redis") not in ([], [victim])
            return is_another and self._api.get("/readyz").json()["degraded"] == []

        return self._seconds_until(victim, is_back)

    def of_a_worker(self, part: Part = "worker") -> float:
        """Until a job runs that is requested at once; of several workers, one that is left may take it."""
        victim = self._service.parts(part)[0]
        began = time.monotonic()
        self._service.signal(victim)
        self._n_requested += 1
        requested = self._api.post("/v1/approximation-trees", self._about | _LONG | {"seed": self._n_requested})
        job = str(requested.json()["job"])
        wait_until(lambda: self._job(job)["status"] == "running")
        seconds = time.monotonic() - began
        self._api.post(f"/v1/jobs/{job}/cancel")
        self._api.wait(job)
        return seconds

    def of_the_whole_service(self) -> float:
        """Until the next start is ready."""
        self._service.kill_all()
        return self._service.start()

    def _seconds_until_taken_back(self, job: str, victim: int) -> float:
        before = self._job(job)
        return self._seconds_until(victim, lambda: _is_over(self._job(job), before["attempt"]))

    def _seconds_until(self, victim: int, condition: Callable[[], bool]) -> float:
        began = time.monotonic()
        self._service.signal(victim)
        wait_until(condition)
        return time.monotonic() - began

    def _process_of_the_job(self) -> int:
        return self._only("job")

    def _only(self, part: Part) -> int:
        """Return the one process that does this, when there is one: the last kill may be a moment ago."""
        wait_until(lambda: len(self._service.parts(part)) == 1)
        (process,) = self._service.parts(part)
        return process

    def _job(self, job: str) -> Json:
        found: Json = self._api.get(f"/v1/jobs/{job}").json()
        return found


def wait_until(condition: Callable[[], bool]) -> None:
    until = time.monotonic() + _PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < until, "it did not happen in time"
        time.sleep(0.05)


def _is_over(job: Json, attempt: int) -> bool:
    return bool(job["status"] != "running" or job["attempt"] != attempt)
