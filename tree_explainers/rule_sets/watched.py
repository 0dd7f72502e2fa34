"""Work in threads that the calling thread watches: it alone tells progress, and whatever stops it stops them."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

from ..compute.progress import ReportProgress
from ..compute.threads import n_cores

Item = TypeVar("Item")
Result = TypeVar("Result")
Heard = Callable[[], None]  # called often by work that is watched; raises where it is to stop

_SECONDS_BETWEEN_REPORTS = 0.2


class _Stopped(Exception):
    """Somebody else ended the work."""


def watched(
    work: Callable[[Item, Heard], Result],
    items: Sequence[Item],
    report: ReportProgress,
    stage: str,
    n_threads: int | None = None,
) -> list[Result]:
    """Return what ``work`` makes of each item, in their order; by default a thread for each core.

    ``report`` is told five times a second, by the calling thread, what share of the items is done. Whatever it raises,
    or the first item that fails, ends all; nothing is left running.
    """
    ended = Event()

    def heard() -> None:
        if ended.is_set():
            raise _Stopped

    with ThreadPoolExecutor(n_threads or n_cores()) as pool:
        futures = [pool.submit(work, item, heard) for item in items]
        try:
            _report_until_done(futures, report, stage)
            return [future.result() for future in futures]
        finally:
            ended.set()
            for future in futures:
                future.cancel()


def _report_until_done(futures: Sequence[Future[Result]], report: ReportProgress, stage: str) -> None:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, _SECONDS_BETWEEN_REPORTS, FIRST_COMPLETED)
        for future in (each for each in futures if each in done):
            future.result()  # raises at once what went wrong
        report(1 - len(pending) / len(futures), stage)
