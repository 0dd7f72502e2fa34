"""The program that the paper's authors have published, run on the same rows and statements, where callers have it.

It is no part of this project. ``defragTrees.py`` is read from the path that callers name; of it the class ``Defragger``
is used, one restart each, with the settings of the authors' experiments: K_max 10, 1,000 iterations and a tolerance of
1e-6, for Higgs and MiniBooNE 3,000 and 1e-2. Of all restarts the first with the least training error counts, as in the
authors' ``DefragModel``, which also makes rules: numpy of today refuses how.
"""

import contextlib
import importlib.util
import io
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from .datasets import Part
from .evaluation_case import EvaluationCase
from .records import MOST_RULES, error_of

Method = Literal["FAB", "EM"]  # EM has as many regions as are requested
_USUAL: dict[str, Any] = {"maxitr": 1000, "tol": 1e-6}
_OF_MANY_ROWS: dict[str, Any] = {"maxitr": 3000, "tol": 1e-2}
_SETTINGS = {"higgs": _OF_MANY_ROWS, "miniboone": _OF_MANY_ROWS}


class _Fitted(Protocol):
    """What is read of one restart."""

    err_: float  # of the training rows
    K_: int

    def fit(  # as it is there
        self,
        rows: NDArray[np.float64],
        targets: NDArray[Any],
        splits: NDArray[np.float64],
        max_regions: int,
        fittype: str,
    ) -> None:
        """Fit regions from one random start."""

    def predict(self, rows: NDArray[np.float64]) -> NDArray[Any]:
        """Return the two-step MAP prediction."""


def read_program(path: Path) -> ModuleType:
    """Return the authors' ``defragTrees.py`` as a module."""
    spec = importlib.util.spec_from_file_location("defragTrees", path)
    if spec is None or spec.loader is None:
        msg = f"{path} is no Python module"
        raise ValueError(msg)
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    return program


def fit_program(
    program: ModuleType, case: EvaluationCase, n_restarts: int, run: int, method: Method = "FAB"
) -> tuple[float, float, int]:
    """Return the test error, the training error and the number of regions of the best of some restarts.

    Runs differ in what they draw.
    """
    drawn, splits = case.realisation, _splits(case)
    first = (drawn.seed + 1000 * run) * n_restarts
    seeds = range(first, first + n_restarts)
    restarts = [_restart(program, case, splits, seed, method) for seed in seeds]
    best = min(restarts, key=lambda each: each.err_)
    return _error(best, drawn.test), float(best.err_), int(best.K_)


def _restart(
    program: ModuleType, case: EvaluationCase, splits: NDArray[np.float64], seed: int, method: Method
) -> _Fitted:
    drawn = case.realisation
    kind = "regression" if drawn.is_regression else "classification"
    fitted: _Fitted = program.Defragger(modeltype=kind, seed=seed, **_SETTINGS.get(drawn.dataset, _USUAL))
    with contextlib.redirect_stdout(io.StringIO()):
        fitted.fit(drawn.train.features, drawn.train.target, splits, MOST_RULES, fittype=method)
    return fitted


def _splits(case: EvaluationCase) -> NDArray[np.float64]:
    """Return the forest's statements as the program takes them: feature and threshold, each pair once."""
    names = case.realisation.names
    pairs = [
        (names.index(feature.name), cut)
        for feature in case.train.statements.features
        for cut in np.asarray(feature.cuts, np.float64)
    ]
    return np.array(pairs)


def _error(fitted: _Fitted, part: Part) -> float:
    return error_of(fitted.predict(part.features), part.target)
