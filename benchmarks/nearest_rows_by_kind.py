"""The ten nearest of each of 100,000 training rows by `gap`, `oob` and `kernel`: ours, and the package ForestGeom.

The rows are those of higgs_11k drawn with replacement and jittered (a tenth of each column's standard deviation, seed
0). Scikit-learn's random forest of 100 trees is fitted on them: whole trees, and trees with leaves of at least 20 rows.
Each way works in a process of its own from the same leaves and seeds, after a small run that loads what it needs; time
and the highest memory are counted from there on, the drawing of bags included. Ours finds the neighbours of all rows.
ForestGeom fits its maps for all rows; its product of sparse matrices, a block of 200 rows at a time, and the ten
largest of each row are found for 2,000 rows, drawn by a seed, and a row takes it the mean time of those. Its whole
matrix (``training_proximity``) would take more memory: the blocks are in its favour. It works on one core, so ours is
measured on one core, too. The proximities must be the same to ForestGeom's single precision.

``python -m benchmarks.nearest_rows_by_kind``
"""

import ctypes
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pandas as pd
from leafspace_client.conversion.bags import bags_of
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.bags import Bags
from tree_explainers.compute.threads import limit_cores
from tree_explainers.leaf_space.counted_table import TOTAL, BagKind, CountedKind, CountedTable
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype
from tree_explainers.leaf_space.nearest_by_counts import NearestByCounts

from .machine import describe_machine
from .million_rows import jittered
from .peak_memory import PeakMemory

N_ROWS, N_TREES, N_NEIGHBORS = 100_000, 100, 10
N_DRAWN, BLOCK_ROWS = 2_000, 200
FORESTS = {"whole trees": 1, "leaves of 20": 20}

Proximities = NDArray[np.float64]  # (n_queries, N_NEIGHBORS), the largest first
Find = Callable[[NDArray[np.int64]], Proximities]


@dataclass(frozen=True, slots=True)
class Fitted:
    """The leaves of the training rows of a forest, and how it drew them."""

    codes: NDArray[Any]  # (n_trees, n_rows)
    n_leaves: NDArray[np.int64]  # (n_trees,)
    bags: Bags


def main() -> None:
    """Fit the forests, start each way in its own process, and print."""
    if len(sys.argv) > 1:
        way, kind, folder, n_cores = sys.argv[1:]
        limit_cores(int(n_cores))
        print(json.dumps(_measure(way, kind, Path(folder))))
        return
    print(describe_machine() + f", forestgeom {import_module('forestgeom').__version__}")
    real = pd.read_parquet(shared_path("data/higgs_11k.parquet"))
    frame = jittered(real.drop(columns="label").astype(np.float32), real["label"], N_ROWS)
    for name, min_leaf_rows in FORESTS.items():
        forest = RandomForestClassifier(N_TREES, min_samples_leaf=min_leaf_rows, random_state=0, n_jobs=2)
        forest.fit(frame.drop(columns="label").to_numpy(), frame["label"])
        with tempfile.TemporaryDirectory() as folder:
            _save(forest, frame.drop(columns="label").to_numpy(), Path(folder))
            print(f"\n{name}: {N_TREES} trees of {np.mean([t.tree_.n_leaves for t in forest.estimators_]):,.0f} leaves")
            for kind in get_args(CountedKind):
                _compare(kind, folder)


def _compare(kind: str, folder: str) -> None:
    ways = (("ours", 2), ("ours", 1), ("forestgeom", 1))
    ours, on_one, other = (_in_own_process(way, n_cores, kind, folder) for way, n_cores in ways)
    same = np.abs(np.array(ours["proximities"]) - other["proximities"]).max()
    assert same < 1e-6, same
    print(f"  {kind}")
    print(
        f"    ours: {ours['seconds']:.1f} s, on one core {on_one['seconds']:.1f} s; {ours['megabytes']:.0f} MB at most"
    )
    print(f"    ForestGeom: {other['seconds']:.1f} s, {other['megabytes']:.0f} MB at most")
    print(f"    ours is {other['seconds'] / ours['seconds']:.1f} x faster", end=", ")
    print(f"on one core {other['seconds'] / on_one['seconds']:.1f} x;", end=" ")
    print(f"ForestGeom takes {other['megabytes'] / ours['megabytes']:.1f} x the memory; largest difference {same:.0e}")


def _save(forest: RandomForestClassifier, features: NDArray[np.float32], folder: Path) -> None:
    trees = [np.flatnonzero(tree.tree_.children_left < 0) for tree in forest.estimators_]
    n_leaves = np.array([len(of_tree) for of_tree in trees])
    codes = np.empty((len(trees), len(features)), smallest_dtype(int(n_leaves.max())))
    for tree, (of_tree, estimator) in enumerate(zip(trees, forest.estimators_, strict=True)):
        codes[tree] = np.searchsorted(of_tree, estimator.apply(features))
    np.save(folder / "codes.npy", codes)
    np.save(folder / "n_leaves.npy", n_leaves)
    (folder / "bags.json").write_text(json.dumps(bags_of(forest)))


