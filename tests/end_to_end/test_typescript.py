"""The session in TypeScript: its types are the contract's, it compiles without a cast, and a service answers it."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.serving import Service

_PROJECT = Path(__file__).parents[2]
_SESSION = _PROJECT / "examples/typescript"
_FILES = ("package.json", "package-lock.json", "generate.mjs", "tsconfig.json", "session.ts")
_CAST = (" as ", "any", "@ts-")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the session that was compiled against types of the contract as it is now."""
    folder = tmp_path_factory.mktemp("typescript")
    for name in _FILES:
        shutil.copy(_SESSION / name, folder)
    if shutil.which("npm") is None:
        pytest.skip("there is no npm: apt-get install nodejs npm")
    installed = _ended(folder, "npm", "ci", "--no-audit", "--no-fund")
    if installed.returncode:
        pytest.skip(f"npm cannot install what the session needs: {installed.stderr[-300:]}")
    _run(folder, "node", "generate.mjs", str(_PROJECT / "openapi.json"), "schema.d.ts")
    _run(folder, "npx", "--no-install", "tsc")
    return folder


def _ended(folder: Path, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, check=False, cwd=folder, capture_output=True, text=True)


def _run(folder: Path, *command: str) -> str:
    ended = _ended(folder, *command)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_the_session_casts_nothing() -> None:
    lines = (_SESSION / "session.ts").read_text(encoding="utf-8").splitlines()
    assert [
        line for line in lines if any(cast in line for cast in _CAST) and not line.lstrip().startswith(("/*", "//"))
    ] == []


def test_the_manual_shows_lines_of_the_session() -> None:
    page = (_PROJECT / "docs/how-to/typescript.md").read_text(encoding="utf-8")
    session = (_SESSION / "session.ts").read_text(encoding="utf-8")
    blocks = re.findall(r"^```typescript\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)

    assert len(blocks) == 3
    assert [line for block in blocks for line in block.splitlines() if line not in session.splitlines()] == []


@pytest.mark.long
def test_the_session_registers_explains_and_predicts(built: Path, service: Service, tmp_path: Path) -> None:
    subprocess.run([sys.executable, "examples/breast_cancer_files.py", str(tmp_path)], cwd=_PROJECT, check=True)
    said = _run(built, "node", "built/session.js", service.url, str(tmp_path)).splitlines()

    assert [line.partition(":")[0] for line in said[:2]] == ["prototypes", "predicted"]
    assert len(said[0].split(",")) == 3
    label = said[1].partition(": ")[2]
    assert f"Predicted as {label}" in said[2]
    assert said[3] == "as HTML: true"
    assert f'"label":"{label}"' in said[4]
