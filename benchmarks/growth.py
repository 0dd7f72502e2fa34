"""How time and memory grow with the number of rows: 50 prototypes by SM-A, from leaves to selection.

Rows are those of higgs_11k; more than there are, and all beyond 10,000, are drawn from them with replacement and
jittered (a tenth of each column's standard deviation, seed 0). Classes are those that the ensemble predicts.

- boosting: 200 trees of 31 leaves of LightGBM, fitted on the 10,984 real rows, trees weighted;
- forest: 100 unrestricted trees of scikit-learn, fitted on the rows themselves, on the first 100,000 at most.

Every row may become a prototype as long as rows x rows x trees are at most 5e12; beyond, a sample of 10,000, drawn with
a seed (rows to be covered are always all). Each size is measured in a process of its own, after a small run that loads
what it needs; leaves come from a file, which is mapped into memory and counted once it is read.
``python -m benchmarks.growth plot.svg``
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lightgbm
import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, smallest_dtype, tree_weights
from tree_explainers.prototype_sets.selection import sample_candidates, select_prototypes

from .machine import describe_machine
from .peak_memory import PeakMemory

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)
MOST_FITTED = 100_000
N_PROTOTYPES, MOST_COMPARISONS, N_SAMPLED, ROWS_AT_ONCE = 50, 5e12, 10_000, 100_000

Rows = NDArray[np.float32]
Target = NDArray[np.int64]


def main() -> None:
    """Measure each size in its own process, print a table and draw it."""
    if len(sys.argv) > 2:
        print(json.dumps(_measure(Path(sys.argv[2]))))
        return
    print(describe_machine())
    print(
        f"{'trees':24s} {'rows':>9s} {'candidates':>10s} {'seconds':>8s} {'MB':>6s} {'codes MB':>8s} {'objective':>9s}"
    )
    measured = {name: [_line(name, fill, n) for n in SIZES] for name, fill in ENSEMBLES.items()}
    _draw(measured, Path(sys.argv[1]))


def _line(name: str, fill: Callable[[Path, int], None], n_rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        fill(Path(folder), n_rows)
        command = [sys.executable, "-m", "benchmarks.growth", "measure", folder]
        found: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    figures = f"{found['seconds']:8.1f} {found['megabytes']:6.0f} {found['codes']:8.0f} {found['objective']:9.4f}"
    print(f"{name:24s} {n_rows:9,d} {found['candidates']:10,d} {figures}", flush=True)
    return found | {"rows": n_rows}


def _measure(folder: Path) -> dict[str, Any]:
    few = np.load(folder / "codes.npy", mmap_mode="r")[:, :2000].copy()
    _select(folder, few, 2)
    codes = np.load(folder / "codes.npy", mmap_mode="r")
    memory, start = PeakMemory(), time.perf_counter()
    n_candidates, objective = _select(folder, codes, N_PROTOTYPES)
    return {
        "seconds": time.perf_counter() - start,
        "megabytes": memory.megabytes(),
        "codes": codes.nbytes / 2**20,
        "candidates": n_candidates,
        "objective": objective,
    }


def _select(folder: Path, codes: NDArray[Any], n_prototypes: int) -> tuple[int, float]:
    n_leaves, classes = np.load(folder / "n_leaves.npy"), np.load(folder / "classes.npy")[: codes.shape[1]]
    table = LeafTable.from_codes(codes, n_leaves)
    kind: ProximityKind = "boosting" if (folder / "values.npy").exists() else "random_forest"
    weights = tree_weights(kind, table, np.load(folder / "values.npy") if kind == "boosting" else None)
    candidates = None
    if table.n_rows**2 * table.n_trees > MOST_COMPARISONS:
        candidates = sample_candidates(classes, N_SAMPLED, np.random.default_rng(0))
    chosen = select_prototypes(table, classes, weights, "sm_a", n_prototypes=n_prototypes, candidates=candidates)
    return chosen.n_candidates, chosen.objective_mean


def _real_rows() -> tuple[Rows, Target]:
    frame = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    return frame.drop(columns="label").to_numpy(np.float32), frame["label"].to_numpy(np.int64)


def _drawn_rows(n_rows: int) -> tuple[Rows, Target]:
    features, target = _real_rows()
    rng = np.random.default_rng(0)
    if n_rows <= len(features):
        rows = rng.permutation(len(features))[:n_rows]
        return features[rows], target[rows]
    rows = rng.integers(0, len(features), n_rows)
    spread = 0.1 * features.std(axis=0)
    return features[rows] + spread * rng.standard_normal((n_rows, features.shape[1]), np.float32), target[rows]


def _boosting(folder: Path, n_rows: int) -> None:
    model = lightgbm.LGBMClassifier(n_estimators=200, num_leaves=31, random_state=0, verbose=-1)
    booster = model.fit(*_real_rows()).booster_
    rows, _ = _drawn_rows(n_rows)
    n_trees = booster.num_trees()
    n_leaves = np.array([tree["num_leaves"] for tree in booster.dump_model()["tree_info"]])
    codes = np.lib.format.open_memmap(folder / "codes.npy", "w+", np.uint8, (n_trees, n_rows))
    for start in range(0, n_rows, ROWS_AT_ONCE):
        part = slice(start, min(start + ROWS_AT_ONCE, n_rows))
        codes[:, part] = booster.predict(rows[part], pred_leaf=True).T
    np.save(folder / "n_leaves.npy", n_leaves)
    np.save(folder / "classes.npy", (booster.predict(rows) > 0.5).astype(np.int64))
    values = [booster.get_leaf_output(tree, leaf) for tree in range(n_trees) for leaf in range(n_leaves[tree])]
    np.save(folder / "values.npy", np.array(values)[:, None])


def _forest(folder: Path, n_rows: int) -> None:
    rows, target = _drawn_rows(n_rows)
    forest = RandomForestClassifier(100, random_state=0, n_jobs=-1).fit(rows[:MOST_FITTED], target[:MOST_FITTED])
    reached = forest.apply(rows)
    leaf_nodes = [np.flatnonzero(tree.tree_.children_left < 0) for tree in forest.estimators_]
    n_leaves = np.array([len(own) for own in leaf_nodes])
    codes = np.empty(reached.T.shape, smallest_dtype(int(n_leaves.max())))
    for line, own, column in zip(codes, leaf_nodes, reached.T, strict=True):
        line[:] = np.searchsorted(own, column)
    np.save(folder / "codes.npy", codes)
    np.save(folder / "n_leaves.npy", n_leaves)
    np.save(folder / "classes.npy", forest.predict(rows).astype(np.int64))


ENSEMBLES = {
    "200 trees of 31 leaves": _boosting,
    "100 unrestricted trees": _forest,
}


def _draw(measured: dict[str, list[dict[str, Any]]], path: Path) -> None:
    mpl.rcParams["svg.hashsalt"] = "growth"  # the same figures give the same file
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for axis, key, label in zip(axes, ("seconds", "megabytes"), ("seconds", "MB at most"), strict=True):
        for name, lines in measured.items():
            rows = [line["rows"] for line in lines]
            drawn = axis.plot(rows, [line[key] for line in lines], marker="o", label=name)
            sampled = [line for line in lines if line["candidates"] < line["rows"]]
            points = [line["rows"] for line in sampled], [line[key] for line in sampled]
            axis.plot(*points, "o", markersize=10, fillstyle="none", color=drawn[0].get_color())
        axis.set(xscale="log", yscale="log", xlabel="rows (ringed: 10,000 of them are candidates)", ylabel=label)
        axis.grid(visible=True, which="major", alpha=0.3)
    axes[0].legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    main()
