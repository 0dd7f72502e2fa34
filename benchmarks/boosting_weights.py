"""What the exact weights of training rows in a prediction of boosting take: 100,000 rows, 200 trees of LightGBM.

Checking is refitting all leaves from the targets, once for an explainer. A row is then explained by one pass from the
last tree to the first; several rows share the reading of leaves. What limits one row is reading, and adding to, the
numbers of leaves in the order of the rows, twice a tree; the numbers of a tree's leaves stay in the nearest cache.

``error``: the most by which the weighted sum of targets differs from LightGBM's own prediction, in parts of the largest
target; its gradients have single precision. Processor seconds, on one thread.

``python -m benchmarks.boosting_weights [rows [trees]]``
"""

import sys
import time

import numpy as np
from lightgbm import LGBMRegressor
from numpy.typing import NDArray
from sklearn.datasets import make_friedman1

from benchmarks.machine import describe_machine
from tree_explainers.boosting_weights import fitted_weights

N_ROWS, N_TREES = 100_000, 200
TOGETHER = (1, 4, 16)  # rows that are explained at a time
N_REPEATS = 3


def leaves_and_values(model: LGBMRegressor, rows: NDArray[np.float64]) -> tuple[NDArray[np.int32], list[list[float]]]:
    """Return the leaves of rows, (n_trees, n_rows), numbered within their trees, and the leaves' values, by tree."""
    booster = model.booster_
    codes = np.asarray(booster.predict(rows, pred_leaf=True), np.int32).T
    return codes, [
        [booster.get_leaf_output(tree, leaf) for leaf in range(of.max() + 1)] for tree, of in enumerate(codes)
    ]


def main() -> None:
    """Print what checking takes, and a row, by how many are explained together."""
    n_rows, n_trees = (int(text) for text in [*sys.argv[1:], *map(str, (N_ROWS, N_TREES)[len(sys.argv) - 1 :])])
    print(describe_machine())
    rows, values = make_friedman1(n_rows + max(TOGETHER), noise=1.0, random_state=0)
    targets = values[:n_rows]
    model = LGBMRegressor(n_estimators=n_trees, n_jobs=1, verbose=-1).fit(rows[:n_rows], targets)
    codes, of_trees = leaves_and_values(model, rows)
    offsets = np.cumsum([0, *map(len, of_trees)])
    begin = time.process_time()
    weights = fitted_weights(codes[:, :n_rows], offsets, np.concatenate(of_trees), 0.0, targets)
    print(f"{n_rows:,} rows, {n_trees} trees: leaves checked in {time.process_time() - begin:.2f} s")
    if weights is None:
        sys.exit("The leaves do not follow from the targets.")
    weights.weights(codes[:, n_rows : n_rows + 1].T)  # compiled
    for n_together in TOGETHER:
        explained = slice(n_rows, n_rows + n_together)
        begin = time.process_time()
        for _ in range(N_REPEATS):
            of_rows = weights.weights(codes[:, explained].T)
        seconds = (time.process_time() - begin) / N_REPEATS / n_together
        errors = np.abs(of_rows @ targets - model.predict(rows[explained])) / np.abs(targets).max()
        steps = f"{seconds / (n_rows * n_trees) * 1e9:.2f} ns a row and tree"
        print(f"{n_together:3d} rows together: {seconds * 1000:6.1f} ms a row, {steps}, error {errors.max():.0e}")


if __name__ == "__main__":
    main()
