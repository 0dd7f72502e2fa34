"""What starts stays light: what is heavy is imported and compiled when it is needed, and once."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_HEAVY = {"sklearn", "scipy.special", "scipy.sparse", "scipy.stats", "alembic", "pandas", "psycopg", "skl2onnx"}
_HEAVY |= {"rich", "jinja2"}
_OF_MODELS = {"numba", "llvmlite", "onnx", "onnxruntime"}
_API = """
import asyncio
from pathlib import Path
from storage.without_pandas import keep_rich_out

keep_rich_out()
import leafspace.apis, service.api_process
from service.main import create_app
from service.settings import ServiceSettings

async def start():
    app = create_app(ServiceSettings(data_dir=Path("data"), redis_url="redis://127.0.0.1:1/0"))
    async with app.router.lifespan_context(app):
        assert not app.state.context.health.wait_for_health().database_fault

asyncio.run(start())
"""
_WORKERS = """
from storage.without_pandas import keep_pandas_out, keep_rich_out

keep_rich_out()
keep_pandas_out()
import workers.main, workers.job_kinds

workers.job_kinds.load_job_kinds()
"""
_PRIME = "from pathlib import Path; from leafspace import compiled_code; {}; compiled_code.prime(Path('data'))"


def _printed(program: str, folder: Path | None = None, **environment: str) -> str:
    command = [sys.executable, "-c", program]
    ended = subprocess.run(  # ours
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=True, cwd=folder
    )
    return ended.stdout.strip()


@pytest.mark.parametrize(
    ("start", "heavy"),
    [
        (_API, _HEAVY | _OF_MODELS | {"prometheus_client"}),
        pytest.param(_WORKERS, _HEAVY | {"numba"}, marks=pytest.mark.long),
    ],
    ids=["API with a new database", "workers"],
)
def test_heavy_libraries_are_imported_when_they_are_needed_and_nothing_is_compiled_before(
    start: str, heavy: set[str], tmp_path: Path
) -> None:
    (tmp_path / "requests").touch()  # as if the loops of requests were there
    program = f"{start}\nimport sys; print(sorted({heavy} & set(sys.modules)))"

    assert _printed(program, tmp_path, NUMBA_CACHE_DIR=str(tmp_path)) == "[]"
    assert [path for path in tmp_path.rglob("*") if path.suffix in {".nbi", ".nbc"}] == []


@pytest.mark.long
def test_what_is_built_when_it_is_first_used_warns_of_nothing() -> None:
    program = "from service.main import build_app; assert build_app().openapi()"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # ours

    assert ended.stderr == ""


def test_a_cache_that_was_primed_is_not_primed_again(tmp_path: Path) -> None:
    (tmp_path / "primed").touch()
    fails = "import sys; sys.modules['tree_explainers.warm'] = None"  # importing it would be an error

    _printed(_PRIME.format(fails), NUMBA_CACHE_DIR=str(tmp_path))


def test_of_processes_that_prime_at_once_one_compiles(tmp_path: Path) -> None:
    counts = "import sys, types; sys.modules['tree_explainers.warm'] = types.SimpleNamespace("
    counts += "compile_loops_at_once=lambda memory_bytes, for_jobs: print('compiled', flush=True))"
    command = [sys.executable, "-c", _PRIME.format(counts)]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    started = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)  # ours
        for _ in range(3)
    ]

    assert sorted(process.communicate()[0].strip() for process in started) == ["", "", "compiled"]
    assert [process.returncode for process in started] == [0, 0, 0]
