"""HostCounts: what all API processes of a host have counted, added up.

Each process writes its own numbers into the shared memory ten times a second, together with those of the processes that
had its index before. So counters only grow, whichever process is asked and whichever was killed; a kill loses a tenth
of a second. What happens now (requests under way, what is warm) counts only in processes that live.
"""

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from .admission.shared_memory import SharedMemory
from .middleware.telemetry.metering import RequestRecords, RouteRecord, uploads_in

CacheCounts = dict[str, tuple[int, int, int]]
"""Hits, misses and size of each cache."""


@dataclass
class ProcessCounts:
    """What one process has counted."""

    pid: int = 0  # 0: none that lives
    cpu_seconds: float = 0.0
    records: list[RouteRecord] = field(default_factory=list)
    caches: CacheCounts = field(default_factory=dict)

    def ended(self) -> "ProcessCounts":
        """Return what is left when the process has ended: counters, and nothing that happens now."""
        for record in self.records:
            record.n_in_flight = 0
        caches = {name: (n_hits, n_misses, 0) for name, (n_hits, n_misses, _) in self.caches.items()}
        return ProcessCounts(0, self.cpu_seconds, self.records, caches)

    def document(self) -> list[Any]:
        """Return it as JSON has it."""
        return [self.pid, self.cpu_seconds, [_row(record) for record in self.records], self.caches]

    @classmethod
    def of(cls, document: list[Any]) -> "ProcessCounts":
        """Return it from JSON; of a process that has ended, what is left."""
        pid, cpu_seconds, rows, caches = document
        counts = cls(pid, cpu_seconds, [_record(row) for row in rows], {n: tuple(c) for n, c in caches.items()})
        return counts if pid and os.path.exists(f"/proc/{pid}") else counts.ended()  # noqa: PTH110  # no path of ours


class HostCounts:
    """The counts of all processes, as one of them adds them up.

    Parameters
    ----------
    own
        The requests of this process.
    memory
        That of all processes.
    """

    def __init__(self, own: RequestRecords, memory: SharedMemory) -> None:
        self._own = own
        self._memory = memory
        self.caches: Callable[[], CacheCounts] = dict
        before = self._read(memory.index)
        self._before = ProcessCounts() if before is None else before.ended()

    def publish(self) -> None:
        """Write this process's numbers for the others."""
        region, counts = self._memory.counts(self._memory.index), self._counts_here()
        with region.locked():
            region.write_document(counts.document())

    def all_processes(self) -> list[ProcessCounts]:
        """Return the counts of each process, those of this one as of now."""
        others = (self._read(index) for index in range(self._memory.n_processes) if index != self._memory.index)
        return [self._counts_here(), *(counts for counts in others if counts is not None)]

    def all(self) -> tuple[RouteRecord, ...]:
        """Return the records of all routes of all processes."""
        return tuple(_added([record for counts in self.all_processes() for record in counts.records]))

    @property
    def n_uploads(self) -> int:
        """Number of uploads that are coming in or being read."""
        return uploads_in(self.all())

    def cache_counts(self) -> CacheCounts:
        """Return hits, misses and sizes of caches, added up."""
        return _added_caches([counts.caches for counts in self.all_processes()])

    def _counts_here(self) -> ProcessCounts:
        records = list(_added([*self._before.records, *self._own.all()]))
        cpu_seconds = self._before.cpu_seconds + time.process_time()
        return ProcessCounts(os.getpid(), cpu_seconds, records, _added_caches([self._before.caches, self.caches()]))

    def _read(self, index: int) -> ProcessCounts | None:
        region = self._memory.counts(index)
        with region.locked():
            document = region.document()
        return None if document is None else ProcessCounts.of(document)


def _added(records: list[RouteRecord]) -> Iterator[RouteRecord]:
    sums: dict[tuple[str, str], RouteRecord] = {}
    for record in records:
        total = sums.setdefault((record.method, record.route), RouteRecord(record.method, record.route))
        total.n_in_flight += record.n_in_flight
        total.n_by_status.update(record.n_by_status.copy())
        total.n_by_bucket = [a + b for a, b in zip(total.n_by_bucket, record.n_by_bucket, strict=True)]
        total.n_seconds += record.n_seconds
    return iter(sums.values())


def _added_caches(caches: list[CacheCounts]) -> CacheCounts:
    sums: CacheCounts = {}
    for counts in caches:
        for name, (n_hits, n_misses, size) in counts.items():
            hits_so_far, misses_so_far, size_so_far = sums.get(name, (0, 0, 0))
            sums[name] = (hits_so_far + n_hits, misses_so_far + n_misses, size_so_far + size)
    return sums


def _row(record: RouteRecord) -> list[Any]:
    statuses = record.n_by_status.copy()
    return [record.method, record.route, record.n_in_flight, statuses, record.n_by_bucket, record.n_seconds]


def _record(row: list[Any]) -> RouteRecord:
    record = RouteRecord(row[0], row[1])
    _, _, record.n_in_flight, statuses, record.n_by_bucket, record.n_seconds = row
    record.n_by_status = Counter({int(status): number for status, number in statuses.items()})
    return record
