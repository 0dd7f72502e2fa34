"""What a benchmark ran on."""

import os
import platform
from importlib.metadata import version


def describe_machine() -> str:
    """Return one line: processor, cores, Python and the libraries that matter."""
    libraries = ", ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime", "scikit-learn", "fastapi"))
    return f"{_processor()}, {os.cpu_count()} cores, Python {platform.python_version()}, {libraries}"


def _processor() -> str:
    with open("/proc/cpuinfo") as file:  # noqa: PTH123  # a line of it
        names = [line.split(":", 1)[1].strip() for line in file if line.startswith("model name")]
    return names[0] if names else platform.machine()
