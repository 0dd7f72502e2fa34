"""What starts stays light: what is heavy is imported and compiled when it is needed, and once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = {"sklearn", "scipy.sparse", "scipy.stats", "alembic", "pandas", "psycopg", "skl2onnx"}
_API = "import service.__main__, service.main"
_WORKERS = "import workers.main, workers.job_kinds; workers.job_kinds.load_job_kinds()"
_PRIME = "from pathlib import Path; from leafspace import compiled_code; {}; compiled_code.prime(Path('data'))"


def _printed(program: str, **environment: str) -> str:
    command = [sys.executable, "-c", program]
    ended = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True, check=True)  # noqa: S603  # ours
    return ended.stdout.strip()


@pytest.mark.parametrize("imports", [_API, _WORKERS], ids=["API", "workers"])
def test_heavy_libraries_are_imported_when_they_are_needed_and_nothing_is_compiled_before(
    imports: str, tmp_path: Path
) -> None:
    program = f"import sys; {imports}; print(sorted({_HEAVY} & set(sys.modules)))"

    assert _printed(program, NUMBA_CACHE_DIR=str(tmp_path)) == "[]"
    assert [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}] == []


def test_a_cache_that_was_primed_is_not_primed_again(tmp_path: Path) -> None:
    (tmp_path / "primed").touch()
    fails = "import sys; sys.modules['tree_explainers.warm'] = None"  # importing it would be an error

    _printed(_PRIME.format(fails), NUMBA_CACHE_DIR=str(tmp_path))


def test_of_processes_that_prime_at_once_one_compiles(tmp_path: Path) -> None:
    counts = "import sys, types; sys.modules['tree_explainers.warm'] = types.SimpleNamespace("
    counts += "compile_loops=lambda for_jobs: print('compiled', flush=True))"
    command = [sys.executable, "-c", _PRIME.format(counts)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # noqa: S603  # ours
        for _ in range(3)
    ]

    assert sorted(process.communicate()[0].strip() for process in started) == ["", "", "compiled"]
    assert [process.returncode for process in started] == [0, 0, 0]
