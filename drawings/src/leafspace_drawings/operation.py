"""The operation of a service: what it depends on, its queue, what failed, its disk, its keys, what is cleared away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .links import Links
from .pictures import address_of
from .templating import render
from .words import number

Json = Mapping[str, Any]

_LASTING = {
    "artefact_days": "results that no explainer uses",
    "failed_artefact_days": "results that failed or were cancelled",
    "job_days": "jobs that have ended",
    "explanation_days": "stored explanations",
    "idempotency_days": "idempotency keys",
    "unused_input_days": "models and datasets that nothing uses",
}
_LEAF_TABLES = "leaf_table_bytes"


@dataclass(frozen=True, slots=True)
class Operation:
    """What a service can say about itself."""

    version: str
    faults: Sequence[str]  # what is not available: database, redis, objects, disk
    n_workers: int | None  # None: Redis is away
    n_jobs: Mapping[str, int]  # by status
    oldest_queued_seconds: float
    failed: Sequence[Json]  # jobs, newest first
    free_bytes: int
    disk_bytes: int
    model_bytes: int
    dataset_bytes: int
    keys: Sequence[Json] | None  # newest first; None: the caller may not see them
    are_keys_required: bool
    rules: Mapping[str, float | None] | None  # of a worker; None: none lives
    removed: Mapping[str, int]  # what was cleared away since Redis began, by kind
    now: str  # as times of the API are written
    links: Links = field(default_factory=Links)

    @property
    def lasting(self) -> list[tuple[str, str]]:
        """What is kept, and how long."""
        rules = self.rules or {}
        listed = [(words, _days(rules[name])) for name, words in _LASTING.items() if name in rules]
        if _LEAF_TABLES in rules:
            size = rules[_LEAF_TABLES]
            listed.append(("leaf tables, the oldest go first", "all" if size is None else f"{in_bytes(size)} together"))
        return listed

    def is_expired(self, key: Json) -> bool:
        """Whether nobody is let in by a key any more."""
        return key["expires_at"] is not None and key["expires_at"] <= self.now


def _days(days: float | None) -> str:
    return "for ever" if days is None else f"{days:g} {'day' if days == 1 else 'days'}"


def in_bytes(size: float) -> str:
    """Return a size with its unit, such as ``1.5 GiB``."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:  # of one unit in the next
            return f"{number(float(f'{size:.3g}'))} {unit}"
        size /= 1024
    return f"{number(float(f'{size:.3g}'))} TiB"


def draw_operation(of: Operation) -> str:
    """Return the drawing."""
    failed = [(job, address_of(job["artefact"], of.links) if job.get("artefact") else None) for job in of.failed]
    return render("operation", of=of, failed=failed, in_bytes=in_bytes)
