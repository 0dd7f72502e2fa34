"""A private service for one program, such as a notebook's kernel: it ends when that program does, however that ends.

The program starts ``leafspace local-service`` with two pipes. Through one it receives, in a line of JSON, where the
service listens and the key that was made for this start; the other is closed when the program ends, by itself or by
kill -9, and then everything is stopped. No key is ever among the arguments of a process, which others can list.
"""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.scopes import SCOPES
from workers.runtime.supervisor import stop_processes

from .embedded import REQUIRE_KEYS, module_command
from .errors import CannotServe
from .listening import free_port, is_ready, url_of
from .processes import start_process

_HOST = "127.0.0.1"
_SCOPES = tuple(scope for scope in SCOPES if scope != "admin")
_SECONDS_TO_STOP = 15.0
_POLL_SECONDS, _SECONDS_TO_ANSWER = 0.2, 2.0
_SHOWN_LOG_LINES = 20


def run(data_dir: Path | None) -> None:
    """Serve until standard input is closed, this process's parent has gone, or SIGTERM comes.

    Parameters
    ----------
    data_dir
        Where everything is kept; ``None``: in a folder of the owner alone, which is gone afterwards.

    Raises
    ------
    CannotServe
        If the service does not start; the reason is written to standard output, too, as ``error``.
    """
    parent = os.getppid()
    signal.signal(signal.SIGTERM, _stopped)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the program: it may go on
    with _folder(data_dir) as folder:
        try:
            _serve(folder, parent)
        except CannotServe as error:
            _say({"error": str(error)})
            raise


def _serve(folder: Path, parent: int) -> None:
    """Serve from a folder until the program has ended."""
    environment, log = _environment(), folder / "local-service.log"
    key, port = _new_key(folder, environment), free_port(_HOST, 0)
    command = module_command("leafspace", "serve", "--host", _HOST, "--port", str(port), "--data-dir", str(folder))
    with log.open("wb") as output:
        process = start_process(command, environment=environment, signal_at_our_end=signal.SIGTERM, output=output)
    try:
        while not is_ready(_HOST, port, _SECONDS_TO_ANSWER):
            if process.poll() is not None:
                raise CannotServe(_last_lines(log))
            if _has_ended(parent):
                return
        _say({"url": url_of(_HOST, port), "key": key, "data_dir": str(folder)})
        while process.poll() is None and not _has_ended(parent):
            pass
    finally:
        stop_processes([process], _SECONDS_TO_STOP)


def _last_lines(log: Path) -> str:
    said = "\n".join(log.read_text(errors="replace").splitlines()[-_SHOWN_LOG_LINES:])
    return f"the service did not start; it said:\n{said}"


@contextmanager
def _folder(data_dir: Path | None) -> Iterator[Path]:
    """Yield the data directory; one of our own, of mode 0700, is removed at the end."""
    if data_dir is not None:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        yield data_dir.absolute()
        return
    folder = Path(tempfile.mkdtemp(prefix="leafspace-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _environment() -> dict[str, str]:
    # Whatever is set for a service elsewhere is not meant for this one.
    own = {name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")}
    return {**own, REQUIRE_KEYS: "1"}


def _new_key(folder: Path, environment: dict[str, str]) -> str:
    scopes = [part for scope in _SCOPES for part in ("--scope", scope)]
    command = module_command("leafspace", "keys", "create", "this start", *scopes, "--data-dir", str(folder))
    made = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)  # ours
    if made.returncode:
        raise CannotServe(made.stderr.removeprefix("Error: ").strip())
    return made.stdout.strip()


def _stopped(_signal: int, _frame: object) -> None:
    sys.exit(0)


def _say(line: dict[str, str]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _has_ended(parent: int) -> bool:
    """Return whether the program has ended, after waiting a moment for that.

    Its end of the pipe may be held open by processes that it forked, so that its own end is looked for, too.
    """
    readable, _, _ = select.select([sys.stdin], [], [], _POLL_SECONDS)
    is_closed = bool(readable) and not os.read(sys.stdin.fileno(), 1)
    return is_closed or os.getppid() != parent
