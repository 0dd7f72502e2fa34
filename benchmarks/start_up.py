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

_IMPORT = "import time; start = time.perf_counter(); import leafspace_client; print(time.perf_counter() - start)"


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    seconds = [_import_seconds() for _ in range(11)]
    print(
        f"import leafspace_client: median {statistics.median(seconds) * 1000:.0f} ms, max {max(seconds) * 1000:.0f} ms (to reach: 300)"
    )
    with tempfile.TemporaryDirectory() as data_dir:
        starts = [_start_seconds(data_dir) for _ in range(6)]
    print(
        f"leafspace serve ready: first {starts[0][0]:.2f} s, warm median {statistics.median(s for s, _ in starts[1:]):.2f} s, warm max {max(s for s, _ in starts[1:]):.2f} s (to reach: 5)"
    )
    print(f"leafspace serve stopped by SIGTERM: max {max(stop for _, stop in starts):.2f} s (to reach: 10)")


def _import_seconds() -> float:
    return float(subprocess.run([sys.executable, "-c", _IMPORT], check=True, capture_output=True, text=True).stdout)


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
