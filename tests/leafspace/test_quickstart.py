"""The quickstart starts everything, explains one prediction, and leaves nothing behind."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from leafspace.cli import main
from leafspace.quickstart_report import compact_json
from tests.support.patience import PATIENCE_SECONDS


def _quickstart(folder: Path, **environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "leafspace", "quickstart"],
        cwd=folder,
        env={**os.environ, "TMPDIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_SECONDS,
    )


def _processes_in(folder: Path) -> list[str]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if str(folder).encode() in command:
            found.append(process.name)
    return found


@pytest.mark.long  # seven seconds of a processor; .ci/run runs it
def test_the_quickstart_explains_one_prediction_and_leaves_nothing_behind(tmp_path: Path) -> None:
    # What is set for a service elsewhere is not meant for this one.
    finished = _quickstart(tmp_path, LEAFSPACE_REDIS_URL="redis://127.0.0.1:1", LEAFSPACE_DATA_DIR="/nowhere")

    assert finished.returncode == 0, finished.stderr
    explanation = json.loads(finished.stdout[finished.stdout.index("{\n") : finished.stdout.rindex("}") + 1])
    assert explanation["prediction"]["label"] == "malignant"
    assert explanation["summary"] in " ".join(finished.stdout.split("What the new tumour")[0].split())
    reasons = explanation["nearest_prototypes"][0]["reasons"]
    assert len(reasons) == 5
    assert all(reason["feature"] in finished.stdout.split("The same as JSON")[0] for reason in reasons)
    assert "…" not in finished.stdout  # the table has room for whole values at 80 columns
    assert list(tmp_path.iterdir()) == []
    assert _processes_in(tmp_path) == []


def test_the_command_line_lists_its_commands_in_whole_sentences() -> None:
    printed = CliRunner().invoke(main, ["--help"], terminal_width=80).output
    commands = printed.partition("Commands:\n")[2].splitlines()

    assert len(commands) > 10
    assert [line for line in commands if not line.endswith(".") or "..." in line] == []


def test_a_quickstart_that_cannot_start_says_why(tmp_path: Path) -> None:
    (tmp_path / "service").mkdir()
    (tmp_path / "service" / "__init__.py").write_text("raise SystemExit('broken on purpose')")
    (tmp_path / "numpy.py").write_text("raise SystemExit('broken on purpose')")

    finished = _quickstart(tmp_path, PYTHONPATH=str(tmp_path))

    assert finished.returncode == 1
    assert "broken on purpose" in finished.stderr
    assert _processes_in(tmp_path) == []


def test_json_has_a_line_for_whatever_holds_nothing_else() -> None:
    value = {"a": [{"b": 1, "c": []}, {"b": 2, "c": [3]}], "d": {}, "e": [1, 2]}

    text = compact_json(value)

    assert json.loads(text) == value
    assert '  {"b": 1, "c": []},' in text.splitlines()
