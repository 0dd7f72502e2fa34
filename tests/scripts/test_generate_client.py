"""The SDK's lower half is what the generator makes of the committed contract, wherever and by whomever it is run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.generate_client import client_contract

_ROOT = Path(__file__).parents[2]


def _check(**environment: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "scripts.generate_client", "--check"],
        cwd=_ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.long  # `make check` does it in the environment that there is
def test_the_callers_environment_makes_no_difference(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 40\n")

    checked = _check(PYTHONHASHSEED="7", PATH="/usr/bin:/bin", HOME=str(tmp_path), LC_ALL="C", TMPDIR=str(tmp_path))

    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_enumerations_of_answers_are_open_and_files_are_binary() -> None:
    contract = json.loads((_ROOT / "openapi.json").read_text(encoding="utf-8"))

    text = json.dumps(client_contract(contract))

    assert '"enum": ["' not in text
    assert '"format": "binary"' in text
    assert '"const": "model"' in text
