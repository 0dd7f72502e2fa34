"""Metrics: what Prometheus scrapes about this process, its caches, the jobs and the workers.

Rows and Redis are read at most once in five seconds, however often Prometheus scrapes. No label is made from what
callers send: routes are templates of ours, statuses and kinds are few.
"""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import version

from prometheus_client import CONTENT_TYPE_PLAIN_0_0_4, CollectorRegistry, Histogram, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    InfoMetricFamily,
    Metric,
)
from prometheus_client.exposition import generate_latest
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from storage.errors import StorageError
from storage.job_counts import EndedJobs, JobCounts, count_jobs

from .app_context import AppContext
from .host_counts import HostCounts
from .middleware.telemetry.metering import SECONDS_BOUNDS, RequestRecords, RouteRecord

_FRESH_SECONDS = 5.0
_JOB_SECONDS = (0.1, 0.3, 1, 3, 10, 30, 60, 180, 600, 1800, 3600, 7200, 21600)
_ERRORS_FROM = 400
_OF_ONE_PROCESS = {"process_start_time_seconds", "process_max_fds"}
_BOUNDS = (*map(str, SECONDS_BOUNDS), "+Inf")


class Metrics:
    """All metrics; they may be collected in any thread, one at a time.

    ``ended`` has the jobs that ended since this process began.
    """

    media_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(
        self,
        context: AppContext,
        records: RequestRecords | HostCounts,
        ended: EndedJobs,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._lock = threading.Lock()
        self._records = records
        caches = records.cache_counts if isinstance(records, HostCounts) else context.cache_counts
        self._registries = [
            _registry_of(collector)
            for collector in (_Requests(records), _Caches(caches), _Dependencies(context, ended, clock))
        ]
        self._registries.append(_processes(records))

    def text(self) -> bytes:
        """Return everything in Prometheus' text format."""
        with self._lock:
            return b"".join(self._pieces())

    def _pieces(self) -> Iterator[bytes]:
        for registry in self._registries:
            for family in registry.collect():
                yield generate_latest(_registry_of(_One(family)))
                # The event loop goes on: it waits for one piece at most, some tens of microseconds of work.
                time.sleep(0)
        for block in _latencies(self._records.all()):
            yield block
            time.sleep(0)


class _One(Collector):
    """One family of metrics."""

    def __init__(self, family: Metric) -> None:
        self._family = family

    def collect(self) -> Iterator[Metric]:
        yield self._family

    def describe(self) -> Iterator[Metric]:
        yield self._family


class _Requests(Collector):
    """Requests to this process, or to all of the host."""

    def __init__(self, records: RequestRecords | HostCounts) -> None:
        self._records = records

    def collect(self) -> Iterator[Metric]:
        records = self._records.all()
        yield from _answers(records)
        in_flight = GaugeMetricFamily("leafspace_requests_in_flight", "Requests being answered.", labels=["route"])
        for route in dict.fromkeys(record.route for record in records):
            in_flight.add_metric([route], sum(record.n_in_flight for record in records if record.route == route))
        yield in_flight
        text = "Uploads that are coming in or being read."
        yield GaugeMetricFamily("leafspace_uploads_in_progress", text, self._records.n_uploads)

    def describe(self) -> Iterator[Metric]:
        return iter(())


def _answers(records: tuple[RouteRecord, ...]) -> Iterator[Metric]:
    labels = ["route", "method", "status"]
    by_class = CounterMetricFamily("leafspace_requests", "Requests answered, by class of status.", labels=labels)
    text = "Requests answered with an error, by status, whatever the route."
    errors = CounterMetricFamily("leafspace_error_answers", text, labels=["status"])
    n_errors: dict[int, int] = {}
    for record in records:
        n_by_class: dict[str, int] = {}
        for status, number in record.n_by_status.copy().items():
            status_class = f"{status // 100}xx"
            n_by_class[status_class] = n_by_class.get(status_class, 0) + number
            if status >= _ERRORS_FROM:
                n_errors[status] = n_errors.get(status, 0) + number
        for status_class, number in n_by_class.items():
            by_class.add_metric([record.route, record.method, status_class], number)
    for status, number in sorted(n_errors.items()):
        errors.add_metric([str(status)], number)
    yield from (by_class, errors)


def _latencies(records: tuple[RouteRecord, ...]) -> Iterator[bytes]:
    """Yield the histogram of latencies, a route at a time: by far the most lines, written here to be quick."""
    name = "leafspace_request_seconds"
    text = "Seconds from a request's headers to the end of its answer."
    yield f"# HELP {name} {text}\n# TYPE {name} histogram\n".encode()
    for record in records:
        labels = f'method="{record.method}",route="{record.route}"'
        n_so_far, lines = 0, []
        for bound, number in zip(_BOUNDS, tuple(record.n_by_bucket), strict=True):
            n_so_far += number
            lines.append(f'{name}_bucket{{le="{bound}",{labels}}} {n_so_far}\n')
        lines.append(f"{name}_count{{{labels}}} {n_so_far}\n{name}_sum{{{labels}}} {record.n_seconds!r}\n")
        yield "".join(lines).encode()


class _Caches(Collector):
    """The caches of this process, or of all of the host."""

    def __init__(self, counts: Callable[[], dict[str, tuple[int, int, int]]]) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        hits = CounterMetricFamily("leafspace_cache_hits", "Looked up and found warm.", labels=["cache"])
        misses = CounterMetricFamily("leafspace_cache_misses", "Looked up and warmed up first.", labels=["cache"])
        size = GaugeMetricFamily("leafspace_cache_size", "Kept warm now.", labels=["cache"])
        for name, (n_hits, n_misses, n_warm) in self._counts().items():
            hits.add_metric([name], n_hits)
            misses.add_metric([name], n_misses)
            size.add_metric([name], n_warm)
        yield from (hits, misses, size)

    def describe(self) -> Iterator[Metric]:
        return iter(())


@dataclass(slots=True)
class _State:
    """The state of rows, Redis and the disk when they were last read."""

    has_database: bool = False
    jobs: JobCounts | None = None  # None: they could not be counted
    n_workers: int | None = None  # None: Redis did not answer
    n_removed: dict[str, int] = field(default_factory=dict)
    n_free_bytes: int = 0
    has_objects: bool = False
    n_source_cache_bytes: int = 0


class _Dependencies(Collector):
    """What this process depends on, the same for every API process: jobs, workers, database, Redis, disk."""

    def __init__(self, context: AppContext, ended: EndedJobs, clock: Callable[[], float]) -> None:
        self._context = context
        self._clock = clock
        self._ended = ended
        self._registry = CollectorRegistry()
        text = "Seconds from the last start of a job to its end, for jobs that ended while this process ran."
        labels, names = ["kind", "status"], {"buckets": _JOB_SECONDS, "registry": self._registry}
        self._job_seconds = Histogram("leafspace_job_seconds", text, labels, **names)  # type: ignore[arg-type]
        self._state = _State()
        self._read_at: float | None = None

    def collect(self) -> Iterator[Metric]:
        now = self._clock()
        if self._read_at is None or now - self._read_at >= _FRESH_SECONDS:
            self._state, self._read_at = self._read(), now
        yield from _jobs(self._state.jobs)
        yield from self._registry.collect()
        yield from _dependencies(self._state)
        yield InfoMetricFamily("leafspace_build", "The version that runs here.", {"version": version("leafspace")})

    def describe(self) -> Iterator[Metric]:
        return iter(())

    def _read(self) -> _State:
        n_free_bytes = shutil.disk_usage(self._context.settings.data_dir).free
        state = _State(n_free_bytes=n_free_bytes, has_objects=self._context.objects_available())
        # Checked as for readiness: open connections would go on reading a file that was moved away.
        state.has_database = self._context.health.wait_for_health().database_fault is None
        if state.has_database:
            with suppress(StorageError):
                state.jobs = count_jobs(self._context.background_database)
                for job in self._ended.new_ones():
                    self._job_seconds.labels(job.kind, job.status).observe(job.seconds)
        if self._context.objects.sources.roots.allowed:
            state.n_source_cache_bytes = self._context.objects.sources.cache.size_bytes()
        if self._context.redis_available():
            heartbeats = self._context.heartbeats
            state.n_workers, state.n_removed = heartbeats.n_workers(), heartbeats.n_removed()
        return state


def _jobs(counts: JobCounts | None) -> Iterator[Metric]:
    if counts is None:
        return
    family = GaugeMetricFamily("leafspace_jobs", "Jobs by kind and status, by their rows.", labels=["kind", "status"])
    for (kind, status), number in sorted(counts.n_by_kind.items()):
        family.add_metric([kind, status], number)
    yield family
    n_queued = sum(number for (_, status), number in counts.n_by_kind.items() if status == "queued")
    yield GaugeMetricFamily("leafspace_queue_depth", "Jobs that wait for a worker.", n_queued)
    text = "Seconds for which the oldest of them has been waiting."
    yield GaugeMetricFamily("leafspace_oldest_queued_seconds", text, counts.oldest_queued_seconds)
    text = "Jobs that a living worker is doing."
    yield GaugeMetricFamily("leafspace_busy_workers", text, counts.n_busy_workers)


def _dependencies(state: _State) -> Iterator[Metric]:
    text = "Whether rows can be read and written."
    yield GaugeMetricFamily("leafspace_database_up", text, float(state.has_database))
    is_up = state.n_workers is not None
    yield GaugeMetricFamily("leafspace_redis_up", "Whether Redis answers.", float(is_up))
    yield GaugeMetricFamily("leafspace_object_store_up", "Whether the object store answers.", float(state.has_objects))
    if state.n_workers is not None:
        text = "Workers that showed a sign of life in the last 15 seconds."
        yield GaugeMetricFamily("leafspace_workers", text, state.n_workers)
    removed = CounterMetricFamily("leafspace_removed", "What retention has cleared away.", labels=["what"])
    for what, number in sorted(state.n_removed.items()):
        removed.add_metric([what], number)
    yield removed
    yield GaugeMetricFamily("leafspace_data_free_bytes", "Room where the data directory is.", state.n_free_bytes)
    text = "What is kept here of the files of datasets by reference."
    yield GaugeMetricFamily("leafspace_source_cache_bytes", text, state.n_source_cache_bytes)


def _processes(records: RequestRecords | HostCounts) -> CollectorRegistry:
    """Return memory, processor and files of this process, or of all of the host."""
    if isinstance(records, HostCounts):
        return _registry_of(_Processes(records))
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    return registry


class _Processes(Collector):
    """Memory, processor and files of all API processes of the host, added up."""

    def __init__(self, counts: HostCounts) -> None:
        self._counts = counts

    def collect(self) -> Iterator[Metric]:
        processes = self._counts.all_processes()
        families = [
            ProcessCollector(pid=partial(int, counts.pid), registry=None).collect()
            for counts in processes
            if counts.pid
        ]
        for together in zip(*families, strict=False):  # one that ends meanwhile has none
            family = together[0]
            name, labels, *_ = family.samples[0]
            values = [other.samples[0].value for other in together]
            total = min(values) if name in _OF_ONE_PROCESS else sum(values)
            if name == "process_cpu_seconds_total":  # those that have ended count, too
                total = sum(counts.cpu_seconds for counts in processes)
            family.samples = [Sample(name, labels, total)]
            yield family

    def describe(self) -> Iterator[Metric]:
        return iter(())


def _registry_of(collector: Collector) -> CollectorRegistry:
    registry = CollectorRegistry(auto_describe=False)
    registry.register(collector)
    return registry
