"""The quality of prototypes as we measure it beside the figures of the package protree for the same prototypes.

Forests on shared data, prototypes by SM-U (listed class by class, as protree lists them, so that ties go to the same
one). protree gives rows that share no leaf with any prototype to the first one: such rows are left out here, and it
is given their number. It has no null: for a prototype without votes and a class with one prototype it says
0. So do we here, but its mean over classes is taken of those with two prototypes or more.
``python -m benchmarks.quality_measures``
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from protree.explainers import SM_A
from protree.metrics import group, individual

from tests.support.real_leaves import RealLeaves, real_leaves
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.prototype_sets.prototype_quality import measure_quality
from tree_explainers.prototype_sets.prototype_votes import Classes, count_votes
from tree_explainers.prototype_sets.selection import select_prototypes

from .machine import describe_machine

DATASETS = ("breast_cancer", "pima_diabetes", "spambase", "covertype_20k")
N_ROWS, N_TREES, N_EACH = 2_000, 100, 5
Measures = dict[str, NDArray[np.float64]]
TOLERANCE = 1e-5  # protree adds 1e-6 to the logarithm that it divides entropies by


@dataclass(frozen=True)
class Case:
    """Prototypes and the rows to measure them on."""

    real: RealLeaves
    chosen: NDArray[np.int64]  # rows of the data
    measured: NDArray[np.int64]  # rows of the data, each covered by a prototype

    @property
    def classes(self) -> NDArray[np.int64]:
        """Classes of all rows."""
        return self.real.classes("predicted")

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.max()) + 1


def main() -> None:
    """Measure, compare and print."""
    print(describe_machine())
    for dataset in DATASETS:
        case = _case(dataset)
        ours, seconds = _timed(lambda: _ours(case))  # noqa: B023  # called at once
        theirs, their_seconds = _timed(lambda: _theirs(case))  # noqa: B023  # called at once
        n_rows, n_left_out = len(case.measured), len(case.classes) - len(case.measured)
        print(f"\n{dataset}: {n_rows} rows ({n_left_out} left out), {N_TREES} trees, {len(case.chosen)} prototypes")
        print(f"  {seconds:.3f} s, protree {their_seconds:.1f} s")
        _compare(ours, theirs)


def _case(dataset: str) -> Case:
    real = real_leaves(dataset, "random_forest", N_ROWS, N_TREES)
    classes = real.classes("predicted")
    n_prototypes = N_EACH * len(np.unique(classes))
    chosen = select_prototypes(real.table, classes, real.weights, "sm_u", n_prototypes=n_prototypes).rows
    votes = count_votes(
        real.table,
        real.weights,
        real.leaves[chosen],
        Classes(int(classes.max()) + 1, classes, classes[chosen]),
        ignore_progress,
    )
    return Case(real, chosen, np.flatnonzero(votes.is_covered))


def _timed(work: Callable[[], Measures]) -> tuple[Measures, float]:
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def _ours(case: Case) -> Measures:
    """Return our measures by name, with protree's 0 where ours is NaN."""
    classes = Classes(case.n_classes, case.classes[case.measured], case.classes[case.chosen])
    table = LeafTable.from_leaves(case.real.leaves[case.measured], np.diff(case.real.table.offsets))
    quality = measure_quality(table, case.real.weights, case.real.leaves[case.chosen], classes)
    of_each, of_all = quality.of_each, quality.of_all
    measures = {
        "voting frequency": of_each.voting_frequency,
        "consistent votes": of_each.consistent_votes,
        "coverage (theirs: hubness)": of_each.coverage,
        "in-class similarity": of_each.in_class_similarity,
        "out-of-class similarity": of_each.out_of_class_similarity,
        "hubness entropy by class": quality.by_class.hubness_entropy[quality.by_class.n_prototypes > 0],
        "set: hubness entropy": np.array([of_all.hubness_entropy]),
        "set: in-class similarity": np.array([of_all.in_class_similarity]),
        "set: out-of-class similarity": np.array([of_all.out_of_class_similarity]),
    }
    return {name: np.nan_to_num(values) for name, values in measures.items()}


def _theirs(case: Case) -> Measures:
    everything, chosen = pd.DataFrame(case.real.features), case.chosen
    prototypes = {
        int(own): everything.iloc[chosen[case.classes[chosen] == own]] for own in np.unique(case.classes[chosen])
    }
    rows, classes = everything.iloc[case.measured], case.classes[case.measured]
    explainer = SM_A(case.real.estimator)

    def of_each(measure: Callable[..., float], *truth: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.array([measure(prototypes, own, row, explainer, rows, *truth) for own, row in _names(prototypes)])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entropies = group.vector_entropy_hubness(prototypes, explainer, rows)
        return {
            "voting frequency": of_each(individual.voting_frequency),
            "consistent votes": of_each(individual.consistent_votes),
            "coverage (theirs: hubness)": of_each(individual.hubness, classes),
            "in-class similarity": of_each(individual.individual_in_distribution, classes),
            "out-of-class similarity": of_each(individual.individual_out_distribution, classes),
            "hubness entropy by class": np.array([entropies[own] for own in prototypes]),
            "set: hubness entropy": np.array(
                [np.mean([entropies[own] for own in prototypes if len(prototypes[own]) > 1])]
            ),
            "set: in-class similarity": np.array([group.mean_in_distribution(prototypes, explainer, rows, classes)]),
            "set: out-of-class similarity": np.array(
                [group.mean_out_distribution(prototypes, explainer, rows, classes)]
            ),
        }


def _names(prototypes: dict[int, Any]) -> list[tuple[int, int]]:
    return [(own, row) for own, frame in prototypes.items() for row in frame.index]


def _compare(ours: Measures, theirs: Measures) -> None:
    print(f"  {'measure':<30} {'ours, mean':>12} {'protree':>12} {'largest difference':>20}")
    for name, values in ours.items():
        difference = np.abs(values - theirs[name]).max()
        print(f"  {name:<30} {values.mean():>12.6f} {theirs[name].mean():>12.6f} {difference:>20.2e}")
        assert difference < TOLERANCE, name


if __name__ == "__main__":
    main()
