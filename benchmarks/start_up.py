"""How long ``import leafspace_client`` takes, ``leafspace serve`` until it is ready, and each part that is killed.

To reach: 300 ms for the import; 2.5 s and 5 s of processor time, with two workers, for a start in a new data directory
once ``leafspace warm`` has compiled everything; a first job at most 1 s slower than the second. After kill -9, four
times in a row: the API answers within 1 s, and within 0.3 s more than a warm start takes in the same run, nothing is
degraded within 0.5 s of Redis' end, and a job that is requested at once runs within 4 s (there is one worker, and no
other to take it). ``python -m benchmarks.start_up``
"""

import resource
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from tests.support.api import Api
from tests.support.chaos.questions import Known, register_all
from tests.support.chaos.recovery import Recovery
from tests.support.chaos.service_under_fire import ServiceUnderFire

from .machine import describe_machine
from .serving import wait_until_ready

N_KILLS = 4
_TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    for statement in ("import leafspace_client", "from leafspace_client import Leafspace"):
        milliseconds = [_import_seconds(statement) * 1000 for _ in range(11)]
        print(f"{statement}: {_spread(milliseconds)} ms (to reach: 300)")
    with tempfile.TemporaryDirectory() as data_dir:
        starts = [_start_seconds(data_dir) for _ in range(6)]
    print(
        f"leafspace serve, the same data directory again: ready after {_spread([ready for ready, _ in starts[1:]])} s"
    )
    print(f"leafspace serve, SIGTERM: ended after {_spread([end for _, end in starts])} s (to reach: 10)")
    _print_new_directories()
    with tempfile.TemporaryDirectory() as folder:
        _print_recovery(ServiceUnderFire(Path(folder) / "killed", n_workers=1))


def _print_new_directories() -> None:
    """Start in new data directories, with two workers, and stop at once; count the time of all processes."""
    ready, cpu = [], []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            before = _children_cpu_seconds()
            service = ServiceUnderFire(Path(folder) / "new", n_workers=2)
            ready.append(service.start())
            service.stop()
            cpu.append(_children_cpu_seconds() - before)
    print(f"leafspace serve, a new data directory: ready after {_spread(ready)} s (to reach: 2.5)")
    print(f"  processor time until it has stopped: {_spread(cpu)} s (to reach: 5)")
    with tempfile.TemporaryDirectory() as folder:
        first, second = _job_seconds(ServiceUnderFire(Path(folder) / "jobs", n_workers=2))
    print(f"  its first job took {first:.2f} s, the second {second:.2f} s (to reach: at most 1 s more)")


def _children_cpu_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _job_seconds(service: ServiceUnderFire) -> tuple[float, float]:
    """Return how long the first two jobs after a start take, which read the same rows from a kept leaf table."""
    service.start()
    known = register_all(Api(service.url))[0]
    _seconds_of_prototypes(Api(service.url), known, 5)
    service.stop()
    service.start()
    try:
        return _seconds_of_prototypes(Api(service.url), known, 6), _seconds_of_prototypes(Api(service.url), known, 7)
    finally:
        service.stop()


def _seconds_of_prototypes(api: Api, known: Known, n_prototypes: int) -> float:
    began = time.perf_counter()
    job = api.post("/v1/prototype-sets", {**known.about, "n_prototypes": n_prototypes}).json()["job"]
    while api.get(f"/v1/jobs/{job}", Prefer="wait=60").json()["status"] in {"queued", "running"}:
        pass
    return time.perf_counter() - began


def _print_recovery(service: ServiceUnderFire) -> None:
    service.start()
    service.stop()
    warm = service.start()
    try:
        known = register_all(Api(service.url))[0]
        recovery = Recovery(service, known)
        print(f"kill -9, {N_KILLS} times in a row, seconds of each; a warm start of all took {warm:.2f} s")
        for what, measure in _measured(recovery, warm).items():
            print(f"  {' '.join(f'{measure():5.2f}' for _ in range(N_KILLS))}  {what}", flush=True)
    finally:
        service.stop()


def _measured(recovery: Recovery, warm: float) -> dict[str, Callable[[], float]]:
    return {
        f"the API, until another answers (to reach: 1; a warm start and 0.3 s: {warm + 0.3:.2f})": recovery.of_the_api,
        "the API's parent, until another API answers (it imports everything)": lambda: recovery.of_the_api("apis"),
        "Redis, until nothing is degraded (to reach: 0.5)": recovery.of_redis,
        "the only worker, until a job runs (to reach: 4)": recovery.of_a_worker,
        "the workers' parent, until a job runs (to reach: 4)": lambda: recovery.of_a_worker("workers"),
    }


def _spread(values: list[float]) -> str:
    return f"min {min(values):.3g}, median {statistics.median(values):.3g}, max {max(values):.3g}"


def _import_seconds(statement: str) -> float:
    command = [sys.executable, "-c", _TIMED.format(statement)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def _start_seconds(data_dir: str) -> tuple[float, float]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    start = time.perf_counter()
    command = [sys.executable, "-m", "leafspace", "serve", "--port", str(port), "--data-dir", data_dir]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    wait_until_ready(f"http://127.0.0.1:{port}")
    ready = time.perf_counter() - start
    process.send_signal(signal.SIGTERM)
    process.wait()
    return ready, time.perf_counter() - start - ready


if __name__ == "__main__":
    main()
