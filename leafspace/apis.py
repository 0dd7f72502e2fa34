"""``python -m leafspace.apis``: the API's processes, forked from one that has imported everything and opened nothing.

They share its memory. One that is killed is forked again, which takes no imports: it answers several times as soon as
a new program would. When their parent dies, they die with it.
"""

import gc
import os
import signal
import sys
from functools import partial
from multiprocessing import get_context
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from service.settings import ServiceSettings
    from workers.runtime.supervisor import Child

_LONGEST_PAUSE_SECONDS = 2.0  # before an API process is forked again
SECONDS_TO_CLOSE = 2.0  # for what is open when requests have ended


@click.command()
@click.option("--host", default="127.0.0.1", envvar="LEAFSPACE_HOST")
@click.option("--port", type=int, default=8000, envvar="LEAFSPACE_PORT")
@click.option("--ready-fd", type=int, help="Where to announce that all of them listen.")
@click.option("--shared-fd", type=int, help="Memory of all API processes; without it, there is one.")
def main(host: str, port: int, ready_fd: int | None, shared_fd: int | None) -> None:
    """Keep API processes running until SIGTERM."""
    gc.disable()  # what is imported stays; looking through it for garbage would take a tenth of the start
    # onnxruntime would report the models that it opens to its maker.
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    # Imported late: numerical libraries read the environment as soon as they are imported.
    from storage.environment import report_mistyped_names, settings_of_process
    from storage.without_pandas import keep_rich_out

    keep_rich_out()
    from observability.logs import log_json_lines
    from service.api_process import check_storage
    from service.settings import ServiceSettings
    from workers.runtime.restarts import report_ready
    from workers.runtime.supervisor import Supervisor

    settings = settings_of_process(ServiceSettings, host=host, port=port)
    log_json_lines(settings.log_level)
    report_mistyped_names(ServiceSettings)
    _in_a_child(partial(check_storage, settings))
    # Objects that no collection touches are not written to, so that their memory stays shared.
    gc.freeze()
    children = _children(settings, shared_fd)
    announce = (lambda: None) if ready_fd is None else partial(report_ready, ready_fd)
    Supervisor(children).run(is_ready=lambda: _are_ready(children), announce=announce)


def _in_a_child(check: partial[None]) -> None:
    """Do it in a fork, and end with its status if it fails: what it opens must not be carried into API processes."""
    child = get_context("fork").Process(target=check)
    child.start()
    child.join()
    if child.exitcode:
        sys.exit(child.exitcode)


def _children(settings: "ServiceSettings", shared_fd: int | None) -> "list[Child]":
    """Return the API processes; of several, each listens to the same port and maps the same memory."""
    from service.admission.shared_memory import SharedMemory
    from service.api_process import serve_until_stopped
    from workers.runtime.forks import forked_child
    from workers.runtime.restarts import Restarts

    def child(index: int) -> "Child":
        shared = None if shared_fd is None else partial(SharedMemory, shared_fd, index, settings.api_workers)
        return forked_child(
            "api" if shared is None else f"api {index + 1}",
            lambda announce: serve_until_stopped(settings, announce, None if shared is None else shared()),
            Restarts(_LONGEST_PAUSE_SECONDS),
            settings.drain_seconds + settings.grace_seconds + SECONDS_TO_CLOSE,
            signal_at_parents_end=signal.SIGKILL,
        )

    return [child(index) for index in range(1 if shared_fd is None else settings.api_workers)]


def _are_ready(children: "list[Child]") -> bool:
    """Return whether all listen; end with a sentence if one ended before it did, which whoever started us counts."""
    for child in children:
        if child.n_ends and child.ready_since is None:
            sys.exit(f"Error: the {child.name} ended before it was ready; what it printed above says why")
    return all(child.ready_since is not None for child in children)


if __name__ == "__main__":
    main()
