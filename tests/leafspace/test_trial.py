"""``leafspace try``: a file of ONNX and a file of rows become a report, or a page that is shown until Ctrl-C."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.api import csv_of, frame_of
from tests.support.models import fitted
from tests.support.processes import children_of

_COMMAND = (sys.executable, "-m", "leafspace", "try")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return a model that is a matrix without names, and its rows."""
    model, folder = fitted("random_forest_binary"), tmp_path_factory.mktemp("trial")
    onnx, rows = folder / "tumours.onnx", folder / "rows.csv"
    onnx.write_bytes(model.onnx)
    rows.write_bytes(csv_of(frame_of(model).rename(columns={"f0": "radius"})))
    return onnx, rows


@pytest.mark.long
def test_a_report_is_written_and_nothing_is_left_running(files: tuple[Path, Path], tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    command = [*_COMMAND, *map(str, files), "--target", "t", "--report", str(target)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # ours
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == str(target)
    html = target.read_text(encoding="utf-8")
    assert "tumours on rows" in html
    assert "radius" in html


@pytest.mark.long
def test_the_page_is_served_until_ctrl_c(files: tuple[Path, Path]) -> None:
    command = [*_COMMAND, *map(str, files), "--target", "t", "--no-browser"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # ours
    assert process.stdout is not None
    address = process.stdout.readline()
    assert "/ui/#/models/mdl_" in address
    assert children_of(process.pid)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate()
    assert process.returncode == 0
    assert "is gone" in said


def test_what_is_refused_is_said_in_a_sentence(tmp_path: Path) -> None:
    command = [*_COMMAND, str(tmp_path / "nothing.onnx"), str(tmp_path / "nothing.csv")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)  # ours
    assert ended.returncode == 2
    assert "does not exist" in ended.stderr
