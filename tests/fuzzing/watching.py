"""What becomes of a reader, seen from outside: it runs in a process forked for one file, with little memory."""

import json
import os
import re
import resource
import signal
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

MOST_SECONDS = 2.0  # of the processor
MOST_BYTES = 500 * 1024**2  # more than there were before
_PATIENCE_SECONDS = 120  # of the clock: the machine may be busy


@dataclass(frozen=True)
class Outcome:
    """How reading ended."""

    code: str | None  # of the refusal; None where the file is taken
    finding: str | None  # None where all is as it should be
    seconds: float = 0.0


def outcome_of(
    read: Callable[[], object], refusals: tuple[type[Exception], ...], most_seconds: float = MOST_SECONDS
) -> Outcome:
    """Return how ``read`` ends in a process of its own; anything but an end in time or one of the refusals is found.

    What takes long is read twice: seconds of a processor that others share are longer at times.
    """
    outcome = _outcome_of(read, refusals)
    if outcome.seconds > most_seconds:
        outcome = min(outcome, _outcome_of(read, refusals), key=lambda each: each.seconds)
    if outcome.finding is None and outcome.seconds > most_seconds:
        return Outcome(outcome.code, f"took {outcome.seconds:.1f} s of the processor")
    return outcome


def _outcome_of(read: Callable[[], object], refusals: tuple[type[Exception], ...]) -> Outcome:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(writer, read, refusals)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if not text:
        return Outcome(None, f"ended with status {os.waitstatus_to_exitcode(status)}")
    return Outcome(**json.loads(text))


def _answer(writer: int, read: Callable[[], object], refusals: tuple[type[Exception], ...]) -> None:
    """Read, say what happened, and leave."""
    try:
        signal.alarm(_PATIENCE_SECONDS)
        resource.setrlimit(resource.RLIMIT_DATA, (_data_bytes() + MOST_BYTES,) * 2)
        began = time.process_time()
        code, finding = _read(read, refusals)
        answer = {"code": code, "finding": finding, "seconds": time.process_time() - began}
        os.write(writer, json.dumps(answer).encode())
    finally:
        os._exit(0)


def _read(read: Callable[[], object], refusals: tuple[type[Exception], ...]) -> tuple[str | None, str | None]:
    try:
        read()
    except refusals as refusal:
        return str(refusal.code), None  # type: ignore[attr-defined]  # refusals have codes
    except BaseException as error:  # noqa: BLE001  # whatever it is, it is found
        last = traceback.extract_tb(error.__traceback__)[-6:]
        where = " < ".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in reversed(last))
        return None, f"{type(error).__name__}: {str(error)[:200]} at {where}"
    return None, None


def _data_bytes() -> int:
    (kilobytes,) = re.findall(r"^VmData:\s+(\d+) kB", Path("/proc/self/status").read_text(), re.MULTILINE)
    return int(kilobytes) * 1024
