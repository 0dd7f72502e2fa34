"""What a worker of the cluster does when it starts: Dask calls ``dask_setup``."""

from dask.sizeof import sizeof
from distributed import Worker

from storage.without_pandas import keep_pandas_out
from tree_explainers.compute.compiled import load_compiler
from tree_explainers.compute.threads import limit_cores
from tree_explainers.leaf_space.leaves import LeafTable

_LIST_BYTES = 4  # of a row in the list of a leaf


@sizeof.register(LeafTable)  # type: ignore[untyped-decorator]  # Dask ships no types
def _table_bytes(table: LeafTable) -> int:
    """Return what a table takes with the lists that are made when they are needed: spilling is to begin in time."""
    return int(table.codes.nbytes + table.starts.nbytes + _LIST_BYTES * table.codes.size)


def dask_setup(worker: Worker) -> None:  # Dask passes it
    """Have each task use one core: Dask runs as many at once as the worker has threads; load what loops take."""
    keep_pandas_out()
    load_compiler()
    limit_cores(1)
