"""What each kind of proximity predicts: how well a row's nearest rows say what the model says of it, out of sample.

Ten datasets of classification and two of regression, 3,000 rows at most, 70 % of which train a model: a random forest
of 100 trees, LightGBM of 200 trees of 31 leaves, or XGBoost of 200 trees of depth 6. The training rows are the
reference; each of the other rows is compared with all of them, by the trees' own leaves. What the model says of the row
is read off what it says of its nearest reference row, of the five nearest, and of all, weighted by their proximities
(ties: the lowest row). ``R2``: of the model's value, or of its score for the most frequent class; ``agrees``: the share
of rows for which the class of the largest sum of proximities is the model's (classification alone). ``constant``: one
answer for all rows, the mean or the most frequent class. ``gap`` and ``oob`` need bags, which boosting does not have;
boosting's ``kernel`` and ``graded`` weigh trees as ``boosting_sd`` does.

``python -m benchmarks.kinds_of_proximity [datasets, by commas]``
"""

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from leafspace_client.conversion import convert_model
from leafspace_client.conversion.bags import bags_of
from lightgbm import LGBMClassifier, LGBMRegressor
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from xgboost import XGBClassifier, XGBRegressor

from benchmarks import ten_datasets
from benchmarks.machine import describe_machine
from tests.support.converted import raw_rows, read_converted
from tree_explainers.bags import Bags
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.leaf_space.counted_table import BagKind, CountedTable
from tree_explainers.leaf_space.graded_table import GradedTable
from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights
from tree_explainers.leaf_space.nearest_by_counts import NearestByCounts
from tree_explainers.leaf_space.nearest_by_depth import NearestByDepth
from tree_explainers.leaf_space.proximity import columns
from tree_explainers.onnx_models.session import ModelSession

N_FEW = 5
WAYS = ("nearest", "five", "all")
OF_TREES: dict[str, tuple[ProximityKind, ...]] = {
    "forest": ("random_forest",),
    "boosting": ("random_forest", "boosting", "boosting_sd", "boosting_l1"),
}
BY_BAGS: tuple[BagKind, ...] = ("gap", "oob")
MODELS = ("forest", "LightGBM", "XGBoost")

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Compared:
    """A fitted model, the leaves of its training rows and of others, and what it says of both."""

    ensemble: TreeEnsemble
    bags: Bags | None
    known: NDArray[np.int32]  # (n_training_rows, n_trees)
    others: NDArray[np.int32]  # (n_rows, n_trees)
    values: Floats  # (n_training_rows,)
    expected: Floats  # (n_rows,)
    classes: NDArray[np.int64] | None  # (n_training_rows,)
    expected_classes: NDArray[np.int64] | None  # (n_rows,)

    @property
    def table(self) -> LeafTable:
        """The leaves of the training rows."""
        return LeafTable.from_leaves(self.known, self.ensemble.n_leaves)

    def each_kind(self) -> Iterator[tuple[str, Floats]]:
        """Yield each kind that the model has, and the proximity of each row to each training row."""
        table, is_forest = self.table, self.bags is not None
        for kind in OF_TREES["forest" if is_forest else "boosting"]:
            yield kind, columns(table, tree_weights(kind, table, self.ensemble.leaf_values), self.others).astype(float)
        weights = tree_weights("random_forest" if is_forest else "boosting_sd", table, self.ensemble.leaf_values)
        yield "kernel", NearestByCounts(CountedTable.by_sizes(table, weights)).columns_of_new(self.others).astype(float)
        both = LeafTable.from_leaves(np.concatenate([self.known, self.others]), self.ensemble.n_leaves)
        graded, n_known = GradedTable.of(self.ensemble, both, weights), len(self.known)
        leaves = graded.leaves_of(np.arange(n_known, both.n_rows))
        yield "graded", NearestByDepth(graded).columns(leaves)[:, :n_known].astype(float)
        for by_bags in BY_BAGS if self.bags is not None else ():
            assert self.bags is not None
            counted = CountedTable.by_bags(by_bags, table, self.bags)
            yield by_bags, NearestByCounts(counted).columns_of_new(self.others).astype(float)

    def measured(self, proximities: Floats) -> dict[str, tuple[float, float]]:
        """Return for each way of reading R2, and the share of rows that agree (NaN for regression)."""
        order = np.argsort(-proximities, axis=1, kind="stable")
        figures = {}
        for way, n_rows in zip(WAYS, (1, N_FEW, len(self.known)), strict=True):
            weights = np.zeros_like(proximities)
            rows = order[:, :n_rows]
            np.put_along_axis(weights, rows, np.take_along_axis(proximities, rows, axis=1), axis=1)
            figures[way] = self._figures(weights)
        return figures

    def _figures(self, weights: Floats) -> tuple[float, float]:
        totals = weights.sum(axis=1)
        weights = np.where(totals[:, None] > 0, weights, 1.0)  # near to none: as a constant answer
        read = weights @ self.values / weights.sum(axis=1)
        if self.classes is None or self.expected_classes is None:
            return r2(read, self.expected), np.nan
        votes = weights @ np.eye(self.classes.max() + 1)[self.classes]
        return r2(read, self.expected), float(np.mean(votes.argmax(axis=1) == self.expected_classes))

    def constant(self) -> tuple[float, float]:
        """Return the same figures of one answer for all rows."""
        return self._figures(np.ones((len(self.others), len(self.known))))


