"""What the parent of workers loads, so that none of its jobs has to load it again."""

import subprocess
import sys

_PROGRAM = """
import sys
import pyarrow as pa
from numba import njit

from storage.without_pandas import keep_pandas_out
from tree_explainers.compute.compiled import load_compiler

keep_pandas_out()
load_compiler()
before = set(sys.modules)
pa.scalar(float("nan"), type=pa.float64())
assert njit("float64(float64[:])")(lambda numbers: numbers.sum())(__import__("numpy").ones(3)) == 3
print(len(set(sys.modules) - before))
"""


def test_the_first_number_and_the_first_loop_of_a_job_load_neither_pandas_nor_numbas_compiler() -> None:
    printed = subprocess.run([sys.executable, "-c", _PROGRAM], capture_output=True, text=True, check=True)  # ours

    assert int(printed.stdout) <= 2  # numba loads two to compile; of hundreds
