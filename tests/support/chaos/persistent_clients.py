"""Clients that send until they are answered, always with the same key, as a caller who must not lose a job would."""

import random
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import httpx

from tests.support.raw_http import NO_TLS

from .questions import Question

_SECONDS_FOR_AN_ANSWER = 20
_SECONDS_BETWEEN_TRIES = 0.2
_MOST_TRIES = 300


@dataclass
class Outcomes:
    """What became of the requests."""

    accepted: dict[str, tuple[str, str]] = field(default_factory=dict)  # artefact and job by key
    n_tries: int = 0
    unexpected: list[str] = field(default_factory=list)


class PersistentClients:
    """Some threads that send a list of requests between them, and now and then repeat one that was answered."""

    def __init__(self, url: str, wanted: Sequence[Question], n_clients: int, seconds: float, seed: int) -> None:
        self.found = Outcomes()
        self._url = url
        self._pause_seconds = seconds * n_clients / len(wanted)
        shares = [list(enumerate(wanted))[client::n_clients] for client in range(n_clients)]
        self._threads = [
            threading.Thread(target=self._send_all, args=(share, random.Random(seed + client)))  # noqa: S311
            for client, share in enumerate(shares)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def join(self) -> Outcomes:
        for thread in self._threads:
            thread.join()
        return self.found

    def _send_all(self, share: Iterable[tuple[int, Question]], rng: random.Random) -> None:
        with httpx.Client(base_url=self._url, timeout=_SECONDS_FOR_AN_ANSWER, verify=NO_TLS) as http:
            for number, question in share:
                for _ in range(rng.choice((1, 1, 1, 2))):
                    self._send(http, f"question-{number}", question)
                time.sleep(rng.uniform(0, 2 * self._pause_seconds))

    def _send(self, http: httpx.Client, key: str, question: Question) -> None:
        headers = {"Idempotency-Key": key}
        answer = until_answered(lambda: http.post(question.path, json=question.request, headers=headers), self.found)
        if answer is None or answer.status_code not in {200, 202}:
            self.found.unexpected.append(f"{key}: {'no answer' if answer is None else answer.text[:200]}")
            return
        first = self.found.accepted.setdefault(key, (answer.json()["id"], answer.json()["job"]))
        if first != (answer.json()["id"], answer.json()["job"]):
            self.found.unexpected.append(f"{key}: another answer than {first}: {answer.text[:200]}")


def until_answered(send: Callable[[], httpx.Response], found: Outcomes) -> httpx.Response | None:
    """Send until there is an answer that is not "try again"; nothing if that never comes."""
    for _ in range(_MOST_TRIES):
        found.n_tries += 1
        try:
            answer = send()
        except httpx.TransportError:
            time.sleep(_SECONDS_BETWEEN_TRIES)
            continue
        if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
            return answer
        assert "Retry-After" in answer.headers
        time.sleep(_SECONDS_BETWEEN_TRIES)
    return None