def r2(read: Floats, expected: Floats) -> float:
    """Return the share of the variance that what was read explains."""
    return float(1 - ((read - expected) ** 2).sum() / ((expected - expected.mean()) ** 2).sum())


def compared(name: str, model: str, seed: int = 0) -> Compared:
    """Fit a model to a dataset."""
    division, is_regression = ten_datasets.divided(name, seed), name in ten_datasets.REGRESSIONS
    names = [f"x{index}" for index in range(len(division.train.names))]
    frames = [pd.DataFrame(part.features, columns=names) for part in (division.train, division.test)]
    estimator = _estimator(model, is_regression=is_regression, seed=seed).fit(frames[0], division.train.target)
    read = read_converted(convert_model(estimator, frames[0]).onnx, names)
    session = ModelSession(read.leaf_graph, read.description)
    known, others = (session.run_in_chunks(raw_rows(frame)) for frame in frames)
    bags = bags_of(estimator) if model == "forest" else None
    column = 0 if is_regression else int(np.bincount(division.train.target).argmax())
    labels = (None, None) if is_regression else (known.scores.argmax(axis=1), others.scores.argmax(axis=1))
    return Compared(
        read.ensemble,
        None if bags is None else Bags(**{**bags, "seeds": tuple(bags["seeds"])}),
        known.leaves,
        others.leaves,
        known.scores[:, column].astype(np.float64),
        others.scores[:, column].astype(np.float64),
        *labels,
    )


def _estimator(model: str, *, is_regression: bool, seed: int) -> Any:  # of three libraries
    if model == "forest":
        forest = RandomForestRegressor if is_regression else RandomForestClassifier
        return forest(100, random_state=seed, n_jobs=1)
    if model == "LightGBM":
        lightgbm = LGBMRegressor if is_regression else LGBMClassifier
        return lightgbm(n_estimators=200, num_leaves=31, verbose=-1, n_jobs=1, random_state=seed)
    xgboost = XGBRegressor if is_regression else XGBClassifier
    return xgboost(n_estimators=200, max_depth=6, n_jobs=1, random_state=seed)


def main() -> None:
    """Measure all kinds on all datasets, and print a table for each model and one of means."""
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else [*ten_datasets.TARGETS, *ten_datasets.REGRESSIONS]
    began = time.perf_counter()
    print(describe_machine())
    for model in MODELS:
        figures = {name: _measured(name, model) for name in names}
        _print_each(model, figures)
        _print_means(model, figures)
    print(f"\n{time.perf_counter() - began:.0f} s")


Figures = dict[str, dict[str, tuple[float, float]]]  # by kind and way: R2, agrees


def _measured(name: str, model: str) -> Figures:
    rows = compared(name, model)
    figures = {kind: rows.measured(proximities) for kind, proximities in rows.each_kind()}
    return figures | {"constant": dict.fromkeys(WAYS, rows.constant())}


def _print_each(model: str, figures: dict[str, Figures]) -> None:
    kinds = [kind for kind in next(iter(figures.values())) if kind != "constant"]
    print(f"\n{model}: R2 of the nearest row, the five nearest and all rows, weighted\n")
    print("| dataset | " + " | ".join(kinds) + " |")
    print("|---" * (len(kinds) + 1) + "|")
    for name, of_kinds in figures.items():
        cells = (" / ".join(f"{of_kinds[kind][way][0]:.3f}" for way in WAYS) for kind in kinds)
        print(f"| {name} | " + " | ".join(cells) + " |")


def _print_means(model: str, figures: dict[str, Figures]) -> None:
    print(f"\n{model}, means over {len(figures)} datasets\n")
    print("| kind | R2: nearest | five | all | agrees: nearest | five | all |")
    print("|---|---|---|---|---|---|---|")
    for kind in next(iter(figures.values())):
        means = np.nanmean([[of_kinds[kind][way] for way in WAYS] for of_kinds in figures.values()], axis=0)
        print(f"| `{kind}` | " + " | ".join(f"{value:.3f}" for value in [*means[:, 0], *means[:, 1]]) + " |")


if __name__ == "__main__":
    main()
