"""How often the 90 % intervals of ``training_rows`` hold the value of a row that was held out, and how wide they are.

Ten tasks of regression, at most 3,000 rows each: three datasets of regression with four targets, Friedman's three
functions with noise, and a numeric column of three datasets of classification. 70 % of the rows train a
RandomForestRegressor of 200 trees, with leaves of 1 row or of 5 at least, else with scikit-learn's defaults; small
datasets are divided four times.

For each held-out row: whether its value lies in the interval by the shares of all trees (``held``), and below and above
it (``below``, ``above``; 5 % each is right). For 300 training rows: whether it lies in that by the trees that did not
learn from the row (``out of bag``), and, for comparison, in that by all trees, among whose targets is its own (``all
trees``). ``width``: mean width of the held-out rows' intervals, in parts of that of the interval between the .05 and
.95 quantiles of all training targets, which knows nothing of the row. ``error``: the most by which the weighted mean of
the targets differs from the forest's own prediction, in parts of the largest target.

``python -m benchmarks.training_rows [tasks, by commas]``
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.ensemble import RandomForestRegressor
from sklearn.model_selection import train_test_split

from benchmarks.machine import describe_machine
from tests.support.shared import shared_path
from tree_explainers.training_rows import LEVEL, TrainingRows, prediction_interval

Floats = NDArray[np.float64]

MAX_ROWS, SMALL, N_DIVISIONS, N_TRAINING = 3_000, 1_000, 4, 300
TEST_SHARE, N_TREES = 0.3, 200
LEAVES = (1, 5)  # rows of a leaf, at least
OF_FILES = {
    "california, value": ("california_housing", "median_house_value", ()),
    "energy, heating": ("energy_efficiency", "heating_load", ("cooling_load",)),
    "energy, cooling": ("energy_efficiency", "cooling_load", ("heating_load",)),
    "adult, age": ("adult", "age", ()),
    "covertype, elevation": ("covertype_20k", "elevation", ()),
    "magic, distance": ("magic_gamma", "FDist", ()),
}
GENERATED = {
    "friedman 1": (make_friedman1, 1.0),
    "friedman 2": (make_friedman2, 125.0),
    "friedman 3": (make_friedman3, 0.1),
}
TASKS = ("diabetes", *OF_FILES, *GENERATED)
COLUMNS = ("held", "below", "above", "out of bag", "all trees", "width", "error")


def draw(task: str, seed: int) -> tuple[NDArray[np.float32], Floats]:
    """Return features, (n_rows, n_features), categories as indicators, and values, (n_rows,), of at most 3,000 rows."""
    if task == "diabetes":
        features, values = load_diabetes(return_X_y=True)
        return features.astype(np.float32), values
    if task in GENERATED:
        make, noise = GENERATED[task]
        features, values = make(n_samples=MAX_ROWS, noise=noise, random_state=seed)
        return features.astype(np.float32), values
    name, target, left_out = OF_FILES[task]
    frame = pd.read_parquet(shared_path(f"data/{name}.parquet")).dropna(subset=[target])
    frame = frame.sample(min(len(frame), MAX_ROWS), random_state=seed)
    features = pd.get_dummies(
        frame.drop(columns=[target, "source_split", *left_out], errors="ignore"), dtype=np.float32
    )
    return features.astype("float64").to_numpy(np.float32, na_value=np.nan), frame[target].to_numpy(np.float64)


def measured(task: str, n_leaf: int, seed: int) -> Mapping[str, float]:
    """Return the columns of one division of a task."""
    features, values = draw(task, seed)
    train, test = train_test_split(np.arange(len(values)), test_size=TEST_SHARE, random_state=seed)
    forest = RandomForestRegressor(N_TREES, min_samples_leaf=n_leaf, random_state=seed, n_jobs=1)
    forest.fit(features[train], values[train])
    leaves, training = training_rows_of(forest, features, train)
    targets = values[train]
    shares = np.stack([training.shares(of_row) for of_row in leaves[test]])
    ends = np.array([prediction_interval(targets, each) for each in shares])
    picked = np.random.default_rng(seed).permutation(len(train))[:N_TRAINING]
    low, high = np.quantile(targets, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return {
        "held": float(_are_held(ends, values[test]).mean()),
        "below": float((values[test] < ends[:, 0]).mean()),
        "above": float((values[test] > ends[:, 1]).mean()),
        **_of_training_rows(training, leaves[train], targets, picked),
        "width": float((ends[:, 1] - ends[:, 0]).mean() / (high - low)),
        "error": float(np.abs(shares @ targets - forest.predict(features[test])).max() / np.abs(targets).max()),
    }


def training_rows_of(
    forest: RandomForestRegressor, features: NDArray[np.float32], train: NDArray[Any]
) -> tuple[NDArray[np.int64], TrainingRows]:
    """Return the leaves of all rows, (n_rows, n_trees), numbered within their trees, and the rows of each leaf."""
    numbers = [np.cumsum(tree.tree_.children_left < 0) - 1 for tree in forest.estimators_]
    nodes = forest.apply(features).T
    leaves = np.stack([number[of_tree] for number, of_tree in zip(numbers, nodes, strict=True)], axis=1)
    offsets = np.cumsum([0, *(tree.tree_.n_leaves for tree in forest.estimators_)])
    drawn = forest.estimators_samples_
    counts = [np.bincount(rows, minlength=len(train)) for rows in drawn]
    return leaves, TrainingRows.of(leaves[train].T, offsets, counts.__getitem__)


def _of_training_rows(
    training: TrainingRows, leaves: NDArray[np.int64], targets: Floats, picked: NDArray[Any]
) -> Mapping[str, float]:
    """Return how often intervals of training rows hold their values, out of bag and by all trees."""
    by_others = [training.shares(leaves[row], training.is_out_of_bag(row, leaves[row])) for row in picked]
    by_all = [training.shares(leaves[row]) for row in picked]
    held = [
        _are_held(np.array([prediction_interval(targets, shares) for shares in by]), targets[picked]).mean()
        for by in (by_others, by_all)
    ]
    return {"out of bag": float(held[0]), "all trees": float(held[1])}


def _are_held(ends: Floats, values: Floats) -> NDArray[np.bool_]:
    return np.asarray((ends[:, 0] <= values) & (values <= ends[:, 1]))


def _means(results: Sequence[Mapping[str, float]]) -> Mapping[str, float]:
    return {name: float(np.mean([result[name] for result in results])) for name in COLUMNS}


def line(title: str, found: Mapping[str, float]) -> str:
    """Return a line of the table."""
    cells = [f"{found[name]:9.0e}" if name == "error" else f"{found[name]:10.1%}" for name in COLUMNS]
    return f"{title:36s}{' '.join(cells)}"


def main() -> None:
    """Print a line for each task and size of leaves, and the means."""
    tasks = sys.argv[1].split(",") if len(sys.argv) > 1 else list(TASKS)
    print(describe_machine())
    print(f"{'':36s}{' '.join(f'{name:>10s}' for name in COLUMNS)}")
    for n_leaf in LEAVES:
        of_tasks = []
        for task in tasks:
            n_divisions = N_DIVISIONS if len(draw(task, 0)[1]) < SMALL else 1
            of_task = _means([measured(task, n_leaf, seed) for seed in range(n_divisions)])
            of_tasks.append(of_task)
            print(line(f"{task}, leaves of {n_leaf}", of_task), flush=True)
        print(line(f"mean, leaves of {n_leaf}", _means(of_tasks)), flush=True)


if __name__ == "__main__":
    main()
