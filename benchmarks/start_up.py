"""How long ``import leafspace_client`` takes, and ``leafspace serve`` until it is ready.

To reach: 300 ms for the import, 5 s for a warm start (the same data directory, started before).
``python -m benchmarks.start_up``
"""

import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

from .machine import describe_machine
from .serving import wait_until_ready

_TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    for statement in ("import leafspace_client", "from leafspace_client import Leafspace"):
        milliseconds = [_import_seconds(statement) * 1000 for _ in range(11)]
        print(f"{statement}: {_spread(milliseconds)} ms (to reach: 300)")
    with tempfile.TemporaryDirectory() as data_dir:
        starts = [_start_seconds(data_dir) for _ in range(6)]
    print(f"leafspace serve, first start in a folder: ready after {starts[0][0]:.2f} s")
    print(f"leafspace serve, warm start: ready after {_spread([ready for ready, _ in starts[1:]])} s (to reach: 5)")
    print(f"leafspace serve, SIGTERM: ended after {_spread([end for _, end in starts])} s (to reach: 10)")


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
