"""The sandbox: once its libraries are loaded, the child sees them, its upload's folder, and nothing else."""

import sys
import sysconfig
from importlib.util import find_spec
from pathlib import Path

from . import landlock, seccomp

_OWN_PACKAGES = ("service", "storage", "schemas", "tree_explainers")
# What the C library, Arrow and onnxruntime look up when they are first used.
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


def lock_in(folder: Path) -> None:
    """Leave this process the libraries to read and the folder to read and write; no network, no other process.

    Where the kernel lacks a means, the other one holds alone: ``missing`` tells.
    """
    readable = [*map(Path, _OF_THE_SYSTEM), *_library_folders()]
    landlock.allow_only({**dict.fromkeys(readable, landlock.READ), folder: landlock.READ_AND_WRITE})
    seccomp.refuse_calls()


def missing() -> list[str]:
    """Return the means that this machine lacks, by name."""
    return [
        name
        for name, is_there in (("landlock", landlock.version() > 0), ("seccomp", seccomp.is_available()))
        if not is_there
    ]


def _library_folders() -> list[Path]:
    """Return where modules are, package by package for our own: other things may lie beside them."""
    paths = sysconfig.get_paths()
    libraries = {Path(paths[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    libraries.add(Path(sys.base_prefix) / "lib")
    for name in _OWN_PACKAGES:
        spec = find_spec(name)
        libraries.update(Path(path) for path in (spec.submodule_search_locations or () if spec else ()))
    return sorted(libraries)
