"""The sandbox: the rights that the child gives up before it reads anything that a caller sent.

``confine`` sets limits of memory, time, files and priority, none of which can be raised again. ``lock_in`` follows once
the libraries are loaded: from then on the child sees those, its upload's folder, and nothing else; no network, no
program and no other process (``landlock``, ``seccomp``).
"""

import ctypes
import os
import resource
import signal
import sys
import sysconfig
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from . import landlock, seccomp
from .messages import Confinement

_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_FIRST_TO_GO, _BEFORE_JOBS = 1000, 900

_OWN_PACKAGES = ("sandbox", "service", "storage", "schemas", "tree_explainers")
# What the C library, Arrow and onnxruntime open when they are first used.
_OF_THE_SYSTEM = (
    "/lib",
    "/lib64",
    "/usr/lib",
    "/usr/lib64",
    "/usr/local/lib",
    "/usr/share/zoneinfo",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/sys/devices/system",
    "/dev/null",
    "/dev/urandom",
)


def confine(limits: Confinement) -> None:
    """Set the limits; none of them can be raised again by this process."""
    _die_with(limits.parent)
    _be_ended_with_score(_FIRST_TO_GO)
    os.nice(limits.nice)
    limit(resource.RLIMIT_CORE, 0)
    limit(resource.RLIMIT_CPU, limits.n_cpu_seconds)
    limit(resource.RLIMIT_FSIZE, limits.n_file_bytes)
    limit(resource.RLIMIT_NOFILE, limits.n_open_files)
    # Counts what is written to (heap, stacks), not what is mapped: libraries map far more than they use.
    limit(resource.RLIMIT_DATA, limits.n_memory_bytes)


def lock_in(folder: Path) -> None:
    """Let this process read the libraries, and read and write the folder; no network, no other process.

    The compiled loops are among the libraries, where the environment says where they are.

    Where the kernel lacks one of both means, the other one holds alone: ``missing`` names it.
    """
    readable = [*map(Path, _OF_THE_SYSTEM), *_library_folders()]
    loops = Path(os.environ.get("NUMBA_CACHE_DIR", "/nowhere"))
    readable += [loops] if loops.is_dir() else []
    landlock.allow_only({**dict.fromkeys(readable, landlock.READ), folder: landlock.READ_AND_WRITE})
    seccomp.refuse_calls()


def missing() -> list[str]:
    """Return the means that this machine lacks, by name."""
    return [
        name
        for name, is_there in (("landlock", landlock.version() > 0), ("seccomp", seccomp.is_available()))
        if not is_there
    ]


def go_before_jobs() -> None:
    """Have the kernel end this process rather than a server or a job when the machine runs out of memory."""
    _be_ended_with_score(_BEFORE_JOBS)


def _be_ended_with_score(score: int) -> None:
    with suppress(OSError):  # not everywhere
        Path("/proc/self/oom_score_adj").write_text(str(score))


def limit(kind: int, value: int) -> None:
    """Limit a resource (``RLIMIT_…``) of this process for good."""
    highest = resource.getrlimit(kind)[1]
    if highest != resource.RLIM_INFINITY:
        value = min(value, highest)
    resource.setrlimit(kind, (value, value))


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None, use_errno=True).prctl
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    # The parent may have ended before the signal was requested.
    if os.getppid() != parent:
        os._exit(1)


def _library_folders() -> list[Path]:
    """Return where modules are, package by package for our own: other files may lie beside them."""
    paths = sysconfig.get_paths()
    libraries = {Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    libraries.add(Path(sys.base_prefix) / "lib")
    for name in _OWN_PACKAGES:
        spec = find_spec(name)
        libraries.update(Path(path) for path in (spec.submodule_search_locations or () if spec else ()))
    return sorted(libraries)
