"""Fitting regions by FAB inference: by bins of features, against products with the matrix of rows and statements.

Rows are those of higgs_11k (28 features) and of Spambase; models are random forests of unrestricted trees of
scikit-learn (seed 0), converted to ONNX and read as the service reads them. Targets are the data's own classes.

- **One restart**: 5,000 rows, 100 trees, 10 regions at first. The same iterations from the same start are done with
  the whole matrix in float64 and numpy's BLAS on all cores, two products an iteration; what the E-step does beside them
  is ours in both, and both must come to the same bound. Each runs in a process of its own, in turns, three times; of
  each, the run of median time is printed. Time is that of the iterations. Memory is what a process holds above what it
  held before it made bins or matrix, when libraries are imported and compiled loops are loaded.
- **20 restarts**: Spambase, 1,000 rows, 100 trees, on all cores; of three runs, the one of median time.
- **Growth**: one iteration with all 10 regions kept (EM, which removes none; processor time of the fastest of 20),
  against the number of statements (forests of 6 to 200 trees, 5,000 rows), and against the number of rows (the
  statements of 100 trees fitted to 1,250 rows, whatever the rows; beyond 10,000 they are repeated). The straight line
  is that of least squares of relative errors.

``python -m benchmarks.defrag_inference plot.svg``
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from scipy.special import softmax, xlogy
from sklearn.ensemble import RandomForestClassifier

from tests.support.models import onnx_of
from tests.support.shared import shared_path
from tree_explainers.compute.progress import ReportProgress, ignore_progress
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.onnx_models.description import DeclaredModel, ModelDescription, ModelLimits
from tree_explainers.onnx_models.reading import read_model
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.em import LEAST_SHARE, EMSteps, iterations, maximise_bound
from tree_explainers.rule_sets.fab import fit_restarts
from tree_explainers.rule_sets.regions import FLOOR, FittedRegions, RegionModel
from tree_explainers.rule_sets.row_parts import RowParts

from .machine import describe_machine
from .peak_memory import PeakMemory

N_ROWS, N_TREES, N_REGIONS, N_ROUNDS, N_RESTARTS, SEED = 5_000, 100, 10, 3, 20, 0
TREES_OF_GROWTH, ROWS_OF_GROWTH, ROWS_FITTED = (
    (6, 12, 25, 50, 100, 200),
    (1_250, 2_500, 5_000, 10_000, 20_000, 40_000),
    1_250,
)
N_TIMED = 20

Features = NDArray[np.float32]
Classes = NDArray[np.int64]
Floats = NDArray[np.float64]


def main() -> None:
    """Measure one after the other, and print."""
    if len(sys.argv) > 2:
        print(json.dumps(WAYS[sys.argv[1]](Path(sys.argv[2]))))
        return
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        _print_one_restart(Path(folder))
        _print_restarts(Path(folder))
        _draw(_print_growth(Path(folder)), Path(sys.argv[1]))


def _print_one_restart(folder: Path) -> None:
    _save(folder, *_higgs(N_ROWS), N_TREES)
    runs: dict[str, list[dict[str, Any]]] = {way: [] for way in ("ours", "dense")}
    for _ in range(N_ROUNDS):  # in turns: the machine is not always as fast
        for way, own in runs.items():
            own.append(_in_own_process(way, folder))
    ours, dense = (sorted(own, key=lambda run: run["seconds"])[N_ROUNDS // 2] for own in runs.values())
    assert np.isclose(ours["bound"], dense["bound"], rtol=1e-9)
    print(
        f"\none restart: {N_ROWS:,} rows, 28 features, {ours['statements']:,} statements, {N_REGIONS} regions at first"
    )
    for name, run in (("ours", ours), ("dense", dense)):
        each = run["seconds"] / run["iterations"]
        left = f"{run['iterations']} iterations, {run['regions']} regions left"
        print(
            f"  {name:6s}{run['seconds']:8.3f} s ({each * 1000:.1f} ms each), {run['megabytes']:.0f} MB at most; {left}"
        )
    times, share = dense["seconds"] / ours["seconds"], ours["megabytes"] / dense["megabytes"]
    print(f"  ours is {times:.0f} x faster (to reach: 20) with {share:.4f} of the memory (to stay under: 0.05)")


def _print_restarts(folder: Path) -> None:
    frame = pd.read_parquet(shared_path("data/spambase.parquet")).sample(1_000, random_state=SEED)
    _save(folder, frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy(np.int64), N_TREES)
    runs = sorted((_in_own_process("restarts", folder) for _ in range(N_ROUNDS)), key=lambda run: run["seconds"])
    run = runs[N_ROUNDS // 2]
    print(f"\n{N_RESTARTS} restarts: Spambase, 1,000 rows, {run['statements']:,} statements")
    print(f"  {run['seconds']:.2f} s (to stay under: 10), {run['megabytes']:.0f} MB at most")
    print(f"  training error of the one chosen {run['error']:.3f}, of all {run['lowest']:.3f} to {run['highest']:.3f}")


def _print_growth(folder: Path) -> dict[str, list[tuple[int, float]]]:
    print(f"\none iteration of {N_REGIONS} regions")
    by_statements = []
    for n_trees in TREES_OF_GROWTH:
        _save(folder, *_higgs(N_ROWS), n_trees)
        by_statements.append(_timed(folder, "statements", N_ROWS))
    _save(folder, *_higgs(ROWS_FITTED), N_TREES)
    by_rows = [_timed(folder, "rows", n_rows) for n_rows in ROWS_OF_GROWTH]
    return {"statements": by_statements, "rows": by_rows}


def _timed(folder: Path, of: str, n_rows: int) -> tuple[int, float]:
    np.save(folder / "n_rows.npy", n_rows)
    run = _in_own_process("iteration", folder)
    print(f"  {n_rows:7,d} rows {run['statements']:8,d} statements {run['seconds'] * 1000:8.2f} ms", flush=True)
    return (run["statements"] if of == "statements" else n_rows), run["seconds"]


def _draw(measured: dict[str, list[tuple[int, float]]], path: Path) -> None:
    mpl.rcParams["svg.hashsalt"] = "defrag"  # the same figures give the same file
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, (what, points) in zip(axes, measured.items(), strict=True):
        sizes, milliseconds = np.array(points).T * [[1], [1000]]
        slope, at_none = np.polyfit(sizes, milliseconds, 1, w=1 / milliseconds)
        line = slope * sizes + at_none
        off = abs(milliseconds / line - 1).max()
        print(f"  {at_none:.2f} ms and {slope * 1000:.3f} ms for each thousand {what}: off by {off:.0%} at most")
        axis.plot(sizes, milliseconds, "o", sizes, line, "-")
        axis.set(xlabel=what, ylabel="milliseconds an iteration", xlim=0, ylim=0)
        axis.grid(visible=True, alpha=0.3)
    figure.savefig(path, metadata={"Date": None})


def _higgs(n_rows: int) -> tuple[Features, Classes]:
    frame = pd.read_parquet(shared_path("data/higgs_11k.parquet")).sample(n_rows, random_state=SEED)
    return frame.drop(columns="label").to_numpy(np.float32), frame["label"].to_numpy(np.int64)


def _save(folder: Path, features: Features, classes: Classes, n_trees: int) -> None:
    """Keep a forest as the service does, and the rows that it was fitted to."""
    forest = RandomForestClassifier(n_trees, random_state=SEED, n_jobs=-1).fit(features, classes)
    read = read_model(onnx_of(forest, features), DeclaredModel(), ModelLimits())
    arrays: dict[str, Any] = read.ensemble.to_arrays()
    np.savez(folder / "ensemble.npz", **arrays)
    (folder / "description.json").write_text(json.dumps(read.description.to_json()))
    np.savez(folder / "rows.npz", features=features, classes=classes)


def _in_own_process(way: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.defrag_inference", way, str(folder)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def _kept(folder: Path) -> tuple[Statements, Features, Classes]:
    ensemble = TreeEnsemble.from_arrays(np.load(folder / "ensemble.npz"))
    description = ModelDescription.from_json(json.loads((folder / "description.json").read_text()))
    rows = np.load(folder / "rows.npz")
    return statements_of(ensemble, description), rows["features"], rows["classes"]


def _binned_steps(statements: Statements, features: Features, classes: Classes) -> EMSteps:
    names = [feature.name for feature in statements.features]
    columns = [features[:, feature.raw_index].astype(np.float64) for feature in statements.features]
    binned = BinnedRows.of(statements, Rows(tuple(names), tuple(columns)))
    rows = RowParts.here(binned, Targets.of_classes(classes, int(classes.max()) + 1))
    return EMSteps.of(rows, N_REGIONS, ignore_progress)


@dataclass(frozen=True)
class _DenseSteps:
    """The steps of a fit as products with the matrix of rows and statements."""

    matrix: Floats  # (n_rows, n_statements) 1 where a statement is true
    targets: Targets
    report: ReportProgress = ignore_progress

    @classmethod
    def of(cls, statements: Statements, features: Features, classes: Classes) -> "_DenseSteps":
        matrix = np.empty((len(features), statements.n_statements))
        starts = statements.statement_starts
        for feature, first, end in zip(statements.features, starts, starts[1:], strict=False):
            np.greater(features[:, feature.raw_index, None], feature.cuts, out=matrix[:, first:end])
        return cls(matrix, Targets.of_classes(classes, int(classes.max()) + 1))

    def m_step(self, responsibilities: Floats) -> RegionModel:
        weights = responsibilities.sum(axis=0)
        eta = (responsibilities.T @ self.matrix) / weights[:, None]
        scores = (responsibilities.T @ np.eye(self.targets.n_classes)[self.targets.classes]) / weights[:, None]
        return RegionModel(eta, weights / weights.sum(), scores=scores)

    def log_likelihoods(self, model: RegionModel) -> Floats:
        when_true, when_false = np.log(np.maximum(model.eta, FLOOR)), np.log(np.maximum(1 - model.eta, FLOOR))
        of_statements = self.matrix @ (when_true - when_false).T + when_false.sum(axis=1)
        assert model.scores is not None
        of_classes = np.log(np.maximum(model.scores.T, FLOOR))[self.targets.classes]
        return np.asarray(of_statements + of_classes + np.log(model.shares))

    def fit(self, start: Floats, omega: float) -> FittedRegions:
        """Alternate the steps as ``maximise_bound`` does, with responsibilities held whole."""
        responsibilities = start / start.sum(axis=1, keepdims=True)
        likelihoods, bounds = self.log_likelihoods(self.m_step(responsibilities)), [-np.inf]
        while True:
            responsibilities = self._e_step(likelihoods, responsibilities.sum(axis=0), omega)
            kept = responsibilities.mean(axis=0) >= LEAST_SHARE
            responsibilities = responsibilities[:, kept] / responsibilities[:, kept].sum(axis=1, keepdims=True)
            model = self.m_step(responsibilities)
            likelihoods = self.log_likelihoods(model)
            entropy = -float(xlogy(responsibilities, responsibilities).sum())
            penalty = omega * float(np.log1p(responsibilities.sum(axis=0)).sum())
            bounds.append(float((responsibilities * likelihoods).sum()) + entropy - penalty)
            if bounds[-1] - bounds[-2] <= 1e-8 * abs(bounds[-1]):
                return FittedRegions(model, np.array(bounds[1:]))

    @staticmethod
    def _e_step(likelihoods: Floats, weights: Floats, omega: float) -> Floats:
        for _ in range(100):
            before, responsibilities = weights, softmax(likelihoods - omega / (weights + 1), axis=1)
            weights = responsibilities.sum(axis=0)
            if np.abs(weights - before).max() <= 1e-9 * len(likelihoods):
                break
        return np.asarray(responsibilities)


def _fit(steps: EMSteps | _DenseSteps, start: Floats, omega: float) -> FittedRegions:
    return steps.fit(start, omega) if isinstance(steps, _DenseSteps) else maximise_bound(steps, start, omega)


def _random_start(n_rows: int) -> Floats:
    start = np.random.default_rng(SEED).random((n_rows, N_REGIONS))
    return np.asarray(start / start.sum(axis=1, keepdims=True))


def _restart(make: Callable[..., Any], folder: Path) -> dict[str, Any]:
    """Fit once; a few rows and statements before, so that all is loaded, and little memory is held."""
    statements, features, classes = _kept(folder)
    start = _random_start(len(classes))
    omega = (classes.max() + 1 + statements.n_statements + 1) / 2
    _fit(make(_few(statements), features[:50], classes[:50]), start[:50], omega)
    memory = PeakMemory()
    steps = make(statements, features, classes)
    begun = time.perf_counter()
    fit = _fit(steps, start, omega)
    return {
        "seconds": time.perf_counter() - begun,
        "megabytes": memory.megabytes(),
        "iterations": len(fit.lower_bounds),
        "regions": fit.model.n_regions,
        "bound": fit.lower_bounds[-1],
        "statements": statements.n_statements,
    }


def _few(statements: Statements) -> Statements:
    """Return some statements of each feature, as many as make no difference to the type of bins."""
    features = (
        replace(each, cuts=each.cuts[:300], missing_greater=each.missing_greater[:300]) for each in statements.features
    )
    return replace(statements, features=tuple(features))


def _restarts(folder: Path) -> dict[str, Any]:
    statements, features, classes = _kept(folder)
    steps, few = (
        _binned_steps(statements, features, classes),
        _binned_steps(_few(statements), features[:50], classes[:50]),
    )
    fit_restarts("fab", few.rows, N_REGIONS, 2, np.random.default_rng(SEED))
    memory, begun = PeakMemory(), time.perf_counter()
    found = fit_restarts("fab", steps.rows, N_REGIONS, N_RESTARTS, np.random.default_rng(SEED))
    return {
        "seconds": time.perf_counter() - begun,
        "megabytes": memory.megabytes(),
        "statements": statements.n_statements,
        "error": found.training_errors[found.chosen],
        "lowest": found.training_errors.min(),
        "highest": found.training_errors.max(),
    }


def _iteration(folder: Path) -> dict[str, Any]:
    statements, features, classes = _kept(folder)
    rows = np.arange(int(np.load(folder / "n_rows.npy")))
    if len(rows) > len(classes):
        features, classes = _higgs(min(len(rows), 10_000))
    repeated = rows % len(classes)
    steps = _binned_steps(statements, features[repeated], classes[repeated])
    start = _random_start(len(rows))
    times = [time.thread_time() for _ in islice(iterations(steps, start, omega=0), N_TIMED + 1)]
    return {"seconds": float(np.diff(times).min()), "statements": statements.n_statements}


WAYS = {
    "ours": lambda folder: _restart(_binned_steps, folder),
    "dense": lambda folder: _restart(_DenseSteps.of, folder),
    "restarts": _restarts,
    "iteration": _iteration,
}

if __name__ == "__main__":
    main()
