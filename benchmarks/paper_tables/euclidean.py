"""Table 1 of Tan et al. (2020): its rows of Euclidean distance, the baseline that knows nothing of the trees.

Distances are between raw features, each replaced by its rank among the training rows (0 to 1, ties halfway): the paper
does not say how features were scaled. Prototypes are chosen by the library, as a request with
``proximity_kind: "euclidean"`` has them chosen; proximity is 1 less the distance, in units of the greatest possible.

``python -m benchmarks.paper_tables.euclidean [divisions [dataset …]]``
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaf_space.euclidean_table import EuclideanTable
from tree_explainers.prototype_sets.selection import Method
from tree_explainers.rank_scale import RankScale

from ..machine import describe_machine
from .curves import Tested, best_on_valid, curve, one_nearest_neighbour
from .published import TAN_DATASETS, TAN_EUCLIDEAN
from .rows import Split
from .spread import Spread
from .tan_data import tan_split

N_DIVISIONS, MOST, MOST_OF_DIGITS = 5, 100, 400
METHODS: tuple[Method, ...] = ("sm_u", "sg", "sm_a", "sm_wa")
_FEWER = {"mnist_4v9": 1, "rhc": 2}


@dataclass(frozen=True)
class EuclideanSpace:
    """Training, validation and test rows, all ranked among the training rows: what a ``TreeSpace`` is by leaves."""

    train: EuclideanTable
    valid: EuclideanTable
    test: EuclideanTable
    predicted: tuple[None, None, None] = (None, None, None)  # there is no model

    @classmethod
    def of(cls, split: Split) -> "EuclideanSpace":
        """Rank the rows of a split."""
        scale = RankScale.of(split.train.features.T, [True] * split.train.features.shape[1])
        train, valid, test = (
            EuclideanTable(scale.positions(part.features.T), scale.is_ranked)
            for part in (split.train, split.valid, split.test)
        )
        return cls(train, valid, test)

    @property
    def leaves(self) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
        """Positions of the rows, (n_rows, n_features) each, which stand for leaves."""
        return self.train.positions, self.valid.positions, self.test.positions

    @property
    def weights(self) -> NDArray[np.int64]:
        """What counts."""
        return self.train.weights


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
    space = EuclideanSpace.of(split)
    yield "1-nn", _scored(one_nearest_neighbour(space, split))
    for method in METHODS:
        yield method, _scored(best_on_valid(curve(space, split, method, most), "balanced_accuracy"))


def _scored(tested: Tested) -> tuple[float, int]:
    return tested.test.balanced_accuracy or 0.0, tested.n_prototypes or 0


if __name__ == "__main__":
    main()
