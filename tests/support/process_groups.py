"""Which test files go to the same process, because they share what is costly to make.

Files that use the shared service (``conftest.py``) go to two processes: two services are started, warmed and given
their models, rather than one for each process. Files on storage go to one, with its PostgreSQL and its S3 server; those
on workers to one, with the process from which it forks them; those on jobs to one, with what they have registered.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path

from .record_seconds import seconds_of_files

_SERVICES = ("service 1", "service 2")
_LAST = "tests/contract/test_schema_conformance.py"  # of its group: it deletes what it finds
_OF_FOLDERS = {"storage": "storage/**/test_*.py", "workers": "workers/test_*.py", "jobs": "workers/jobs/test_*.py"}
_WITH_KEYS = (
    "tests/contract/test_keys.py",
    "tests/contract/test_explainer_names.py",
    "tests/contract/test_label_decisions.py",
    "tests/contract/test_stored_explanations.py",
    "tests/page/test_login.py",
    "clients/python/tests/test_api_keys.py",
)
_WITH_THE_PAGE = ("page/test_page", "page/test_session")
_ON_SERVERS_OF_STORAGE = ("leafspace/test_backup_elsewhere", "leafspace/test_unusable_database")
_OF_SOURCES = (
    *(f"architecture/test_{name}" for name in ("layers", "house_rules", "names_resolve", "words")),
    "scripts/test_changed_tests",
)
_TOGETHER = dict.fromkeys(_WITH_KEYS, "guarded")
_TOGETHER |= {f"tests/{name}.py": _SERVICES[0] for name in _WITH_THE_PAGE}
_TOGETHER |= {f"tests/{name}.py": "storage" for name in _ON_SERVERS_OF_STORAGE}
_TOGETHER |= {f"tests/{name}.py": "sources" for name in _OF_SOURCES}
# A test or a fixture (helpers begin with an underscore) that takes what `conftest.py` makes of the shared service.
_USES = re.compile(
    r"^def [a-z]\w*\([^)]*\b(?:service: Service|api: Api|forest: Registered|client: Leafspace)\b", re.MULTILINE
)
_STARTS_ITS_OWN = re.compile(r"^def service\(", re.MULTILINE)


def groups_of_files(project: Path) -> dict[str, str]:
    """Return the group of each file that shares one, by its path in the project; each group goes to one process."""
    together = dict(_TOGETHER)
    for group, files in _OF_FOLDERS.items():
        together |= {str(file.relative_to(project)): group for file in (project / "tests").glob(files)}
    return together | _services_of_files(project)


def places_of_files(project: Path, files: Iterable[str]) -> dict[str, tuple[float, str, float]]:
    """Return by what files are to be sorted: the groups that take longest first, and their slowest files first."""
    groups, seconds = groups_of_files(project), seconds_of_files()
    names = set(files)
    of_groups: dict[str, float] = defaultdict(float)
    for file in names:
        of_groups[groups.get(file, file)] += seconds.get(file, 1.0)

    def place_of(file: str) -> tuple[float, str, float]:
        group = groups.get(file, file)
        return -of_groups[group], group, (math.inf if file == _LAST else -seconds.get(file, 1.0))

    return {file: place_of(file) for file in names}


def _services_of_files(project: Path) -> dict[str, str]:
    """Return the files that use the shared service, each with the group that has least to do so far."""
    seconds = seconds_of_files()
    to_do: dict[str, float] = defaultdict(float)
    for file, group in _TOGETHER.items():
        to_do[group] += seconds.get(file, 1.0)
    folders = (project / "tests", project / "clients/python/tests")
    using = [file for folder in folders for file in folder.rglob("test_*.py") if _uses_the_service(file)]
    names = {str(file.relative_to(project)) for file in using} - _TOGETHER.keys()
    found: dict[str, str] = {}
    for name in sorted(names, key=lambda name: (-seconds.get(name, 1.0), name)):
        found[name] = min(_SERVICES, key=lambda group: to_do[group])
        to_do[found[name]] += seconds.get(name, 1.0)
    return found


def _uses_the_service(file: Path) -> bool:
    source = file.read_text(encoding="utf-8")
    return bool(_USES.search(source)) and not _STARTS_ITS_OWN.search(source)
