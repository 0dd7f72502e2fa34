"""Work on several items in threads: only the calling thread reports progress, and what stops it stops the threads."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeVar

from .progress import ReportProgress
from .threads import n_cores

Item = TypeVar("Item")
Result = TypeVar("Result")

_SECONDS_BETWEEN_REPORTS = 0.2


class _Stopped(Exception):
    """Another item failed, or the caller stopped the work."""


def run_in_threads(
    work: Callable[[Item, ReportProgress], Result],
    items: Sequence[Item],
    report: ReportProgress,
    stage: str,
    n_threads: int | None = None,
) -> list[Result]:
    """Return the result of ``work`` for each item, in their order.

    Parameters
    ----------
    work
        Takes an item and a progress callback, which it must call often: it raises when the work is to stop.
    items
        At least one.
    report
        Called five times a second, by the calling thread, with the share of items that are done. Whatever it raises,
        or the first item that fails, ends all threads; nothing is left running.
    stage
        Passed on to ``report``.
    n_threads
        By default one for each core.
    """
    has_ended = Event()

    def report_item(fraction: float, stage: str) -> None:  # of one item among many
        if has_ended.is_set():
            raise _Stopped

    with ThreadPoolExecutor(n_threads or n_cores()) as pool:
        futures = [pool.submit(work, item, report_item) for item in items]
        try:
            _report_until_done(futures, report, stage)
            return [future.result() for future in futures]
        finally:
            has_ended.set()
            for future in futures:
                future.cancel()


def _report_until_done(futures: Sequence[Future[Result]], report: ReportProgress, stage: str) -> None:
    pending = set(futures)
    while pending:
        done, pending = wait(pending, _SECONDS_BETWEEN_REPORTS, FIRST_COMPLETED)
        for future in (each for each in futures if each in done):
            future.result()  # raises at once what went wrong
        report(1 - len(pending) / len(futures), stage)
