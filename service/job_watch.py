"""JobWatch: jobs are looked at for all who wait for them together, however many they are."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from time import monotonic

from schemas.jobs import Job
from storage.errors import NotFound
from storage.jobs import JobStore

from .middleware.response_head import Draining

_SECONDS_BETWEEN_LOOKS = 0.15
_SHARE_OF_LOOKING = 0.2  # of one thread's time, however many jobs there are to look at

_Watchers = dict[str, dict["asyncio.Future[Job]", Job]]
"""By the job's id: who waits for it, and what they have seen."""


class JobWatch:
    """Looks at all jobs that somebody waits for by one query a turn; for the event loop alone."""

    def __init__(self, jobs: JobStore, draining: Draining) -> None:
        self._jobs = jobs
        self._draining = draining
        self._watchers: _Watchers = defaultdict(dict)
        self._looking: asyncio.Task[None] | None = None

    async def change(self, seen: Job, seconds: float | None = None) -> Job:
        """Return the job once it is another than was seen; as it was seen when the time is over, or the process drains.

        Raises
        ------
        NotFound
            If the job is gone.
        StorageUnavailable
            If it cannot be looked at.
        """
        waiting: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._watchers[seen.id][waiting] = seen
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look())
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError:
            return seen
        finally:
            self._forget(seen.id, waiting)

    def _forget(self, job_id: str, waiting: "asyncio.Future[Job]") -> None:
        del self._watchers[job_id][waiting]
        if not self._watchers[job_id]:
            del self._watchers[job_id]

    async def _look(self) -> None:
        pause_seconds = _SECONDS_BETWEEN_LOOKS
        while self._watchers:
            await asyncio.sleep(pause_seconds)
            # Who comes later has seen what may be newer than what is found now.
            asking = {job_id: dict(watchers) for job_id, watchers in self._watchers.items()}
            began = monotonic()
            try:
                # In a thread of the loop's own pool: requests have another.
                found = await asyncio.to_thread(self._jobs.get_many, list(asking))
            except Exception as error:  # noqa: BLE001  # whoever waits answers it
                _fail(asking, error)
            else:
                self._tell(asking, found)
            pause_seconds = max(_SECONDS_BETWEEN_LOOKS, (monotonic() - began) / _SHARE_OF_LOOKING)

    def _tell(self, asking: _Watchers, found: Mapping[str, Job]) -> None:
        for job_id, watchers in asking.items():
            job = found.get(job_id)
            for waiting, seen in watchers.items():
                if waiting.done():
                    continue
                if job is None:
                    waiting.set_exception(NotFound("job", job_id))
                elif job != seen or self._draining.has_begun:
                    waiting.set_result(job)


def _fail(asking: _Watchers, error: Exception) -> None:
    for waiting in (each for watchers in asking.values() for each in watchers):
        if not waiting.done():
            waiting.set_exception(error)
