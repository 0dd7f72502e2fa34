"""The view of the service's operation."""

import shutil
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version

from leafspace_drawings import Operation, draw_operation

from storage.errors import StorageError
from storage.job_counts import JobCounts, count_jobs

from ..app_context import AppContext
from ..callers import Caller
from .documents import LINKS, Json, listed

_FAILED, _KEYS = 20, 200  # that are listed


def operation(context: AppContext, caller: Caller) -> str:
    """Draw what the service depends on, what failed, and, for a caller who manages keys, the keys."""
    health = context.health.wait_for_health()
    counts = JobCounts({}, 0.0, 0)
    failed: list[Json] = []
    keys: list[Json] | None = None
    model_bytes = dataset_bytes = 0
    with suppress(StorageError):  # the view says that the database is away
        counts = count_jobs(context.background_database)
        failed = listed(context.jobs.list(_FAILED, None, status="failed").data)
        model_bytes, dataset_bytes = context.models.total_bytes(), context.datasets.total_bytes()
        keys = listed(context.api_keys.list(_KEYS, None).data) if "admin" in caller.scopes else None
    n_by_status: dict[str, int] = {}
    for (_, status), number in counts.n_by_kind.items():
        n_by_status[status] = n_by_status.get(status, 0) + number
    disk = shutil.disk_usage(context.settings.data_dir)
    return draw_operation(
        Operation(
            version=version("leafspace"),
            faults=[*(["database"] if health.database_fault else []), *health.degraded],
            n_workers=context.heartbeats.n_workers(),
            n_jobs=n_by_status,
            oldest_queued_seconds=counts.oldest_queued_seconds,
            failed=failed,
            free_bytes=disk.free,
            disk_bytes=disk.total,
            model_bytes=model_bytes,
            dataset_bytes=dataset_bytes,
            keys=keys,
            are_keys_required=context.settings.keys_required,
            rules=context.heartbeats.rules(),
            removed=context.heartbeats.n_removed(),
            now=datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            links=LINKS,
        )
    )
