"""``python -m workers``: workers with settings from the environment."""

import argparse
import gc
import os
import sys
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .runtime.settings import WorkerSettings

_BEFORE_IMPORTS = {
    # GNU OpenMP does not survive a fork after its first parallel region; numba's own threads do.
    "NUMBA_THREADING_LAYER": "workqueue",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    # It would report models to its vendor, from a thread that a fork does not survive.
    "ORT_DISABLE_TELEMETRY": "1",
}


def prepare_environment() -> None:
    """Set what numerical libraries read when they are imported, unless it is set already."""
    for name, value in _BEFORE_IMPORTS.items():
        os.environ.setdefault(name, value)


def main() -> None:
    """Run workers until SIGTERM or SIGINT."""
    arguments = _arguments()
    prepare_environment()
    gc.disable()  # what is imported stays; looking through it for garbage would take a tenth of the start
    # Imported late: numerical libraries read the environment as soon as they are imported.
    from storage.environment import report_mistyped_names, settings_of_process

    from .runtime.process_limits import lower_priority
    from .runtime.settings import WorkerSettings

    settings = settings_of_process(WorkerSettings)
    # Before what is heavy to import, so that the API starts undisturbed.
    lower_priority(settings.worker_niceness)
    from storage.without_pandas import keep_pandas_out, keep_rich_out

    keep_rich_out()
    from observability.logs import log_json_lines
    from tree_explainers.compute.compiled import load_compiler
    from tree_explainers.onnx_models.session import load_runtime

    from .job_kinds import load_job_kinds
    from .main import run_workers

    log_json_lines(settings.log_level)
    report_mistyped_names(WorkerSettings)
    _check_storage(settings)
    keep_pandas_out()
    kinds = load_job_kinds()
    load_compiler(is_alone=True)
    load_runtime()
    run_workers(settings, kinds, arguments.workers, arguments.ready_fd)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="workers")
    parser.add_argument("--workers", type=int, default=1, help="number of workers")
    parser.add_argument("--ready-fd", type=int, help="file descriptor to write to when they have started")
    return parser.parse_args()


def _check_storage(settings: "WorkerSettings") -> None:
    """End this process with a sentence unless database and objects can be used, and are each other's."""
    # In a child: what reads a bucket must not be carried into the processes of jobs.
    child = get_context("fork").Process(target=_check_storage_here, args=(settings,))
    child.start()
    child.join()
    if child.exitcode:
        sys.exit(child.exitcode)


def _check_storage_here(settings: "WorkerSettings") -> None:
    from storage.database import Database
    from storage.errors import StorageError
    from storage.remote_objects import open_objects
    from storage.store_pairs import check_pair_if_available

    try:
        storage = settings.storage
    except ValueError as error:
        sys.exit(f"Error: {error}")
    database = Database(storage.database_url)
    try:
        database.check_usable()
        check_pair_if_available(database, open_objects(storage))
    except StorageError as error:
        sys.exit(f"Error: {error.detail}")
    finally:
        database.close()


if __name__ == "__main__":
    main()
