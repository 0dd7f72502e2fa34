"""Record how long each test file took, by which the slowest are run first.

``python -m pytest --junitxml=run.xml …`` and then ``python -m tests.support.record_seconds run.xml``.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree as ET

_PROJECT = Path(__file__).parents[2]
_SECONDS_OF_FILES = _PROJECT / "tests" / "seconds_of_files.json"
_LEAST_SECONDS = 5.0  # of those that are worth a line


def seconds_of_files() -> dict[str, float]:
    """Return the recorded seconds of each file, by its path in the project; of quick ones there are none."""
    found: dict[str, float] = json.loads(_SECONDS_OF_FILES.read_text())
    return found


def main() -> None:
    """Write the table."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ET.parse(sys.argv[1]).iter("testcase"):  # noqa: S314  # our own file
        seconds[f"{case.get('classname', '').replace('.', '/')}.py"] += float(case.get("time", 0))
    table = {file: round(total) for file, total in sorted(seconds.items()) if total >= _LEAST_SECONDS}
    _SECONDS_OF_FILES.write_text(json.dumps(table, indent=1) + "\n")


if __name__ == "__main__":
    main()
