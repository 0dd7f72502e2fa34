"""A kind of artefact is added to a copy of the project as CONTRIBUTING says: it works, and can be removed again."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.models import fitted

_ROOT = Path(__file__).parents[2]
_PACKAGES = ("sandbox", "schemas", "tree_explainers", "storage", "explanations", "service", "workers")
_EXAMPLE = Path(__file__).parent / "example_kind"
_FILES = {
    "schemas/row_counts.py": "schemas.py",
    "workers/jobs/row_counts.py": "jobs.py",
    "service/operations/row_counts.py": "operations.py",
    "service/routes/row_counts.py": "routes.py",
}
_BLOCK = re.compile(r"^In `(?P<file>[^`]+)`[^\n]*:\n\n```python\n(?P<code>.*?)```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the project's packages."""
    copy = tmp_path / "project"
    for package in _PACKAGES:
        shutil.copytree(_ROOT / package, copy / package)  # with its bytecode: nothing is translated again
    (copy / "model.onnx").write_bytes(fitted("random_forest_binary").onnx)
    return copy


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(project)}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def _failure(project: Path, *arguments: str) -> str:
    """Return the last line of what a program says that ends with an error."""
    ended = _run(project, *arguments)
    assert ended.returncode == 1, ended
    return ended.stderr.splitlines()[-1]


def _entries() -> dict[str, str]:
    """Return the code that CONTRIBUTING adds to each file."""
    text = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return {found["file"]: found["code"] for found in _BLOCK.finditer(text)}


def _declare(project: Path) -> None:
    path = project / "schemas/nouns.py"
    declaration = _entries()["schemas/nouns.py"]
    imports, _, noun = declaration.partition("\n\n")
    text = path.read_text(encoding="utf-8")
    for place, code in (
        ("\nMethod = ", f"\n{imports}\n\nMethod = "),
        ("\n\nclass Nouns(", f"\n\n{noun}\n\nclass Nouns("),
        ("    API_KEYS,\n)", "    API_KEYS,\n    ROW_COUNTS,\n)"),
    ):
        assert text.count(place) == 1, place
        text = text.replace(place, code)
    path.write_text(text, encoding="utf-8")


def _copy_files(project: Path) -> None:
    for target, source in _FILES.items():
        shutil.copy(_EXAMPLE / source, project / target)


def test_a_kind_is_added_by_its_entries_and_one_file_for_each_layer(project: Path) -> None:
    assert set(_entries()) == {"schemas/nouns.py"}
    _declare(project)
    _copy_files(project)

    shutil.copy(_EXAMPLE / "journey.py", project)  # beside the packages: they come first on its path
    made = _run(project, "journey.py", str(project))

    assert made.returncode == 0, made.stderr


@pytest.mark.long
def test_what_a_new_kind_lacks_is_named_and_a_kind_can_be_removed_again(project: Path) -> None:
    originals = {name: (project / name).read_bytes() for name in _entries()}

    _declare(project)
    shutil.copy(_EXAMPLE / "schemas.py", project / "schemas/row_counts.py")
    start = ("-c", "import service.main")
    assert "row_counts have no routes: write a router in service/routes/row_counts.py" in _failure(project, *start)
    estimate = ("-c", "from service.operations.job_estimates import kind_estimate; kind_estimate('row_counts')")
    missing = "jobs of row_counts have no estimate: declare ESTIMATE in service/operations/row_counts.py"
    assert missing in _failure(project, *estimate)
    load = ("-c", "from workers.job_kinds import *; load_job_kinds({'row_counts': JOB_KINDS['row_counts']})")
    missing = "jobs of row_counts have no function: write make_row_count in workers/jobs/row_counts.py"
    assert missing in _failure(project, *load)

    _copy_files(project)

    for target in _FILES:
        (project / target).unlink()
    for name, content in originals.items():
        (project / name).write_bytes(content)
    gone = _run(project, "-c", "import service.main as main; print(any('row-counts' in path for path in main._PATHS))")
    assert (gone.stdout, gone.stderr) == ("False\n", "")
