"""Faults: what may be killed or held up in a running service, drawn at random."""

import random
import signal
import time
from collections import Counter
from collections.abc import Callable

from .service_under_fire import Part, ServiceUnderFire

_SECONDS_TO_FIND_A_VICTIM = 3.0
_SECONDS_STOPPED = 3.0


class Faults:
    """Breaks one thing at a time and counts what it broke.

    Parameters
    ----------
    weights
        How often each fault is drawn, by its name.
    """

    def __init__(self, service: ServiceUnderFire, rng: random.Random, weights: dict[str, int]) -> None:
        self._service = service
        self._rng = rng
        self._weights = weights
        self.counts: Counter[str] = Counter()

    def strike(self) -> str:
        """Break something; return what. Where there is no victim, none is counted."""
        (name,) = self._rng.choices(list(self._weights), list(self._weights.values()))
        if _FAULTS[name](self._service, self._rng):
            self.counts[name] += 1
        return name


def _kill_one(part: Part) -> Callable[[ServiceUnderFire, random.Random], bool]:
    def strike(service: ServiceUnderFire, rng: random.Random) -> bool:
        victims = _victims(service, part)
        if victims:
            service.signal(rng.choice(victims))
        return bool(victims)

    return strike


def _wipe_redis(service: ServiceUnderFire, _rng: random.Random) -> bool:
    victims = _victims(service, "redis")
    assert service.process is not None
    # The supervisor would start it again while its data is being wiped.
    service.signal(service.process.pid, signal.SIGSTOP)
    for victim in victims:
        service.signal(victim)
        service.wipe_messages()
    service.signal(service.process.pid, signal.SIGCONT)
    return bool(victims)


def _stop_a_worker(service: ServiceUnderFire, rng: random.Random) -> bool:
    victims = _victims(service, "worker")
    if not victims:
        return False
    victim = rng.choice(victims)
    service.signal(victim, signal.SIGSTOP)
    time.sleep(_SECONDS_STOPPED)
    service.signal(victim, signal.SIGCONT)
    return True


def _kill_all(service: ServiceUnderFire, _rng: random.Random) -> bool:
    service.kill_all()
    service.start()
    return True


def _victims(service: ServiceUnderFire, part: Part) -> list[int]:
    until = time.monotonic() + _SECONDS_TO_FIND_A_VICTIM
    while not (found := service.parts(part)) and time.monotonic() < until:
        time.sleep(0.01)
    return found


_FAULTS = {
    "kill -9 of a job's process": _kill_one("job"),
    "kill -9 of a worker": _kill_one("worker"),
    "kill -9 of the workers' parent": _kill_one("workers"),
    "kill -9 of the API": _kill_one("api"),
    "kill -9 of Redis": _kill_one("redis"),
    "kill -9 of Redis, its data wiped": _wipe_redis,
    "kill -9 of the whole service": _kill_all,
    "a worker stopped for 3 s": _stop_a_worker,
}
KILLS = {
    "kill -9 of a job's process": 7,
    "kill -9 of a worker": 3,
    "kill -9 of the workers' parent": 2,
    "kill -9 of the API": 4,
    "kill -9 of Redis": 2,
    "kill -9 of Redis, its data wiped": 2,
    "kill -9 of the whole service": 2,
}
STOPS = {"a worker stopped for 3 s": 2}
