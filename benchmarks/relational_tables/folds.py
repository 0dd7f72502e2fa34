"""One division of the examples: ensembles and ISM of each, their accuracies on the held-out part and their sizes."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tests.support.raw_tables import RawTables, relational_rows
from tree_explainers.relational.c45_pruning import prune
from tree_explainers.relational.tables import MISSING, RelationalRows
from tree_explainers.relational.tilde import grow_tilde
from tree_explainers.relational.tilde_trees import TildeSettings, TildeTree

from .over_columns import Ensemble, IsmTree, TestColumns, grow_ism
from .published import SIZES
from .sampling import grow_drawn_again
from .studies import Study, forf_of

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Figure:
    """What one model of one fold scored."""

    study: str
    pruned: bool  # the ensemble's trees
    model: str
    n_trees: int
    repeat: int
    fold: int
    accuracy: float
    n_tests: int
    n_tests_merged: int  # of ISM: once leaves that say the same are merged


def divisions(rows: RelationalRows, repeat: int, n_folds: int = 5) -> list[tuple[Rows, Rows]]:
    """Return the training and test examples of each fold, classes in equal shares."""
    assert rows.labels is not None
    rng = np.random.default_rng((7, repeat))
    order = rng.permutation(rows.n_examples)
    order = order[np.argsort(rows.labels[order], kind="stable")]
    fold_of = np.empty(rows.n_examples, np.int64)
    fold_of[order] = np.arange(rows.n_examples) % n_folds
    return [(np.flatnonzero(fold_of != fold), np.flatnonzero(fold_of == fold)) for fold in range(n_folds)]


def fold_figures(study: Study, repeat: int, fold: int) -> list[Figure]:
    """Measure one fold: TILDE, and for bagging and FORF of each size the ensemble and its ISM."""
    rows = _rows(study.load)
    assert rows.labels is not None
    train, test = divisions(rows, repeat)[fold]
    hidden = rows.labels.copy()
    hidden[test] = MISSING
    training = replace(rows, labels=hidden)
    held_out = Division(study.title, repeat, fold, rows, train, test)
    key = repeat * 100 + fold
    counts = np.bincount(train, minlength=rows.n_examples).astype(float)
    found = held_out.figures("TILDE", [_grown(training, counts, study, study.tree, (key, 0))])
    for model, tree in (("bagging", study.tree), ("FORF", forf_of(study))):
        trees = []
        for place in range(max(SIZES)):
            drawn = train[np.random.default_rng((key, place)).integers(len(train), size=len(train))]
            weights = np.bincount(drawn, minlength=rows.n_examples).astype(float)
            trees.append(_grown(training, weights, study, tree, (key, place + 1)))
        found += held_out.figures(model, trees)
    return found


@cache
def _rows(load: Callable[[], RawTables]) -> RelationalRows:
    return relational_rows(load())


def _grown(
    rows: RelationalRows, weights: NDArray[np.float64], study: Study, tree: TildeSettings, key: tuple[int, int]
) -> TildeTree:
    if study.draws_again and tree.test_share < 1:
        return grow_drawn_again(rows, weights, tree, key)
    return grow_tilde(rows, weights, tree, key, n_threads=1)


@dataclass(frozen=True)
class Division:
    """One fold of one study."""

    study: str
    repeat: int
    fold: int
    rows: RelationalRows
    train: Rows
    test: Rows

    def figures(self, model: str, unpruned: list[TildeTree]) -> list[Figure]:
        """Measure ensembles of the first trees, pruned and unpruned, and ISM of each."""
        found = []
        for pruned in (True, False):
            trees = [prune(tree) for tree in unpruned] if pruned else unpruned
            columns = TestColumns.of(trees, self.rows)
            ensemble = Ensemble.of(trees, columns)
            for n_trees in SIZES if len(trees) > 1 else (1,):
                first = ensemble.first(n_trees)
                said = first.mean_scores().argmax(axis=1)
                found.append(self._figure(pruned, model, n_trees, said, (first.n_tests, first.n_tests)))
                if n_trees > 1:
                    ism = self._ism(first, columns)
                    sizes = (ism.n_tests, ism.n_tests_merged)
                    found.append(self._figure(pruned, f"ISM of {model}", n_trees, ism.labels(columns.passed), sizes))
        return found

    def _ism(self, ensemble: Ensemble, columns: TestColumns) -> IsmTree:
        assert self.rows.labels is not None
        return grow_ism(ensemble, columns, self.train, self.rows.labels)

    def _figure(self, pruned: bool, model: str, n_trees: int, said: Rows, sizes: tuple[int, int]) -> Figure:
        assert self.rows.labels is not None
        accuracy = float((said[self.test] == self.rows.labels[self.test]).mean())
        return Figure(self.study, pruned, model, n_trees, self.repeat, self.fold, accuracy, *sizes)
