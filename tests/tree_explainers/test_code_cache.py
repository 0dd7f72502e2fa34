"""Compiled loops on disk: found by other clones, and compiled by one process at a time."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.sampling import mostly_long

_PACKAGE = Path(__file__).parents[2] / "tree_explainers"
_LOOPS = """
from tree_explainers.compute.compiled import compiled

@compiled
def add(first, second):
    total = first
    for _ in range(3):
        total += second
    return total

@compiled
def sums(number):
    return add(number, 0) + add(number, 2) + add(number, number)
"""
_SORTS = """
from numba.misc.quicksort import make_jit_quicksort
from tree_explainers.compute.compiled import compiled

ascend = make_jit_quicksort(lt=lambda one, other: one < other).run_quicksort
descend = make_jit_quicksort(lt=lambda one, other: one > other).run_quicksort

@compiled
def ascending(values):
    ascend(values)
    return values

@compiled
def descending(values):
    descend(values)
    return values
"""
_ASCENDING, _DESCENDING = (
    f"""
import numpy as np
from own.sorts import {name}
assert {name}(np.random.default_rng(0).permutation(100)).tolist() == list({numbers})
print(sum({name}.stats.cache_misses.values()))
"""
    for name, numbers in (("ascending", "range(100)"), ("descending", "range(99, -1, -1)"))
)
_RUN = """
from own.loops import add
assert add(1, 2) == 7
print(sum(add.stats.cache_misses.values()), flush=True)
"""

_DECLARED = """
from own.loops import add
add.compile("int64(int64, int64)")
print(sum(add.stats.cache_misses.values()), flush=True)
"""

_SUMS = """
from own.loops import add, sums
assert sums(1) == 1 + 7 + 4
print(len(add.signatures), flush=True)
"""


@pytest.fixture
def clones(tmp_path: Path) -> list[Path]:
    """Return two folders with the same code."""
    folders = [tmp_path / name for name in ("one", "another")]
    for folder in folders:
        (folder / "own").mkdir(parents=True)
        (folder / "own" / "__init__.py").touch()
        (folder / "own" / "loops.py").write_text(_LOOPS)
        (folder / "own" / "sorts.py").write_text(_SORTS)
        (folder / "tree_explainers").mkdir()
        shutil.copytree(_PACKAGE / "compute", folder / "tree_explainers" / "compute")
        (folder / "tree_explainers" / "__init__.py").touch()
    return folders


def _start(folder: Path, cache: Path, program: str = _RUN) -> "subprocess.Popen[str]":
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", program]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)  # ours


def _n_compiled(process: "subprocess.Popen[str]") -> int:
    printed, _ = process.communicate()
    assert process.returncode == 0
    return sum(map(int, printed.split()))


@pytest.mark.long
def test_a_loop_that_one_clone_compiled_is_found_by_another(clones: list[Path], tmp_path: Path) -> None:
    assert [_n_compiled(_start(folder, tmp_path / "cache")) for folder in clones] == [1, 0]


def test_a_loop_that_has_changed_is_compiled_again(clones: list[Path], tmp_path: Path) -> None:
    _n_compiled(_start(clones[0], tmp_path / "cache"))
    with (clones[1] / "own" / "loops.py").open("a") as source:
        source.write("changed = True")

    assert _n_compiled(_start(clones[1], tmp_path / "cache")) == 1


def test_of_processes_that_need_a_loop_at_once_one_compiles_it(clones: list[Path], tmp_path: Path) -> None:
    started = [_start(clones[number % 2], tmp_path / "cache") for number in range(3)]

    assert sorted(map(_n_compiled, started)) == [0, 0, 1]


@pytest.mark.long
def test_loops_that_two_processes_compiled_do_not_call_each_others_functions(
    clones: list[Path], tmp_path: Path
) -> None:
    folder, cache = clones[0], tmp_path / "cache"
    assert [_n_compiled(_start(folder, cache, program)) for program in (_ASCENDING, _DESCENDING)] == [1, 1]

    assert _n_compiled(_start(folder, cache, _ASCENDING + _DESCENDING)) == 0


@pytest.mark.parametrize("files", mostly_long(["*.nbi", "*.nbc"], "*.nbi"))
def test_a_file_that_was_cut_off_is_written_again(clones: list[Path], tmp_path: Path, files: str) -> None:
    cache = tmp_path / "cache"
    _n_compiled(_start(clones[0], cache))
    for kept in cache.rglob(files):
        os.truncate(kept, kept.stat().st_size // 2)

    assert [_n_compiled(_start(clones[0], cache)) for _ in range(2)] == [1, 0]


@pytest.mark.long
def test_a_process_that_ends_while_it_compiles_keeps_nobody_waiting(clones: list[Path], tmp_path: Path) -> None:
    _n_compiled(_start(clones[0], tmp_path / "cache"))
    for lock in (tmp_path / "cache").rglob("*.nb?"):
        lock.unlink()  # what is left of one that was killed: the file that was locked

    assert _n_compiled(_start(clones[0], tmp_path / "cache")) == 1


@pytest.mark.parametrize("programs", mostly_long([(_RUN, _DECLARED), (_DECLARED, _RUN)], (_RUN, _DECLARED)))
def test_declared_types_and_those_of_a_call_are_one_form(
    clones: list[Path], tmp_path: Path, programs: tuple[str, str]
) -> None:
    assert [_n_compiled(_start(clones[0], tmp_path / "cache", program)) for program in programs] == [1, 0]


def test_calls_with_constants_run_what_calls_with_other_numbers_run(clones: list[Path], tmp_path: Path) -> None:
    assert _n_compiled(_start(clones[0], tmp_path / "cache", _SUMS)) == 1
