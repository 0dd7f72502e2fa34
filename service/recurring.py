"""Recurring: something done again and again in a thread of its own, whatever becomes of it."""

import threading
from collections.abc import Callable

import structlog

_LOG = structlog.get_logger(__name__)
_SECONDS_TO_STOP = 2.0


class Recurring:
    """Does something at once and then every so many seconds, from ``start`` to ``stop``.

    When it fails, that is logged, once for as long as it goes on failing.
    """

    def __init__(self, name: str, seconds: float, act: Callable[[], None]) -> None:
        self._name = name
        self._seconds = seconds
        self._act = act
        self._fails = False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Do it no more; what is being done is waited for, but not long."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(_SECONDS_TO_STOP)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self._try()
            self._stopped.wait(self._seconds)

    def _try(self) -> None:
        try:
            self._act()
        except Exception as error:  # noqa: BLE001  # the edge of a thread
            if not self._fails:
                _LOG.warning("recurring_work_fails", work=self._name, reason=str(error))
            self._fails = True
        else:
            if self._fails:
                _LOG.info("recurring_work_goes_on", work=self._name)
            self._fails = False
