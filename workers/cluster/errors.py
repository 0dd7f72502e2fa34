"""What a cluster cannot do, or refuses."""

from storage.errors import StorageError, StorageUnavailable


class ClusterRefusal(StorageError):
    """The cluster is there, and cannot do the job: ``cluster_mismatch``, ``cluster_worker_lost``, ``job_failed``."""


class ClusterAway(StorageUnavailable):
    """The scheduler does not answer, or has no worker: the job waits for it, and is not counted as tried."""

    thing = "the cluster"
