"""JobWatch: reads the jobs that callers wait for, all of them together, however many they are."""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from itertools import chain
from time import monotonic

from schemas.jobs import FINAL_STATUSES, Job
from storage.commit_watch import CommitWatch
from storage.errors import NotFound
from storage.jobs import JobStore

from ..draining import Draining

_SECONDS_BETWEEN_POLLS = 0.15
_SECONDS_BETWEEN_LOOKS = 0.02  # at whether something was committed
_SECONDS_BETWEEN_POLLS_OF_ALL = 0.5
_MOST_FOLLOWED = 1000
_SHARE_OF_POLLING = 0.2  # of one thread's time, however many jobs there are to read

_Watchers = dict[str, dict["asyncio.Future[Job]", Job]]
"""By the job's id: the futures that wait for a change, and the job as each of them last saw it."""


class JobWatch:
    """Reads all jobs that callers wait for by one query at a time; for the event loop alone.

    They are read soon after something was committed, where ``commits`` can know; several times a second at most.
    """

    def __init__(self, jobs: JobStore, draining: Draining, commits: CommitWatch) -> None:
        self._jobs = jobs
        self._draining = draining
        self._commits = commits
        self._watchers: _Watchers = defaultdict(dict)
        self._has_new_watchers = False  # who may have seen something older than what was read last
        self._polling: asyncio.Task[None] | None = None
        self._all: dict[str, Job] = {}
        self._all_read_at = float("-inf")
        self._reading_all = asyncio.Lock()

    async def change(self, seen: Job, seconds: float | None = None) -> Job:
        """Return the job once it differs from ``seen`` or the process drains; ``seen`` when the time is over.

        Raises
        ------
        NotFound
            If the job is gone.
        StorageUnavailable
            If it cannot be read.
        """
        waiting: asyncio.Future[Job] = asyncio.get_running_loop().create_future()
        self._watchers[seen.id][waiting] = seen
        self._has_new_watchers = True
        if self._polling is None or self._polling.done():
            self._polling = asyncio.create_task(self._poll())
        try:
            async with asyncio.timeout(seconds):
                return await waiting
        except TimeoutError:
            return seen
        finally:
            del self._watchers[seen.id][waiting]
            if not self._watchers[seen.id]:
                del self._watchers[seen.id]

    async def changes_of_all(self) -> AsyncIterator[list[Job]]:
        """Yield the jobs under way, and again and again those that were added, went on or ended since.

        It ends when the process drains. Of jobs under way the first 1,000 are followed.
        """
        seen: dict[str, Job] | None = None
        while not self._draining.has_begun:
            current = await self._recent_jobs()
            if seen is None:
                changed = [job for job in current.values() if job.status not in FINAL_STATUSES]
            else:
                gone = [job.id for job in seen.values() if job.id not in current and job.status not in FINAL_STATUSES]
                ended = await asyncio.to_thread(self._jobs.get_many, gone) if gone else {}
                changed = [*ended.values(), *(job for job in current.values() if seen.get(job.id) != job)]
            seen = current
            yield changed
            await asyncio.sleep(_SECONDS_BETWEEN_POLLS_OF_ALL)

    async def _recent_jobs(self) -> dict[str, Job]:
        """Return the jobs under way and the newest ones, read at most twice a second for all who watch."""
        async with self._reading_all:
            if monotonic() - self._all_read_at > _SECONDS_BETWEEN_POLLS_OF_ALL / 2:
                self._all = await asyncio.to_thread(self._jobs.recent, _MOST_FOLLOWED)
                self._all_read_at = monotonic()
            return self._all

    async def _poll(self) -> None:
        earliest = monotonic() + _SECONDS_BETWEEN_POLLS
        while self._watchers:
            await asyncio.sleep(_SECONDS_BETWEEN_LOOKS)
            began = monotonic()
            if began >= earliest and await self._read_and_notify():
                earliest = monotonic() + max(_SECONDS_BETWEEN_POLLS, (monotonic() - began) / _SHARE_OF_POLLING)
        self._commits.close()

    async def _read_and_notify(self) -> bool:
        """Read jobs where there may be something new, and notify the callers; return whether they were read."""
        # Callers that come later may have seen a newer state than the one that is read now.
        watched = {job_id: dict(watchers) for job_id, watchers in self._watchers.items()}
        anyway, self._has_new_watchers = self._has_new_watchers or self._draining.has_begun, False
        try:
            # In a thread of the loop's own pool: requests have another.
            current = await asyncio.to_thread(self._read_if_new, list(watched), anyway=anyway)
        except Exception as error:  # noqa: BLE001  # those that wait raise it
            for waiting in chain.from_iterable(watched.values()):
                if not waiting.done():
                    waiting.set_exception(error)
            return True
        if current is not None:
            self._notify(watched, current)
        return current is not None

    def _read_if_new(self, job_ids: list[str], *, anyway: bool) -> dict[str, Job] | None:
        found: dict[str, Job] | None = None

        def read() -> None:
            nonlocal found
            found = self._jobs.get_many(job_ids)

        self._commits.run(read, anyway=anyway)
        return found

    def _notify(self, watched: _Watchers, current: Mapping[str, Job]) -> None:
        for job_id, watchers in watched.items():
            job = current.get(job_id)
            for waiting, seen in watchers.items():
                if waiting.done():
                    continue
                if job is None:
                    waiting.set_exception(NotFound("job", job_id))
                elif job != seen or self._draining.has_begun:
                    waiting.set_result(job)
