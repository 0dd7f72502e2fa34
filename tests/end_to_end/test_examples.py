"""The examples run against a service, and show what they promise."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.serving import Service

_EXAMPLES = Path(__file__).parents[2] / "examples"


def _run(name: str, service: Service, folder: Path) -> str:
    ended = subprocess.run(  # the project's own example
        [sys.executable, str(_EXAMPLES / name)],
        cwd=folder,
        env={**os.environ, "LEAFSPACE_URL": service.url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


@pytest.mark.long
def test_the_example_finds_most_labels_that_were_flipped(service: Service, tmp_path: Path) -> None:
    *suspects, estimated, found, memorised, caution = _run("label_audit.py", service, tmp_path).splitlines()

    assert len(suspects) == 5
    assert all("is labelled" in line for line in suspects)
    number, low, high = (int(each) for each in re.findall(r"\d+", estimated))
    assert 28 / 1.5 < number < 28 * 1.5
    assert low <= 28 <= high
    assert int(found.split(" of ")[0]) >= 24
    assert memorised.startswith("a forest that learned all labels by heart: ")
    assert caution.startswith("caution: the model predicts 100")


@pytest.mark.long
def test_the_planted_concept_is_found_in_several_tables_and_printed_as_sql(service: Service, tmp_path: Path) -> None:
    pytest.importorskip("pandas")

    printed = _run("several_tables.py", service, tmp_path)

    lines = [line.strip() for line in printed.splitlines()]
    assert "has an account of kind credit with more than 2 transactions of kind cash?" in lines
    assert any("status returned with amount above 3" in line for line in lines)
    assert """WHERE COALESCE(x1g1.v, 0) > 2.5 AND x1."kind" = 'credit'""" in printed
    (is_right,) = [line for line in lines if line.startswith("The SQL is right about ")]
    assert float(is_right.split()[5].rstrip("%")) > 99
    assert "has an account of kind credit with more than 2 transactions of kind cash" in lines  # a reason


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("first_explanation.py", "represents"),
        ("data_frames_and_pipelines.py", "square_metres"),
        ("many_rows_at_once.py", "least like any prototype"),
        ("questionnaire.py", "of 13 measurements"),
    ],
)
def test_other_examples_run(name: str, expected: str, service: Service, tmp_path: Path) -> None:
    pytest.importorskip("pandas")

    assert expected in _run(name, service, tmp_path)


@pytest.mark.long
def test_the_readme_shows_what_comes_out(service: Service, tmp_path: Path) -> None:
    readme = (_EXAMPLES.parent / "README.md").read_text(encoding="utf-8")
    shown = re.findall(r"```\n(Row 512: .*?) …\n```", readme, re.DOTALL)

    printed = _run("what_comes_out.py", service, tmp_path)

    assert [" ".join(sample.split()) in " ".join(printed.split()) for sample in shown] == [True]


def test_every_example_is_run_by_a_test() -> None:
    tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
    run_by_the_readme = {"breast_cancer_files.py"}

    assert {path.name for path in _EXAMPLES.glob("*.py") if path.name not in tests} <= run_by_the_readme
