"""The nearest 10 rows of each of 50,000 rows: ours, a product of sparse matrices, and the package quantile-forest.

MNIST, the first 50,000 training rows. Deep: 300 unrestricted trees of a scikit-learn forest, each of which weighs 1.
Shallow: 200 trees of 31 leaves boosted by LightGBM (even digits or odd ones), which weigh what boosting makes them.
Each way works in a process of its own from the same file of leaves, after a small run that loads what it needs; time
and the highest memory are counted from there on. Ours finds the neighbours of all rows, with what it prepares for
that. The others prepare, and do so for some rows, drawn by a seed; a row takes them the mean time of those:

- scipy: rows by leaves, 1 where a row is in a leaf, in CSR, times its transpose (weighed by tree where trees differ),
  a block of rows at a time, and ``argpartition`` of what each row of the product holds. It works on one core, so it is
  also said how it would compare if two cores took it half the time.
- quantile-forest: the compiled part of ``proximity_counts``, given the same leaves. It keeps as much room for each
  node as the largest leaf takes, which is more than there is for 300 such trees: so it is given 4 and then 8 of the
  trees, and its time for 300 is drawn from there by a straight line.

All must find the same proximities. ``python -m benchmarks.nearest_rows``
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray
from quantile_forest._quantile_forest_fast import QuantileForest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype, tree_weights
from tree_explainers.leaf_space.nearest_rows import NearestRows

from .machine import describe_machine
from .peak_memory import PeakMemory

N_ROWS, N_NEIGHBORS, N_RUNS, TO_REACH = 50_000, 10, 3, 5
BLOCK_ROWS = 200
FEW_TREES = (4, 8)

Proximities = NDArray[np.int64]  # (n_queries, N_NEIGHBORS), the largest first
Find = Callable[[NDArray[np.int64]], Proximities]
Way = Callable[[LeafTable, NDArray[np.int64]], Find]  # what is prepared, once for all rows


def main() -> None:
    """Fit the ensembles, start each way in its own process, and print."""
    if len(sys.argv) > 1:
        name, folder, n_queries, n_trees = sys.argv[1:]
        print(json.dumps(_measure(WAYS[name], Path(folder), int(n_queries), int(n_trees))))
        return
    print(describe_machine())
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as images:
        features = images["X_train"][:N_ROWS].reshape(N_ROWS, -1)
        digits = images["y_train"][:N_ROWS]
    with tempfile.TemporaryDirectory() as folder:
        _save("deep", _grow_deep(features, digits), Path(folder))
        ours, scipy = _compare_with_scipy(folder, n_queries=1_000)
        _compare_with_quantile_forest(folder, ours, scipy)
    with tempfile.TemporaryDirectory() as folder:
        _save("shallow", _grow_shallow(features, digits), Path(folder))
        _compare_with_scipy(folder, n_queries=100)


def _compare_with_scipy(folder: str, n_queries: int) -> tuple[float, float]:
    """Print both, and return the seconds that each takes for all rows."""
    runs = sorted((_in_own_process("ours", folder, N_ROWS) for _ in range(N_RUNS)), key=lambda run: run["seconds"])
    ours, other = runs[N_RUNS // 2], _in_own_process("scipy", folder, n_queries)
    assert [ours["found"][row] for row in _drawn(n_queries)] == other["found"]
    scaled = other["seconds"]
    print(f"  ours: {ours['seconds']:.1f} s (median of {N_RUNS}), {ours['megabytes']:.0f} MB at most")
    print(f"  scipy: {scaled:.0f} s (from {n_queries:,} rows), {other['megabytes']:.0f} MB at most")
    print(f"    ours is {scaled / ours['seconds']:.1f} x faster (to reach: {TO_REACH})", end="; ")
    print(f"{scaled / 2 / ours['seconds']:.1f} x if two cores halved scipy's time")
    return ours["seconds"], scaled


def _compare_with_quantile_forest(folder: str, ours: float, scipy: float) -> None:
    n_queries = 200
    table, _ = _read(Path(folder), 0)
    few, more = (_in_own_process("quantile_forest", folder, n_queries, n_trees) for n_trees in FEW_TREES)
    assert more["found"] == _in_own_process("ours", folder, n_queries, FEW_TREES[1])["found"]
    a_tree = (more["seconds"] - few["seconds"]) / (FEW_TREES[1] - FEW_TREES[0])
    scaled = few["seconds"] + a_tree * (table.n_trees - FEW_TREES[0])
    gigabytes = table.n_trees * np.diff(table.offsets).max() * table.leaf_sizes.max() * 8 / 1e9
    print(
        f"  quantile-forest: {scaled:.0f} s (from {n_queries} rows and {FEW_TREES} trees; {table.n_trees} trees ",
        end="",
    )
    print(f"would need {gigabytes:.0f} GB)")
    print(f"    ours is {scaled / ours:.1f} x faster; than the faster of the two: {min(scaled, scipy) / ours:.1f} x")


def _grow_deep(features: NDArray[np.uint8], digits: NDArray[np.uint8]) -> tuple[LeafTable, NDArray[np.int64]]:
    forest = RandomForestClassifier(300, random_state=0, n_jobs=-1).fit(features, digits)
    trees = [np.flatnonzero(tree.tree_.children_left < 0) for tree in forest.estimators_]
    reached = forest.apply(features)
    leaves = np.stack([np.searchsorted(own, column) for own, column in zip(trees, reached.T, strict=True)], axis=1)
    table = LeafTable.from_leaves(leaves.astype(np.int32), np.array([len(own) for own in trees]))
    return table, tree_weights("random_forest", table)


def _grow_shallow(features: NDArray[np.uint8], digits: NDArray[np.uint8]) -> tuple[LeafTable, NDArray[np.int64]]:
    booster = lightgbm.LGBMClassifier(
        n_estimators=200, num_leaves=31, colsample_bytree=0.1, random_state=0, n_jobs=2, verbose=-1
    ).fit(features, digits % 2)
    leaves = booster.predict(features, pred_leaf=True).astype(np.int32)
    n_leaves = leaves.max(axis=0) + 1
    table = LeafTable.from_leaves(leaves, n_leaves)
    values = [booster.booster_.get_leaf_output(tree, leaf) for tree in range(200) for leaf in range(n_leaves[tree])]
    return table, tree_weights("boosting", table, np.array(values)[:, None])


def _save(name: str, grown: tuple[LeafTable, NDArray[np.int64]], folder: Path) -> None:
    table, weights = grown
    np.save(folder / "codes.npy", table.codes)
    np.save(folder / "n_leaves.npy", np.diff(table.offsets))
    np.save(folder / "weights.npy", weights)
    shared = (table.leaf_sizes.astype(np.float64) ** 2).sum() / table.n_rows / table.n_trees
    print(f"\n{name}: {table.n_trees} trees of {np.diff(table.offsets).mean():,.0f} leaves", end="; ")
    print(f"a row shares its leaf of a tree with {shared:,.0f} rows (mean)")


def _read(folder: Path, n_trees: int) -> tuple[LeafTable, NDArray[np.int64]]:
    """Return the first trees; 0 means all."""
    part = slice(n_trees or None)
    codes, n_leaves = np.load(folder / "codes.npy")[part], np.load(folder / "n_leaves.npy")[part]
    codes = codes.astype(smallest_dtype(int(n_leaves.max())), copy=False)
    return LeafTable.from_codes(codes, n_leaves), np.load(folder / "weights.npy")[part]


def _drawn(n_queries: int) -> NDArray[np.int64]:
    return np.sort(np.random.default_rng(0).choice(N_ROWS, n_queries, replace=False))


def _in_own_process(way: str, folder: str, n_queries: int, n_trees: int = 0) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.nearest_rows", way, folder, str(n_queries), str(n_trees)]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def _measure(way: Way, folder: Path, n_queries: int, n_trees: int) -> dict[str, Any]:
    table, weights = _read(folder, n_trees)
    way(table.among(np.arange(2_000)), weights)(np.arange(1_000))
    memory, begin = PeakMemory(), time.perf_counter()
    find = way(table, weights)
    prepared = time.perf_counter()
    found = find(_drawn(n_queries))
    seconds = prepared - begin + (time.perf_counter() - prepared) * N_ROWS / n_queries
    return {"seconds": seconds, "megabytes": memory.megabytes(), "found": found.tolist()}


def _ours(table: LeafTable, weights: NDArray[np.int64]) -> Find:
    nearest = NearestRows(table, weights)
    return lambda rows: nearest.of_rows(rows, N_NEIGHBORS)[1]


def _scipy(table: LeafTable, weights: NDArray[np.int64]) -> Find:
    leaves = (table.codes.T + table.offsets[:-1]).ravel().astype(np.int32)
    shape, begins = (table.n_rows, int(table.offsets[-1])), np.arange(0, leaves.size + 1, table.n_trees)
    # 16 and 32 bits hold the sums, and are as fast as any.
    kind = np.uint16 if weights.sum() < 2**16 else np.uint32
    is_in = sparse.csr_matrix((np.ones(leaves.size, dtype=kind), leaves, begins), shape)
    weighed = sparse.csr_matrix((np.tile(weights.astype(kind), table.n_rows), leaves, begins), shape).T.tocsr()

    def find(rows: NDArray[np.int64]) -> Proximities:
        blocks = [rows[start : start + BLOCK_ROWS] for start in range(0, len(rows), BLOCK_ROWS)]
        return np.array([line for block in blocks for line in _largest(is_in[block] @ weighed, block)])

    return find


def _largest(product: sparse.csr_matrix, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    for line, row in enumerate(rows):
        part = slice(product.indptr[line], product.indptr[line + 1])
        shared = np.where(product.indices[part] == row, 0, product.data[part])
        yield np.sort(shared[np.argpartition(shared, -N_NEIGHBORS)[-N_NEIGHBORS:]])[::-1].astype(np.int64)


def _quantile_forest(table: LeafTable, _: NDArray[np.int64]) -> Find:
    room = np.zeros((table.n_trees, int(np.diff(table.offsets).max()), 1, int(table.leaf_sizes.max())), np.intp)
    for tree in range(table.n_trees):
        for leaf in range(table.offsets[tree + 1] - table.offsets[tree]):
            place = table.offsets[tree] + leaf
            members = table.members[table.starts[place] : table.starts[place + 1]]
            room[tree, leaf, 0, : len(members)] = members + 1  # 0 is nobody
    forest = QuantileForest(np.arange(table.n_rows, dtype=np.float64)[None], room)

    def find(rows: NDArray[np.int64]) -> Proximities:
        counts = forest.proximity_counts(table.leaves_of(rows).astype(np.intp), max_proximities=N_NEIGHBORS + 1)
        others = [[n for other, n in own.items() if other != row] for own, row in zip(counts, rows, strict=True)]
        # Rows that share no leaf are not counted; to us they are neighbours of proximity 0.
        padded = [[*each, *[0] * N_NEIGHBORS] for each in others]
        return np.array([sorted(each, reverse=True)[:N_NEIGHBORS] for each in padded])

    return find


WAYS: dict[str, Way] = {"ours": _ours, "scipy": _scipy, "quantile_forest": _quantile_forest}

if __name__ == "__main__":
    main()
