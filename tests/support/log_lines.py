"""Lines of a service's log, as a collector reads them."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .patience import PATIENCE_SECONDS


def log_lines(log: Path) -> list[dict[str, Any]]:
    """Return the lines that are JSON: all but those of a server that is not ours."""
    lines = log.read_text().splitlines() if log.exists() else []
    return [json.loads(line) for line in lines if line.startswith("{")]


def wait_for_line(
    log: Path, is_meant: Callable[[dict[str, Any]], bool], seconds: float = PATIENCE_SECONDS
) -> dict[str, Any]:
    """Return the first such line, as soon as it is written."""
    until = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < until:
        for line in log_lines(log):
            if is_meant(line):
                return line
        time.sleep(0.05)
    message = f"no such line in {log.read_text()}"
    raise AssertionError(message)
