"""Recurring: a function that is called again and again, in a thread of its own."""

import threading
from collections.abc import Callable

import structlog

_LOG = structlog.get_logger(__name__)
_SECONDS_TO_STOP = 2.0


class Recurring:
    """Call a function at once and then at intervals, in a thread of its own, from ``start`` to ``stop``.

    Its failure is logged, once for as long as it keeps failing.
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
        """Stop; wait for a call under way, but not long."""
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
        except Exception as error:  # noqa: BLE001  # the end of a thread
            if not self._fails:
                _LOG.warning("recurring_work_fails", work=self._name, reason=str(error))
            self._fails = True
        else:
            if self._fails:
                _LOG.info("recurring_work_goes_on", work=self._name)
            self._fails = False
