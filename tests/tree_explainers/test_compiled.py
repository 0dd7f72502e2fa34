"""Loops: functions that numba gets to see when they are first called, and that behave as functions otherwise."""

import inspect
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest
from numpy.typing import NDArray

from tree_explainers.compute import compiled as loops
from tree_explainers.compute.compiled import compiled, compiled_ahead, compiled_for_loops, inlined

_N_THREADS = 4


@inlined
def _doubled(number: float) -> float:
    return 2 * number


@compiled
def total(numbers: NDArray[np.float64]) -> float:
    """Return twice the sum."""
    found = 0.0
    for number in numbers:
        found += _doubled(number)
    return found


@compiled_for_loops
def announce(number: int) -> int:
    print("number", number)  # noqa: T201  # compiled, it reads the text from what numba keeps for it
    return number


@compiled
def announced(number: int) -> int:
    return announce(number) + announce(number + 1)


@compiled
def factorial(number: int) -> int:
    return 1 if number < 2 else number * factorial(number - 1)


@compiled
def overwrite(numbers: NDArray[np.float64], others: NDArray[np.float64]) -> None:
    numbers[:2] = others


@compiled_ahead(lambda n: [n.float64(n.float64[::1])])
def declared(numbers: NDArray[np.float64]) -> float:
    return total(numbers) / 2


def test_a_loop_has_the_name_and_the_signature_of_its_function() -> None:
    assert (total.__name__, total.__module__, total.__doc__) == ("total", __name__, "Return twice the sum.")
    assert list(inspect.signature(total).parameters) == ["numbers"]


def test_threads_that_call_a_loop_first_at_the_same_time_run_one_loop_and_those_that_it_calls() -> None:
    start = Barrier(_N_THREADS)

    def call() -> float:
        start.wait()
        return declared(np.array([1.0, 2.0]))

    with ThreadPoolExecutor(_N_THREADS) as threads:
        found = [future.result() for future in [threads.submit(call) for _ in range(_N_THREADS)]]

    assert found == [3.0] * _N_THREADS
    assert len(declared.signatures) == 1  # type: ignore[attr-defined]  # numba's


def test_a_loop_may_call_itself() -> None:
    assert factorial(5) == 120


def test_a_loop_that_loops_alone_call_reads_its_constants_and_cannot_be_called(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert announced(1) == 3

    assert capsys.readouterr().out == "number 1\nnumber 2\n"
    with pytest.raises(TypeError, match="only loops can call"):
        announce(1)


def test_machine_code_is_made_of_loops_that_python_calls_and_optimized_before() -> None:
    def double(numbers: NDArray[np.float64]) -> None:
        for at in range(len(numbers)):
            numbers[at] += numbers[at]

    part = loops.Loop(double, is_kept=False, is_called_by_loops=True)
    whole = loops.Loop(double, is_kept=False, is_called_by_loops=False)
    for loop in (part, whole):
        loop.compile("void(float64[::1])")

    form_of_part, form_of_whole = (next(iter(loop.overloads.values())).library for loop in (part, whole))
    assert (form_of_part.has_machine_code, form_of_whole.has_machine_code) == (False, True)
    assert "x double>" not in form_of_part.get_llvm_str()  # one number at a time
    assert "x double>" in form_of_whole.get_llvm_str()  # several at once


def test_arrays_of_different_sizes_are_refused_without_the_sizes_which_would_take_half_of_compiling() -> None:
    numbers = np.zeros(4)
    overwrite(numbers, np.ones(2))

    with pytest.raises(ValueError, match=r"^cannot assign slice from input of different size$"):
        overwrite(numbers, np.ones(3))

    assert numbers.tolist() == [1, 1, 0, 0]


def test_the_loops_of_a_process_are_named_once_they_were_loaded() -> None:
    assert total(np.ones(3)) == 6

    assert (f"{__name__}.total", "(Array(float64, 1, 'C', False, aligned=True),)") in loops.loaded_loops()


def test_numba_is_loaded_when_the_first_loop_is_called() -> None:
    program = (
        "import sys, numpy as np\n"
        f"from {__name__} import total\n"
        "print('numba' in sys.modules)\n"
        "total(np.ones(3))\n"
        "print('numba' in sys.modules)\n"
    )

    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)  # ours

    assert printed.stdout.split() == ["False", "True"]
