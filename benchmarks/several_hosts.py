"""200 small jobs on 1, 2 and 4 workers, each a host of its own, with PostgreSQL and a bucket; and what they wait for.

A host is a data directory with one worker: nothing is shared but the database, the bucket and Redis. The first also has
the API. All are processes of this one machine, so that its cores are shared, too: the processor time of each part
shows what would hold up real hosts. ``python -m benchmarks.several_hosts [n_jobs]``
"""

import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from secrets import token_hex

from sqlalchemy import select

from storage.database import Database
from storage.tables import jobs
from tests.support.api import Api, Registered, register
from tests.support.databases import new_postgresql_database
from tests.support.processes import children_of, command_of
from tests.support.redis import OwnRedis
from tests.support.serving import serving
from tests.support.storage_servers import S3Server, postgresql_server

from .machine import describe_machine

N_JOBS, N_HOSTS = 200, (1, 2, 4)
_METHODS = ("sm_a", "sm_u", "sm_wa", "k_medoids")
_PARTS = {
    "-m workers": "workers and their jobs",
    "-m leafspace.apis": "API",
    "postgres": "PostgreSQL",
    "moto_server": "bucket",
    "valkey": "Redis",
    "redis-server": "Redis",
}
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Run:
    """What a number of hosts took."""

    n_hosts: int
    n_jobs: int
    seconds: float  # from the first request to the last end
    running: list[float]  # seconds of each job from its start to its end
    processor: dict[str, float]  # seconds by part


def main() -> None:
    """Measure and print."""
    n_jobs = int(sys.argv[1]) if len(sys.argv) > 1 else N_JOBS
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder, postgresql_server() as postgresql:
        bucket = S3Server(Path(folder))
        bucket.start()
        try:
            bucket.make_bucket("objects")
            runs = [_measure(Path(folder) / str(n_hosts), n_hosts, n_jobs, postgresql, bucket) for n_hosts in N_HOSTS]
        finally:
            bucket.stop()
    for run in runs:
        _print(run, runs[0])
    _print_bottleneck(runs)


def _measure(folder: Path, n_hosts: int, n_jobs: int, postgresql: str, bucket: S3Server) -> Run:
    folder.mkdir()
    with new_postgresql_database(postgresql) as database_url, ExitStack() as stack:
        redis = OwnRedis(folder / "redis")
        redis.start()
        stack.callback(redis.kill)
        shared = {
            **bucket.environment,
            "OMP_NUM_THREADS": "1",
            "LEAFSPACE_DATABASE_URL": database_url,
            "LEAFSPACE_OBJECT_STORE_URL": f"s3://objects/{token_hex(8)}",
            "LEAFSPACE_REDIS_URL": redis.url,
        }
        service = stack.enter_context(serving(folder / "host 0", **shared))
        for host in range(1, n_hosts):
            stack.enter_context(_working(folder / f"host {host}", shared))
        api = Api(service.url)
        registered = register(api, "random_forest_binary")
        _request(api, registered, range(n_hosts))  # every host has what jobs read
        _wait_for_workers(api, n_hosts)
        before, start = _processor_seconds(), time.perf_counter()
        made = _request(api, registered, range(n_hosts, n_hosts + n_jobs))
        seconds = time.perf_counter() - start
        after = _processor_seconds()
        used = {part: after[part] - before.get(part, 0.0) for part in after}
        api.http.close()
        return Run(n_hosts, n_jobs, seconds, _running_seconds(database_url, made), used)


@contextmanager
def _working(data_dir: Path, shared: dict[str, str]) -> Iterator[None]:
    command = [sys.executable, "-m", "leafspace", "worker", "--workers", "1", "--data-dir", str(data_dir)]
    log = data_dir.with_name(f"{data_dir.name}.log")
    with log.open("wb") as output:
        process = subprocess.Popen(
            command, env={**os.environ, "LEAFSPACE_WORKER_NICENESS": "0", **shared}, stdout=output, stderr=output
        )
    try:
        yield
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def _wait_for_workers(api: Api, n_workers: int) -> None:
    while f"leafspace_workers {float(n_workers)}" not in api.get("/metrics").text:
        time.sleep(0.1)


def _request(api: Api, registered: Registered, places: range) -> list[str]:
    """Request small jobs, another one for each place, and return their ids when all have ended."""
    made = []
    for place in places:
        # More than those of the set that is made at registration.
        method, n_prototypes = _METHODS[place % len(_METHODS)], 9 + place // len(_METHODS)
        made_from = {"model": registered.model["id"], "dataset": registered.dataset["id"]}
        answer = api.post("/v1/prototype-sets", {**made_from, "method": method, "n_prototypes": n_prototypes})
        assert answer.status_code == 202, answer.text[:500]
        made.append(answer.json()["job"])
    for job in made:
        assert api.wait(job)["status"] == "succeeded"
    return made


def _running_seconds(database_url: str, made: list[str]) -> list[float]:
    database = Database(database_url)
    with database.reading() as connection:
        rows = connection.execute(select(jobs.c.started_at, jobs.c.finished_at).where(jobs.c.id.in_(made)))
        found = [ended - started for started, ended in rows]
    database.close()
    return found


def _processor_seconds() -> dict[str, float]:
    """Return the processor time of all parts so far, with that of their children that have ended."""
    found: dict[str, float] = {}
    for process in _descendants(os.getpid()):
        command = command_of(process)
        part = next((name for words, name in _PARTS.items() if words in command), None)
        if part is not None:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            found[part] = found.get(part, 0.0) + sum(map(int, fields[11:15])) / _TICKS
    return found


def _descendants(process: int) -> Iterator[int]:
    for child in children_of(process):
        yield child
        yield from _descendants(child)


def _print(run: Run, first: Run) -> None:
    name = f"{run.n_hosts} host{'s' if run.n_hosts > 1 else ''}"
    print(f"\n{name}: {run.n_jobs} jobs in {run.seconds:.1f} s, {run.n_jobs / run.seconds:.1f} a second", end="")
    print(f" ({first.seconds / run.seconds:.2f} x one host)")
    middle, busy = statistics.median(run.running), sum(run.running) / run.seconds / run.n_hosts
    print(f"  a job runs for {1000 * middle:.0f} ms (median); workers are at a job {busy:.0%} of the time")
    for part, seconds in sorted(run.processor.items(), key=lambda item: -item[1]):
        share = seconds / run.seconds / (os.cpu_count() or 1)
        print(f"  {part:24s} {1000 * seconds / run.n_jobs:6.0f} ms of processor a job, {share:4.0%} of the machine")


def _print_bottleneck(runs: list[Run]) -> None:
    last = runs[-1]
    used = sum(last.processor.values()) / last.seconds / (os.cpu_count() or 1)
    part = max(
        (part for part in last.processor if not part.startswith("workers")), key=lambda part: last.processor[part]
    )
    # Of what hosts share, each is one process or one server: it can take what one core, or all, can do in that time.
    most = last.n_jobs / last.processor[part]
    print(f"\nwith {last.n_hosts} hosts, the machine's cores are {used:.0%} busy")
    print(
        f"of what hosts share, the most processor time is the {part}'s: one core of it serves {most:.0f} jobs a second"
    )


if __name__ == "__main__":
    main()
