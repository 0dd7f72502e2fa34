"""The SDK's lower half is what the generator makes of the committed contract, wherever and by whomever it is run."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.generate_client import client_contract

_ROOT = Path(__file__).parents[2]
_MODELS = _ROOT / "clients/python/src/leafspace_client/_generated/models"


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


def test_members_of_unions_are_told_apart_by_the_field_that_says_so() -> None:
    contract = json.loads((_ROOT / "openapi.json").read_text(encoding="utf-8"))["components"]["schemas"]
    unions = {name: schema["discriminator"] for name, schema in contract.items() if "discriminator" in schema}
    assert {"Generator", "Prediction", "Explanation"} <= unions.keys()
    sources = [path.read_text(encoding="utf-8") for path in _MODELS.glob("*.py")]

    for name, discriminator in unions.items():
        members = discriminator["mapping"].items()
        for tag, reference in members:
            kind = reference.rpartition("/")[2]
            check = f'.get("{discriminator["propertyName"]}") != "{tag}"'
            tried = [each for source in sources for each in source.split("try:")[1:] if _first_parsed(each) == kind]
            assert all(check in each.split(".from_dict(")[0] for each in tried), (name, kind)


def _first_parsed(source: str) -> str | None:
    found = re.match(r"\s+if not isinstance\([^\n]+\n\s+raise TypeError\(\)\n\s+\w+ = (\w+)\.from_dict\(", source)
    return found[1] if found else None
