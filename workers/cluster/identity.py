"""What must be the same in all processes that share a job, so that the same bytes come out of it."""

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from pathlib import Path

import llvmlite.binding

import explanations
import schemas
import storage
import tree_explainers

from .errors import ClusterRefusal

_LIBRARIES = ("leafspace", "numpy", "numba", "onnxruntime", "orjson", "pyarrow")
_PACKAGES = (explanations, schemas, storage, tree_explainers)
_N_DIGITS = 12


@cache
def identity() -> Mapping[str, str]:
    """Return versions, a hash of the code that runs on partitions, and a hash of what the processor can do."""
    processor = f"{platform.machine()} {llvmlite.binding.get_host_cpu_features().flatten()}"
    return {
        "code": _hash_of_code(),
        "python": ".".join(platform.python_version_tuple()[:2]),
        **{name: metadata.version(name) for name in _LIBRARIES},
        "processor": hashlib.sha256(processor.encode()).hexdigest()[:_N_DIGITS],
    }


def refuse_others(expected: Mapping[str, str], actual: Mapping[str, str], who: str) -> None:
    """Refuse a worker that is not like the job's process.

    Raises
    ------
    ClusterRefusal
        ``cluster_mismatch``, naming what differs, on both sides.
    """
    differing = [name for name, value in expected.items() if actual.get(name) != value]
    if differing:
        sides = "; ".join(f"{name} is {actual.get(name)} there and {expected[name]} here" for name in differing)
        advice = "give all workers of the cluster the image, and the kind of processor, that the service's workers have"
        raise ClusterRefusal("cluster_mismatch", f"{who} cannot give the same results: {sides}; {advice}")


def _hash_of_code() -> str:
    digest = hashlib.sha256()
    for package in _PACKAGES:
        root = Path(package.__path__[0])
        for path in sorted(root.rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:_N_DIGITS]
