"""The table of the dearest requests: what each route was found to cost at most."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("table.json")
"""Written by ``benchmarks/costly_requests.py``."""


@dataclass(frozen=True)
class Entry:
    """The dearest request of a route."""

    route: str
    recipe: str
    status: int  # of the answer
    seconds: float  # of one processor
    answer_bytes: int
    wait_seconds: float  # the longest for an answer of `/livez` meanwhile


def read_table() -> list[Entry]:
    """Return the entries."""
    return [Entry(**entry) for entry in json.loads(TABLE.read_text(encoding="utf-8"))]


def write_table(entries: Sequence[Entry]) -> None:
    """Write the entries, each in a line."""
    lines = (json.dumps(asdict(entry)) for entry in entries)
    TABLE.write_text("[\n" + ",\n".join(lines) + "\n]\n", encoding="utf-8")