def _read(folder: Path) -> Fitted:
    bags = json.loads((folder / "bags.json").read_text())
    drawn = Bags(**{**bags, "seeds": tuple(bags["seeds"])})
    return Fitted(np.load(folder / "codes.npy"), np.load(folder / "n_leaves.npy"), drawn)


def _in_own_process(way: str, n_cores: int, kind: str, folder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.nearest_rows_by_kind", way, kind, folder, str(n_cores)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def _measure(name: str, kind: str, folder: Path) -> dict[str, Any]:
    rows = np.sort(np.random.default_rng(0).choice(N_ROWS, N_DRAWN, replace=False))
    fitted, way = _read(folder), WAYS[name]
    searched = np.arange(N_ROWS) if name == "ours" else rows
    way(kind, fitted)(rows[:BLOCK_ROWS])  # loads what it needs
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what is free is counted as free
    memory, begin = PeakMemory(), time.perf_counter()
    find = way(kind, fitted)
    prepared = time.perf_counter()
    proximities = find(searched)
    seconds = prepared - begin + (time.perf_counter() - prepared) * N_ROWS / len(searched)
    of_drawn = proximities[rows] if name == "ours" else proximities
    return {"seconds": seconds, "megabytes": memory.megabytes(), "proximities": of_drawn.tolist()}


def _ours(kind: str, fitted: Fitted) -> Find:
    table = LeafTable.from_codes(fitted.codes, fitted.n_leaves)
    if kind == "kernel":
        counted = CountedTable.by_sizes(table, np.ones(table.n_trees, np.int64))
    else:
        counted = CountedTable.by_bags(_bag_kind(kind), table, fitted.bags)
    search = NearestByCounts(counted)
    return lambda rows: search.of_rows(rows, N_NEIGHBORS)[1] / TOTAL


def _bag_kind(kind: str) -> BagKind:
    return "gap" if kind == "gap" else "oob"


class _Forest(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """A forest as ForestGeom takes those that it does not know: leaves, and how often trees drew rows."""

    def __init__(self, fitted: Fitted) -> None:
        self.fitted = self.fitted_ = fitted

    def fit(self) -> "_Forest":
        """Do nothing: it is fitted."""
        return self

    def get_leaf_matrix(self, _: Any) -> NDArray[np.int32]:
        """Return the leaf of each row in each tree."""
        return np.ascontiguousarray(self.fitted.codes.T, np.int32)

    def get_in_bag_counts(self, *_: Any, **__: Any) -> NDArray[np.float32]:
        """Return how often each tree drew each row."""
        counts = np.zeros((self.fitted.codes.shape[1], len(self.fitted.codes)), np.float32)
        for tree in range(counts.shape[1]):
            counts[:, tree] = self.fitted.bags.counts(tree)
        return counts

    def get_oob_mask(self, *_: Any, **__: Any) -> NDArray[np.int8]:
        """Return which trees did not draw which rows."""
        mask = np.zeros((self.fitted.codes.shape[1], len(self.fitted.codes)), np.int8)
        for tree in range(mask.shape[1]):
            mask[:, tree] = self.fitted.bags.counts(tree) == 0
        return mask


def _forestgeom(kind: str, fitted: Fitted) -> Find:
    scheme = {"kernel": "kerf"}.get(kind, kind)
    proximity = import_module("forestgeom").Proximity(_Forest(fitted), weight_scheme=scheme)
    proximity.fit(np.zeros((fitted.codes.shape[1], 1), np.float32))
    maps, of_all = proximity.cache_, proximity.cache_.W_mat.T
    is_out = None if kind == "kernel" else np.asarray(maps.oob_mask, np.bool_)

    def largest(rows: NDArray[np.int64]) -> Proximities:
        product = (maps.Q_mat[rows] @ of_all).tocsr()
        found = np.zeros((len(rows), N_NEIGHBORS))
        for line, row in enumerate(rows.tolist()):
            part = slice(product.indptr[line], product.indptr[line + 1])
            others = product.indices[part]
            shared = np.where(others == row, 0, product.data[part])
            if kind == "oob" and is_out is not None:
                # As its ``normalize_oob_training_proximity`` does.
                common = np.count_nonzero(is_out[others] & is_out[row], axis=1)
                shared = np.where(common > 0, shared / np.maximum(1, common), 0)
            if len(shared) > N_NEIGHBORS:
                shared = shared[np.argpartition(shared, -N_NEIGHBORS)[-N_NEIGHBORS:]]
            nearest = np.sort(shared)[::-1]
            found[line, : len(nearest)] = nearest
        return found

    return lambda rows: np.concatenate([largest(rows[s : s + BLOCK_ROWS]) for s in range(0, len(rows), BLOCK_ROWS)])


WAYS: dict[str, Callable[[str, Fitted], Find]] = {"ours": _ours, "forestgeom": _forestgeom}


if __name__ == "__main__":
    main()
