"""Record what each test file took of processors, by which the slowest are run first.

``python -m pytest --junitxml=run.xml …`` and then ``python -m tests.support.record_seconds run.xml``.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree as ET

from .processor_seconds import PROPERTY

_PROJECT = Path(__file__).parents[2]
_SECONDS_OF_FILES = _PROJECT / "tests" / "seconds_of_files.json"
_LEAST_SECONDS = 2.0  # of those that are worth a line


def seconds_of_files() -> dict[str, float]:
    """Return the recorded processor seconds of each file, by its path in the project; of quick ones there are none."""
    found: dict[str, float] = json.loads(_SECONDS_OF_FILES.read_text())
    return found


def measured_seconds(run: str) -> dict[str, float]:
    """Return the seconds of each file in a run, by its path in the project, as ``--junitxml`` has written them."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ET.parse(run).iter("testcase"):  # noqa: S314  # our own file
        seconds[f"{case.get('classname', '').replace('.', '/')}.py"] += _seconds_of(case)
    return seconds


def main() -> None:
    """Write the table."""
    seconds = measured_seconds(sys.argv[1])
    table = {file: round(total) for file, total in sorted(seconds.items()) if total >= _LEAST_SECONDS}
    _SECONDS_OF_FILES.write_text(json.dumps(table, indent=1) + "\n")


def _seconds_of(case: ET.Element) -> float:
    values = (each.get("value", "0") for each in case.iter("property") if each.get("name") == PROPERTY)
    return sum(map(float, values))


if __name__ == "__main__":
    main()
