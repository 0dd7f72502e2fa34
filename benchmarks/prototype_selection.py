"""Choosing 50 prototypes by SM-A from leaves: ours against plain numpy and the package protree.

MNIST 4 vs 9 (11,791 training rows), 1,000 unrestricted trees of scikit-learn, fitted once; classes are those that the
forest predicts. Each works in a process of its own from the same file of leaves, after a small run that loads what it
needs; time and the highest memory are counted from there on. Memory is handed back as in the process of a job. The
others run three times and ours nine times, in turns; of each, the run of median time is printed.

- plain numpy: the leaves of each row are compared with those of all, ``(leaves == leaves[row]).sum(axis=1)``, into
  one matrix, all in 16 bits (which numpy does fastest); then greedy, every row's gain again for each prototype. It must
  choose the same rows.
- protree: its SM_A, given a forest whose ``apply`` and ``predict`` look up what the real one said. It calls
  ``numpy.in1d``, which newer versions of numpy do not have; ``numpy.isin`` stands in. Its sums are of floats, so of
  rows that are equally good it may choose others.

``python -m benchmarks.prototype_selection [rounds [--without-protree]]``
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tests.support.shared import shared_path
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.prototype_sets.selection import select_prototypes
from workers.runtime.process_limits import hand_back_large_blocks

from .machine import describe_machine
from .peak_memory import PeakMemory

N_TREES, N_PROTOTYPES, N_ROUNDS = 1_000, 50, 3

Leaves = NDArray[np.uint16]
Classes = NDArray[np.int64]


def main() -> None:
    """Fit the forest, start each way in its own process, and print."""
    if len(sys.argv) > 1 and sys.argv[1] in WAYS:
        print(json.dumps(_measure(WAYS[sys.argv[1]], Path(sys.argv[2]))))
        return
    n_rounds = int(sys.argv[1]) if len(sys.argv) > 1 else N_ROUNDS
    has_protree = "--without-protree" not in sys.argv
    print(describe_machine())
    with tempfile.TemporaryDirectory() as folder:
        _save_leaves(Path(folder))
        # In turns: the machine is not always as fast.
        ways = ("ours", "numpy", "ours", *(["protree"] if has_protree else []), "ours") * n_rounds
        runs = [(way, _in_own_process(way, folder)) for way in ways]
    ours, dense = (_median(runs, way) for way in ("ours", "numpy"))
    print(f"ours: {ours['seconds']:.2f} s, {ours['megabytes']:.0f} MB at most")
    assert dense["rows"] == ours["rows"]
    _compare("plain numpy", dense, ours, 50)
    if has_protree:
        _compare("protree", _median(runs, "protree"), ours, 10)


def _median(runs: list[tuple[str, dict[str, Any]]], way: str) -> dict[str, Any]:
    own = sorted((run for made_by, run in runs if made_by == way), key=lambda run: run["seconds"])
    return own[len(own) // 2]


def _compare(name: str, other: dict[str, Any], ours: dict[str, Any], to_reach: int) -> None:
    n_same = len(set(other["rows"]) & set(ours["rows"]))
    same = f"{n_same} of {N_PROTOTYPES} rows the same"
    print(f"{name}: {other['seconds']:.1f} s, {other['megabytes']:.0f} MB at most; {same}")
    times, share = other["seconds"] / ours["seconds"], ours["megabytes"] / other["megabytes"]
    print(f"  ours is {times:.0f} x faster (to reach: {to_reach}) with {share:.3f} of the memory (to stay under: 0.2)")


def _save_leaves(folder: Path) -> None:
    with np.load(shared_path("data/mnist.npz"), allow_pickle=False) as images:
        which = np.isin(images["y_train"], (4, 9))
        features = images["X_train"][which].reshape(which.sum(), -1).astype(np.float32)
        target = images["y_train"][which]
    forest = RandomForestClassifier(N_TREES, random_state=0, n_jobs=-1).fit(features, target)
    reached = forest.apply(features)
    trees = [np.flatnonzero(tree.tree_.children_left < 0) for tree in forest.estimators_]
    leaves = [np.searchsorted(own, column) for own, column in zip(trees, reached.T, strict=True)]
    sizes = [len(own) for own in trees]
    np.save(folder / "leaves.npy", np.stack(leaves, axis=1).astype(np.uint16))
    np.save(folder / "n_leaves.npy", np.array(sizes))
    np.save(folder / "classes.npy", (forest.predict(features) == 9).astype(np.int64))
    print(f"{len(features):,} rows x {N_TREES} trees of {min(sizes)} to {max(sizes)} leaves")


def _in_own_process(way: str, folder: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.prototype_selection", way, folder]
    answer: dict[str, Any] = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return answer


def _measure(way: Callable[[Leaves, NDArray[np.int64], Classes, int], list[int]], folder: Path) -> dict[str, Any]:
    hand_back_large_blocks()
    few = np.load(folder / "leaves.npy", mmap_mode="r")[:64].copy()
    n_leaves, classes = np.load(folder / "n_leaves.npy"), np.load(folder / "classes.npy")
    way(few, n_leaves, classes[:64], 2)
    leaves, memory, start = np.load(folder / "leaves.npy"), PeakMemory(), time.perf_counter()
    rows = way(leaves, n_leaves, classes, N_PROTOTYPES)
    return {"seconds": time.perf_counter() - start, "megabytes": memory.megabytes(), "rows": rows}


def _ours(leaves: Leaves, n_leaves: NDArray[np.int64], classes: Classes, n_prototypes: int) -> list[int]:
    table = LeafTable.from_codes(np.ascontiguousarray(leaves.T), n_leaves)
    weights = np.ones(len(n_leaves), dtype=np.int64)
    rows: list[int] = select_prototypes(table, classes, weights, "sm_a", n_prototypes=n_prototypes).rows.tolist()
    return rows


def _plain_numpy(leaves: Leaves, _: NDArray[np.int64], classes: Classes, n_prototypes: int) -> list[int]:
    near = np.empty((len(leaves), len(leaves)), dtype=np.uint16)
    for row in range(len(leaves)):
        near[row] = (leaves == leaves[row]).sum(axis=1, dtype=np.uint16)
    near[classes[:, None] != classes] = 0
    covered = np.zeros(len(leaves), dtype=np.uint16)
    rows: list[int] = []
    for _step in range(n_prototypes):
        rows.append(int(np.maximum(near, covered).sum(axis=1, dtype=np.int64).argmax()))
        covered = np.maximum(covered, near[rows[-1]])
    return rows


class _Remembering(RandomForestClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """A forest that looks rows up by their number, and knows their leaves and classes."""

    def remember(self, leaves: Leaves, classes: Classes) -> "_Remembering":
        self.leaves, self.classes = leaves, classes
        return self

    def apply(self, X: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: N803
        return self.leaves[X[:, 0]].astype(np.int64)  # as scikit-learn's are

    def predict(self, X: NDArray[np.int64]) -> NDArray[np.int64]:  # noqa: N803
        return np.asarray(self.classes[X[:, 0]])


def _protree(leaves: Leaves, n_leaves: NDArray[np.int64], classes: Classes, n_prototypes: int) -> list[int]:
    setattr(np, "in1d", np.isin)  # noqa: B010  # by its name it would be refused as what it is: gone
    from protree.explainers import SM_A  # not in the processes of the others

    forest = _Remembering(len(n_leaves)).remember(leaves, classes)
    chosen = SM_A(forest, n_prototypes=n_prototypes).select_prototypes(pd.DataFrame({"row": np.arange(len(leaves))}))
    return [int(row) for of_class in chosen.values() for row in of_class["row"]]


WAYS = {"ours": _ours, "numpy": _plain_numpy, "protree": _protree}

if __name__ == "__main__":
    main()
