"""What ``leafspace warm`` takes with an empty cache, and which loops take it.

To reach: 60 s until ``leafspace warm`` has ended. ``python -m benchmarks.warm`` runs it once and prints its seconds and
those of processors. ``python -m benchmarks.warm loops`` compiles the same loops in one process and prints, for each,
the seconds of processor without those of the loops that it calls, and for how many types it was compiled;
``python -m benchmarks.warm requests`` does so with the loops that answer requests alone. Ctrl-C has them print what
they have measured until then. Each keeps what it compiles in a folder of its own, which is removed.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import suppress
from typing import Any

from .machine import describe_machine

_N_PRINTED = 60


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    with tempfile.TemporaryDirectory() as cache:
        os.environ["NUMBA_CACHE_DIR"] = cache  # before numba is loaded
        if sys.argv[1:]:
            _print_loops(for_jobs=sys.argv[1] == "loops")
        else:
            _print_command()


def _print_command() -> None:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-m", "leafspace", "warm"], check=True, stdout=subprocess.DEVNULL)
    seconds, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"leafspace warm, nothing compiled yet: {seconds:.1f} s (to reach: 60)")
    print(f"  processor time of all its processes: {used.ru_utime + used.ru_stime:.1f} s")


def _print_loops(*, for_jobs: bool) -> None:
    from numba.core import event  # it reads where the cache is

    from tree_explainers.warm import compile_loops

    compilations = _Compilations()
    start = time.process_time()
    with event.install_listener("numba:compile", compilations.listener(event.Listener)), suppress(KeyboardInterrupt):
        compile_loops(for_jobs=for_jobs)
    seconds, counts = compilations.seconds, compilations.counts
    print(f"all in one process: {time.process_time() - start:.1f} s of processor, {seconds.total():.1f} s of compiling")
    print(f"{len(seconds)} functions, {counts.total()} compilations; seconds, compilations, function")
    for name, spent in seconds.most_common(_N_PRINTED):
        print(f"  {spent:6.2f} {counts[name]:3d}  {name}")


class _Compilations:
    """The seconds of processor of each function, without those of what is compiled meanwhile."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self._running: list[list[float]] = []  # of each: when it began, and what others took since

    def listener(self, base: Any) -> Any:  # numba ships no types
        """Return what numba calls when a compilation begins and ends."""

        def on_start(_: Any, __: Any) -> None:
            self._running.append([time.process_time(), 0.0])

        def on_end(_: Any, event: Any) -> None:
            began, of_others = self._running.pop()
            spent = time.process_time() - began
            function = event.data["dispatcher"].py_func
            name = f"{function.__module__}.{function.__qualname__}"
            self.seconds[name] += spent - of_others  # type: ignore[assignment]  # a counter of seconds
            self.counts[name] += 1
            if self._running:
                self._running[-1][1] += spent

        return type("Listener", (base,), {"on_start": on_start, "on_end": on_end})()


if __name__ == "__main__":
    main()
