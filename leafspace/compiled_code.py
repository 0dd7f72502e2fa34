"""The cache of compiled loops: one per user and state of the code, shared by all services, clones and tests.

Numba compiles a loop again when the loop's own file has changed, but not when another file has changed of which a
function was compiled into it. Hence the folder's name is a hash of all the code: no upgrade runs old mathematics. Nor
does numba load what another kind of processor compiled, so the hash is of the processor, too: a home directory or an
image that several machines share is never taken for one that has all loops.
"""

import fcntl
import hashlib
import os
import platform
import sys
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from .loop_sources import begin_cache

_OF_PROCESSOR = ("cpu family", "model", "stepping", "flags", "CPU part", "Features")  # in Linux' list
_PRIMED = "primed"  # in a cache that holds all loops
_PACKAGES = (
    "observability",
    "sandbox",
    "schemas",
    "tree_explainers",
    "storage",
    "explanations",
    "service",
    "workers",
    "leafspace",
    "leafspace_drawings",
)
_SOURCES = Path(__file__).parents[1] / "tree_explainers"


def prime(data_dir: Path) -> Path:
    """Compile all loops into the cache, unless that has been done, and modules to bytecode; return the cache.

    It takes some two minutes of processor time, on up to four cores, and no time if it has been done. Processes
    that call it at the same time wait for the first one.

    Parameters
    ----------
    data_dir
        The data directory, for users without a home directory.
    """
    cache = Path(os.environ.setdefault("NUMBA_CACHE_DIR", str(cache_dir(data_dir))))
    cache.mkdir(mode=0o700, parents=True, exist_ok=True)
    with (cache / "priming.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (cache / _PRIMED).exists():
            # Imported late: numba reads the environment when it is imported.
            from storage.settings import memory_bytes
            from tree_explainers.warm import compile_loops_at_once

            compile_loops_at_once(memory_bytes(), for_jobs=True)
            (cache / _PRIMED).touch()
    import compileall  # late, as the starts of services need no compiler

    for package in filter(None, map(find_spec, _PACKAGES)):
        # Editable installs have none, and where Python may write none, each process would compile all modules.
        for folder in package.submodule_search_locations or ():
            compileall.compile_dir(folder, quiet=2)
    return cache


def cache_dir(data_dir: Path) -> Path:
    """Return the folder of compiled code for this state of the code: below the user's caches, for the user alone.

    Without a home directory that can be written, or if the folder there belongs to another user, it is below the data
    directory: numba's index files are pickles, and another user's must not be read.
    """
    base = os.environ.get("XDG_CACHE_HOME", "")
    stamp = code_stamp()
    try:
        cache = (Path(base) if Path(base).is_absolute() else Path.home() / ".cache") / "leafspace"
        cache.mkdir(mode=0o700, parents=True, exist_ok=True)
        is_ours = cache.stat().st_uid == os.getuid() and os.access(cache, os.W_OK)
        if is_ours:
            cache.chmod(0o700)
    except (OSError, RuntimeError):  # nowhere to write, or a user without a home
        is_ours = False
    folder = (cache if is_ours else data_dir / "cache") / stamp
    begin_cache(folder)
    return folder


def code_stamp(folder: Path = _SOURCES) -> str:
    """Return a hash of all the code that is compiled, of what compiles it, and for which processor."""
    digest = hashlib.sha256(f"{sys.version_info[:2]} {version('numba')} {_processor()}".encode())
    for source in sorted(folder.rglob("*.py")):
        digest.update(f"{source.relative_to(folder)}\0".encode() + source.read_bytes())
    return digest.hexdigest()[:16]


def _processor() -> str:
    """Return what numba compiles for: the kind of processor with its instructions, or what the environment names."""
    named = [os.environ.get(name, "") for name in ("NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES")]
    try:
        first, _, _ = Path("/proc/cpuinfo").read_text().partition("\n\n")
    except OSError:  # not Linux
        first = platform.processor()
    described = [line for line in first.splitlines() if line.startswith(_OF_PROCESSOR)] or [first]
    return "\n".join([platform.machine(), *named, *described])
