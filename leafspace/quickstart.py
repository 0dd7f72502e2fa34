"""The quickstart: starts a whole service, explains one prediction through the SDK, stops everything again."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from rich.console import Console

from workers.runtime.supervisor import stop_processes

from .embedded import module_command
from .errors import CannotServe
from .listening import free_port, is_ready, url_of
from .processes import start_process
from .quickstart_report import show_explanation

if TYPE_CHECKING:
    from leafspace_client import Leafspace

_HOST = "127.0.0.1"
_SECONDS_TO_START = 300.0  # a busy machine compiles for minutes, the first time
_SECONDS_TO_ANSWER = 2.0
_SECONDS_TO_STOP = 15.0
_SECONDS_FOR_PROTOTYPES = 300.0
_OF_THE_SDK = ("leafspace_client", "skl2onnx")  # which the extra `quickstart` brings
_N_TREES = 300
_N_PROTOTYPES = 6
_SHOWN_LOG_LINES = 20


def run() -> int:
    """Show the whole way on real data; return 0, or 1 with a message that says what went wrong."""
    signal.signal(signal.SIGTERM, _interrupted)
    console = Console(highlight=False, soft_wrap=True)
    if lacking := [name for name in _OF_THE_SDK if find_spec(name) is None]:
        advice = f'The quickstart needs {lacking[0]}, which this brings: pip install "leafspace[quickstart]"'
        Console(stderr=True).print(advice, markup=False, soft_wrap=True)
        return 1
    with tempfile.TemporaryDirectory(prefix="leafspace-", ignore_cleanup_errors=True) as folder:
        try:
            with _service(Path(folder), console) as wait_until_ready:
                _explain_one_prediction(wait_until_ready, console)
        except KeyboardInterrupt:
            Console(stderr=True).print("Interrupted; everything that was started is stopped.")
            return 1
        except Exception as error:  # noqa: BLE001  # the edge of a process
            Console(stderr=True).print(f"The quickstart failed: {error}", markup=False)
            return 1
    console.print("\nAll that was started is stopped again, and its data is gone.")
    console.print(f"To keep a service running: [bold]{_command()} serve[/bold]. The README goes on from there.")
    return 0


def _command() -> str:
    """Return how a reader calls ``leafspace``: by its name where it is found, otherwise by its path."""
    installed = Path(sys.executable).with_name("leafspace")
    on_path = shutil.which("leafspace")
    if on_path and Path(on_path).samefile(installed):
        return "leafspace"
    return os.path.relpath(installed) if installed.is_relative_to(Path.cwd()) else str(installed)


@contextmanager
def _service(folder: Path, console: Console) -> Iterator[Callable[[], str]]:
    """Start a service of its own (API, workers and Redis); yield what waits for it and returns its address."""
    port = free_port(_HOST, 0)
    log = folder / "service.log"
    command = module_command("leafspace", "serve", "--host", _HOST, "--port", str(port), "--data-dir")
    console.print(
        "1. Starting a service: an API, workers and Redis, with a data directory of their own. The first start on a "
        "machine compiles for a minute or two."
    )
    with log.open("wb") as output:
        process = start_process(
            [*command, str(folder / "data")],
            # Whatever is set for a service elsewhere is not meant for this one.
            environment={name: value for name, value in os.environ.items() if not name.startswith("LEAFSPACE_")},
            signal_at_our_end=signal.SIGTERM,
            output=output,
        )
        try:
            yield lambda: _address_of(process, port, log)
        finally:
            stop_processes([process], _SECONDS_TO_STOP)


def _address_of(process: "subprocess.Popen[bytes]", port: int, log: Path) -> str:
    """Return the address of the service once it is ready."""
    until = time.monotonic() + _SECONDS_TO_START
    while not is_ready(_HOST, port, _SECONDS_TO_ANSWER):
        if process.poll() is not None or time.monotonic() > until:
            said = "\n".join(log.read_text(errors="replace").splitlines()[-_SHOWN_LOG_LINES:])
            message = f"the service did not start; it said:\n{said}"
            raise CannotServe(message)
        time.sleep(0.1)
    return url_of(_HOST, port)


class _Tumours(NamedTuple):
    """A forest, and the rows that it has seen and one that it has not."""

    forest: Any  # scikit-learn's
    names: list[str]
    rows: Any  # (426, 30)
    labels: Any  # (426,)
    new_row: Any  # (30,)


def _explain_one_prediction(wait_until_ready: Callable[[], str], console: Console) -> None:
    # Imported once the service's process is there: numerical libraries start threads, and it is forked before that.
    from leafspace_client import Leafspace

    tumours = _train_forest(console)
    url = wait_until_ready()
    console.print(f"   The service listens on {url}.")
    with Leafspace(url) as client:
        _explain_new_tumour(client, tumours, console)


def _train_forest(console: Console) -> _Tumours:
    import skl2onnx  # noqa: F401  # seconds, which registering the forest would take while nothing else goes on
    from sklearn.datasets import load_breast_cancer
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.model_selection import train_test_split

    data = load_breast_cancer()
    rows, new_rows, labels, _ = train_test_split(data.data, data.target_names[data.target], random_state=0)
    console.print(f"2. Meanwhile, training a random forest of {_N_TREES:,} trees on {len(rows)} real tumours.")
    forest = RandomForestClassifier(_N_TREES, random_state=0, n_jobs=-1).fit(rows, labels)
    return _Tumours(forest, list(data.feature_names), rows, labels, new_rows[0])


def _explain_new_tumour(client: "Leafspace", tumours: _Tumours, console: Console) -> None:
    forest, names, rows, labels, new_row = tumours
    console.print("3. Registering the forest, as ONNX, and its data. The service proves that it predicts the same.")
    model = client.register_model(forest, rows, name="tumours", feature_names=names)
    dataset = client.register_dataset((rows, labels), name="tumours", features=names)

    console.print(
        f"4. Choosing {_N_PROTOTYPES} prototypes: real tumours that represent all others, as the forest sees it."
    )
    requested = client.prototype_sets.create(model, dataset, n_prototypes=_N_PROTOTYPES)
    prototype_set = requested.wait(progress=sys.stderr.isatty(), timeout=_SECONDS_FOR_PROTOTYPES)
    found = ", ".join(f"row {each.row_id} ({each.label})" for each in prototype_set.prototypes)
    console.print(f"   They are {found}.")

    console.print("5. Explaining one prediction, for a tumour that the forest has never seen.\n")
    explainer = client.explainers.create(model, prototype_set)
    show_explanation(explainer.explain(new_row, ["new tumour"], n_prototypes=1)[0], console)


def _interrupted(_signal: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt
