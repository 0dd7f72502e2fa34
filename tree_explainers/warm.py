"""Compile loops before they are needed: compiling one takes about a second, loading it from the cache milliseconds.

What is compiled goes into numba's cache (``NUMBA_CACHE_DIR``), from which other processes load it.
"""

from importlib import import_module

from .compute.compiled import compile_ahead

_ANSWER_REQUESTS = ("leaf_space.proximity_blocks", "prototype_sets.nearest", "prototype_sets.raw_units")


def compile_loops(*, for_jobs: bool) -> None:
    """Compile all loops that answer requests, or load them from the cache: afterwards no request compiles anything.

    Parameters
    ----------
    for_jobs
        Whether to compile the loops of jobs, too, by running each method once on a small example. It takes a minute
        where nothing is cached yet, and a few seconds otherwise.
    """
    for name in _ANSWER_REQUESTS:
        import_module(f".{name}", __package__)
    compile_ahead()
    if for_jobs:
        msg = "loops of jobs are compiled when a job first calls them"
        raise NotImplementedError(msg)
