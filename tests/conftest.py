"""What holds for all tests: onnxruntime tells nobody about models; loops are compiled once for all processes."""

import os
from pathlib import Path

from leafspace.embedded import code_stamp

os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
# Shared with the services that tests start, which would otherwise compile the same loops again, in their own place.
_CACHE = Path(__file__).parents[1] / ".pytest_cache" / "numba"
os.environ.setdefault("NUMBA_CACHE_DIR", str(_CACHE / code_stamp()))
