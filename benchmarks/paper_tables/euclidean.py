"""Table 1 of Tan et al. (2020): its rows of Euclidean distance, the baseline that knows nothing of the trees.

Distances are between raw features, each replaced by its rank among the training rows (0 to 1, ties halfway): the paper
does not say how features were scaled. Prototypes are chosen from the matrix of all distances between training rows,
by the paper's methods as they are printed; proximity is the greatest distance less the distance. The service offers no
such distance: it has no leaves, on which bounds, explanations and exports stand, and the table shows what it is worth.

``python -m benchmarks.paper_tables.euclidean [divisions [dataset …]]``
"""

import sys
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist
from scipy.stats import rankdata

from tree_explainers.prototype_sets.classifier import score_classes

from ..machine import describe_machine
from .published import TAN_DATASETS, TAN_EUCLIDEAN
from .rows import Part, Split
from .spread import Spread
from .tan_data import tan_split

Matrix = NDArray[np.float64]
Classes = NDArray[np.int64]
N_DIVISIONS, MOST, MOST_OF_DIGITS = 5, 100, 400
_FEWER = {"mnist_4v9": 1, "rhc": 2}


def main() -> None:
    """Run and print the table."""
    n_divisions = int(sys.argv[1]) if len(sys.argv) > 1 else N_DIVISIONS
    datasets = sys.argv[2:] or TAN_DATASETS
    print("# Tan et al. (2020), table 1: Euclidean distance\n")
    about = (__doc__ or "").split("``python")[0].partition("\n\n")[2].strip()
    print(f"{about}\n\n{describe_machine()}\n")
    print(
        "Balanced accuracy on test rows; in brackets the number of prototypes that the validation rows choose (mean).\n"
    )
    print("| dataset | divisions | method | paper | ours |\n|---|---|---|---|---|")
    for dataset in datasets:
        splits = [tan_split(dataset, seed) for seed in range(min(n_divisions, _FEWER.get(dataset, n_divisions)))]
        most = MOST_OF_DIGITS if dataset == "mnist_4v9" else MOST
        found = [dict(_column(split, most)) for split in splits]
        for method, (score, n_prototypes) in TAN_EUCLIDEAN[dataset].items():
            scores = Spread.of([one[method][0] for one in found])
            mean_number = np.mean([one[method][1] for one in found])
            ours = f"{scores} ({mean_number:.0f})"
            print(f"| {dataset} | {len(splits)} | {method} | {score:.2f} ({n_prototypes}) | {ours} |", flush=True)


def _column(split: Split, most: int) -> Iterator[tuple[str, tuple[float, int]]]:
    """Yield each method with its score on the test rows, and the number of prototypes chosen on validation rows."""
    train, valid, test = (ranks(split.train, part) for part in (split.train, split.valid, split.test))
    classes, between = split.train.classes, cdist(train, train)
    to_valid, to_test = cdist(valid, train), cdist(test, train)
    everything = np.arange(len(train))
    yield "1-nn", (score_of(to_test, everything, split, split.test), len(train))
    for method in ("sm_u", "sg", "sm_a", "sm_wa"):
        sets = list(prototype_sets(method, between, classes, most))
        on_valid = [score_of(to_valid, chosen, split, split.valid) for chosen in sets]
        chosen = sets[int(np.argmax(on_valid))]  # of equal ones the smallest
        yield method, (score_of(to_test, chosen, split, split.test), len(chosen))


def ranks(train: Part, part: Part) -> Matrix:
    """Return each value's rank among the training rows' values, in 0 to 1."""
    columns = []
    for known, values in zip(train.features.T, part.features.T, strict=True):
        distinct, first = np.unique(known, return_index=True)
        columns.append(np.interp(values, distinct, rankdata(known)[first] / len(known)))
    return np.stack(columns, axis=1)


def score_of(distances: Matrix, chosen: NDArray[np.int64], split: Split, part: Part) -> float:
    """Return the balanced accuracy on rows of the nearest of the chosen prototypes, by (n_rows, n_train) distances."""
    nearest = chosen[distances[:, chosen].argmin(axis=1)]  # of equally near ones the earlier
    given = split.train.classes[nearest]
    return float(score_classes(given, part.classes, None).balanced_accuracy or 0.0)


def prototype_sets(method: str, distances: Matrix, classes: Classes, most: int) -> Iterator[NDArray[np.int64]]:
    """Yield the sets of prototypes, the smallest first."""
    if method == "sg":
        order = np.array(list(_supervised(distances, classes, most)), dtype=np.int64)
        yield from (order[:size] for size in range(1, len(order) + 1))
    elif method == "sm_u":
        near = _near(distances, np.zeros_like(classes))
        values = np.unique(classes)
        own = [np.flatnonzero(classes == value) for value in values]
        each = [rows[list(_greedy(near[np.ix_(rows, rows)], most // len(values)))] for rows in own]
        shortest = min(map(len, each))
        yield from (np.concatenate([rows[:size] for rows in each]) for size in range(1, shortest + 1))
    else:
        sizes = np.bincount(classes)[classes]
        worth = 1 / sizes if method == "sm_wa" else np.ones(len(classes))
        order = np.array(list(_greedy(_near(distances, classes), most, worth)), dtype=np.int64)
        yield from (order[:size] for size in range(1, len(order) + 1))


def _near(distances: Matrix, classes: Classes) -> NDArray[np.float32]:
    """Return proximities between rows of the same class, and 0 between others."""
    return np.where(classes[:, None] == classes, distances.max() - distances, 0).astype(np.float32)


def _greedy(near: NDArray[np.float32], most: int, worth: Matrix | None = None) -> Iterator[int]:
    """Yield the row that adds most to the rows' proximities to their nearest prototype, again and again."""
    covered = np.zeros(len(near), dtype=np.float32)
    for _ in range(min(most, len(near))):
        gains = np.maximum(near - covered[:, None], 0).sum(axis=0, dtype=np.float64)
        row = int(np.argmax(gains if worth is None else gains * worth))
        covered = np.maximum(covered, near[:, row])
        yield row


def _supervised(distances: Matrix, classes: Classes, most: int) -> Iterator[int]:
    """Yield the row that raises balanced accuracy on the training rows most, until none does (ties: more covered)."""
    n_rows, worth = len(classes), 1 / np.bincount(classes)[classes]
    near, covered = _near(distances, classes), np.zeros(n_rows, dtype=np.float32)
    nearest, is_right = np.full(n_rows, np.inf), np.zeros(n_rows, dtype=np.bool_)
    for _ in range(most):
        wins = distances < nearest[:, None]
        lost = (is_right * worth) @ wins
        won = np.stack([((classes == value) * worth) @ wins for value in np.unique(classes)])[
            classes, np.arange(n_rows)
        ]
        improvement = won - lost
        if improvement.max() <= 1e-12:  # rounding
            return
        best = np.flatnonzero(improvement >= improvement.max() - 1e-12)
        row = int(best[np.argmax(np.maximum(near[:, best] - covered[:, None], 0).sum(axis=0))])
        is_right = np.where(wins[:, row], classes == classes[row], is_right)
        nearest, covered = np.minimum(nearest, distances[:, row]), np.maximum(covered, near[:, row])
        yield row


if __name__ == "__main__":
    main()
