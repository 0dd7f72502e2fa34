"""A kind of artefact is added to a copy of the project as CONTRIBUTING says: it works, and can be removed again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.models import fitted

_ROOT = Path(__file__).parents[2]
_MOST_FILES = 8  # by hand, beside mathematics and tests; its drawing is one of them
_PACKAGES = ("sandbox", "schemas", "tree_explainers", "storage", "explanations", "service", "workers", "drawings")
_EXAMPLE = Path(__file__).parent / "example_kind"
_FILES = {
    "schemas/row_counts.py": "schemas.py",
    "workers/jobs/row_counts.py": "jobs.py",
    "service/operations/row_counts.py": "operations.py",
    "drawings/src/leafspace_drawings/row_count.py": "drawings.py",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a copy of the project's packages."""
    copy = tmp_path / "project"
    for package in _PACKAGES:
        shutil.copytree(_ROOT / package, copy / package)  # with its bytecode: nothing is translated again
    (copy / "model.onnx").write_bytes(fitted("random_forest_binary").onnx)
    return copy


def _run(project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": f"{project}{os.pathsep}{project / 'drawings' / 'src'}"}
    command = [sys.executable, *arguments]
    return subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)


def _failure(project: Path, *arguments: str) -> str:
    """Return the last line of what a program says that ends with an error."""
    ended = _run(project, *arguments)
    assert ended.returncode == 1, ended
    return ended.stderr.splitlines()[-1]


def _copy_files(project: Path) -> None:
    for target, source in _FILES.items():
        shutil.copy(_EXAMPLE / source, project / target)


def test_a_kind_is_added_by_one_file_for_each_layer(project: Path) -> None:
    _copy_files(project)

    shutil.copy(_EXAMPLE / "journey.py", project)  # beside the packages: they come first on its path
    made = _run(project, "journey.py", str(project))

    assert made.returncode == 0, made.stderr


@pytest.mark.long
def test_what_a_new_kind_lacks_is_named_and_a_kind_can_be_removed_again(project: Path) -> None:
    shutil.copy(_EXAMPLE / "schemas.py", project / "schemas/row_counts.py")
    start = ("-c", "import service.main")
    missing = "row_counts have no routes: write request_row_count in service/operations/row_counts.py"
    assert missing in _failure(project, *start)
    estimate = ("-c", "from service.operations.job_estimates import kind_estimate; kind_estimate('row_counts')")
    missing = "jobs of row_counts have no estimate: declare ESTIMATE in service/operations/row_counts.py"
    assert missing in _failure(project, *estimate)
    load = ("-c", "from workers.job_kinds import *; load_job_kinds({'row_counts': JOB_KINDS['row_counts']})")
    missing = "jobs of row_counts have no function: write make_row_count in workers/jobs/row_counts.py"
    assert missing in _failure(project, *load)

    _copy_files(project)

    for target in _FILES:
        (project / target).unlink()
    gone = _run(project, "-c", "import service.main as main; print(any('row-counts' in path for path in main._PATHS))")
    assert (gone.stdout, gone.stderr) == ("False\n", "")


def test_contributing_names_at_most_eight_files_for_a_kind_and_among_them_those_that_are_added_here() -> None:
    section = (_ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Add a kind of artefact")[2]
    table = section.partition("| layer |")[2].partition("\n\n")[0]
    named = [cell.split("`")[1] for cell in (line.split("|")[2] for line in table.splitlines()[2:]) if "`" in cell]
    by_hand = [name for name in named if not name.startswith(("tests/", "tree_explainers/"))]

    assert set(_FILES) <= set(by_hand)
    assert len(by_hand) <= _MOST_FILES
