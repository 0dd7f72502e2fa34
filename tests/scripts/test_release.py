"""Faults of distributions are found, and pages of the manual run as they stand."""

import re
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from scripts.release.building import ROOT, ReleaseError
from scripts.release.contents import changelog_faults, faults_of_files
from scripts.release.trial import run_page

_FOLDER, _FOLDER_ON_A_MAC = (f"/{folder}/ann/" for folder in ("home", "Users"))
Pack: TypeAlias = Callable[[Path, dict[str, str]], Path]
_GOOD = {"thing/code.py": "x = 1\n", "thing-0.1.0.dist-info/licenses/LICENSE": "Apache"}


def _wheel(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "thing-0.1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in files.items():
            wheel.writestr(name, text)
    return path


def _archive(folder: Path, files: dict[str, str]) -> Path:
    path = folder / "thing-0.1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        for name, text in files.items():
            (folder / "member").write_text(text)
            archive.add(folder / "member", name)
    return path


@pytest.mark.parametrize("pack", [_wheel, _archive])
@pytest.mark.parametrize(
    ("files", "fault"),
    [
        ({"thing/tests/test_code.py": ""}, "thing/tests/test_code.py, which is no part of a release"),
        ({"thing/__pycache__/code.pyc": ""}, "no part of a release"),
        ({"thing/log.txt": f"opened {_FOLDER}thing/log.txt"}, f"names a folder of a machine: {_FOLDER}"),
        ({"thing/RECORD": f"at {_FOLDER_ON_A_MAC}thing/code.py"}, f"names a folder of a machine: {_FOLDER_ON_A_MAC}"),
    ],
)
def test_what_is_no_part_of_a_release_is_found(pack: Pack, files: dict[str, str], fault: str, tmp_path: Path) -> None:
    assert list(faults_of_files(pack(tmp_path, _GOOD))) == []

    (sentence,) = faults_of_files(pack(tmp_path, _GOOD | files))

    assert fault in sentence


def test_a_distribution_without_a_licence_is_found(tmp_path: Path) -> None:
    (sentence,) = faults_of_files(_wheel(tmp_path, {"thing/code.py": ""}))
    assert sentence.endswith("has no LICENSE")


@pytest.mark.parametrize(
    ("heading", "fault"),
    [
        ("## 0.2.0 (2027-01-31)", None),
        ("## 0.2.0 (unreleased)", "gives version 0.2.0 no date: unreleased"),
        ("## 0.1.0 (2026-11-29)", "does not begin with version 0.2.0"),
        ("", "does not begin with version 0.2.0"),
    ],
)
def test_a_changelog_begins_with_the_version_and_its_date(heading: str, fault: str | None) -> None:
    faults = changelog_faults(f"# Changelog\n\n{heading}\n\n- A line.\n\n## 0.0.9 (2026-01-01)\n", "0.2.0")
    assert [bool(fault and fault in sentence) for sentence in faults] == ([True] if fault else [])


def test_every_dependency_has_its_reason() -> None:
    lines = (ROOT / "requirements/runtime.in").read_text(encoding="utf-8").splitlines()[1:]
    assert [line for line in lines if not re.fullmatch(r"[^#]+  # \S.{8,}", line)] == []


def test_the_checklist_is_there_to_be_printed() -> None:
    _, heading, checklist = (ROOT / "RELEASING.md").read_text(encoding="utf-8").partition("## Signed off by a person\n")
    assert heading
    assert len(re.findall(r"^- \[ \] ", checklist, re.MULTILINE)) >= 8


@pytest.mark.long  # two services start
def test_a_page_of_the_manual_runs_as_it_stands(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "Words.\n\n```python\nfrom leafspace_client import Leafspace\n\n"
        'client = Leafspace("http://127.0.0.1:8000")\n```\n\nMore words.\n\n'
        "```python\nprint(list(client.models.list()))\n```\n"
    )
    environment = Path(sys.prefix)

    assert run_page(environment, page, tmp_path) == 2

    page.write_text(page.read_text().replace("models.list", "models.liszt"))
    with pytest.raises(ReleaseError, match="liszt"):
        run_page(environment, page, tmp_path)


def test_a_page_without_code_is_not_passed_over(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("Words.\n\n```sh\nleafspace serve\n```\n")

    with pytest.raises(ReleaseError, match="no block of Python"):
        run_page(Path(sys.prefix), page, tmp_path)
