"""Where jobs run: in a worker's own process, or on a cluster, if there is one."""

from typing import Literal

from storage.errors import StorageError

from ..settings import ServiceSettings
from .job_estimates import JobEstimate

RunsOn = Literal["auto", "local", "cluster"]


def resolve_run_on(settings: ServiceSettings, estimate: JobEstimate, run_on: RunsOn) -> Literal["local", "cluster"]:
    """Return where a job runs, given what it would need in one process.

    What outgrows one process is estimated again as what the job's own process holds on the cluster: sums and samples,
    where rows stay with the workers.

    Raises
    ------
    StorageError
        ``cluster_not_configured`` where there is no cluster.
    """
    if run_on == "auto":
        outgrows = estimate.n_bytes > settings.job_memory_bytes
        return "cluster" if outgrows and settings.dask_scheduler is not None else "local"
    if run_on == "cluster" and settings.dask_scheduler is None:
        detail = "run_on is 'cluster', but LEAFSPACE_DASK_SCHEDULER names none; leave it out, or have it set"
        raise StorageError("cluster_not_configured", detail, "/run_on")
    return run_on
