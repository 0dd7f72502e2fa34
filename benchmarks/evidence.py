"""How often the 90 % intervals of evidence hold the share among held-out rows, binned by the model's score.

Ten datasets of classification, at most 12,000 rows each; the outcome is the most frequent class. 35 % of the rows train
a model (RandomForestClassifier of 100 trees, or LightGBM of 100 trees of 31 leaves, else as they come), 25 % are
reference rows, and the rest is held out; 300 of these are explained. The **held-out share** of a row is the share of
the outcome among the held-out rows whose scores are nearest to its own: 200 of them, or an eighth of all if these are
fewer; itself apart. It is counted, too, and varies by chance: ``held`` says how often the 90 % interval of the
difference of the two shares holds 0, which is 90 % where the rule is right, and ``printed`` how often the printed
interval holds the counted share. ``agrees``: how often the model's own score is in the printed interval; ``rows``: the
median of the effective numbers of rows. Small datasets are divided four times.

Reference rows are of three kinds: held out from training; those of training; and these out of bag, where a forest's
bags are known. ``python -m benchmarks.evidence [datasets, by commas]``
"""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from lightgbm import LGBMClassifier
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from benchmarks import ten_datasets
from benchmarks.machine import describe_machine
from tree_explainers.evidence import (
    LEVEL,
    OutcomeShare,
    gather_evidence,
    out_of_bag_proximities,
    weights_of_rows_like,
)
from tree_explainers.leaf_space.leaves import LeafTable, tree_weights
from tree_explainers.leaf_space.proximity import columns
from tree_explainers.share_intervals import wilson_interval

MOST_ROWS, N_EXPLAINED, N_NEAREST = 12_000, 300, 200
TRAIN_SHARE, REFERENCE_END = 0.35, 0.6
SMALL, N_DIVISIONS = 2_000, 4
BINS = (0.0, 0.05, 0.3, 0.7, 0.95, 1.0)
KINDS = ("held out", "training", "out of bag")

Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Model:
    """A fitted model: scores of the outcome, leaves, and what trees count."""

    score: Callable[[NDArray[Any]], Scores]
    leaves: Callable[[NDArray[Any]], NDArray[np.int32]]  # (n_rows, n_trees), from 0 on
    n_leaves: NDArray[np.int64]
    leaf_values: NDArray[np.float64] | None
    bags: NDArray[np.bool_] | None  # (n_trees, n_training_rows)
    forest: Any

    def table(self, rows: NDArray[Any]) -> tuple[LeafTable, NDArray[np.int64]]:
        """Return the leaves of rows, and what each tree counts in a proximity."""
        table = LeafTable.from_leaves(self.leaves(rows), self.n_leaves)
        return table, tree_weights("random_forest" if self.leaf_values is None else "boosting", table, self.leaf_values)


def forest_of(features: NDArray[Any], target: NDArray[Any], seed: int) -> Model:
    """Return a random forest, its bags as scikit-learn drew them."""
    forest = RandomForestClassifier(100, random_state=seed).fit(features, target)
    index = [np.cumsum(each.tree_.children_left < 0) - 1 for each in forest.estimators_]  # of leaves among nodes
    bags = np.zeros((len(forest.estimators_), len(features)), np.bool_)
    for bag, drawn in zip(bags, forest.estimators_samples_, strict=True):
        bag[drawn] = True
    return Model(
        lambda rows: forest.predict_proba(rows)[:, 1],
        lambda rows: np.stack(
            [at[nodes] for at, nodes in zip(index, forest.apply(rows).T, strict=True)], axis=1
        ).astype(np.int32),
        np.array([each.tree_.n_leaves for each in forest.estimators_]),
        None,
        bags,
        forest,
    )


def boosting_of(features: NDArray[Any], target: NDArray[Any], seed: int) -> Model:
    """Return a model of LightGBM."""
    booster = LGBMClassifier(n_estimators=100, num_leaves=31, verbose=-1, n_jobs=1, random_state=seed)
    booster.fit(features, target)
    n_leaves = booster.predict(features, pred_leaf=True).max(axis=0).astype(np.int64) + 1
    values = [
        [booster.booster_.get_leaf_output(tree, leaf)] for tree, n in enumerate(n_leaves.tolist()) for leaf in range(n)
    ]
    return Model(
        lambda rows: booster.predict_proba(rows)[:, 1],
        lambda rows: booster.predict(rows, pred_leaf=True).astype(np.int32),
        n_leaves,
        np.array(values),
        None,
        booster,
    )


@dataclass(frozen=True, slots=True)
class Counted:
    """What became of each explained row, (n_rows,)."""

    score: Scores
    held: Flags
    printed: Flags
    agrees: Flags
    n_effective: Scores
    width: Scores


def measured(name: str, fit: Callable[..., Model], seed: int) -> Iterator[tuple[str, Counted]]:
    """Yield for each kind of reference rows what became of the explained rows."""
    drawn = ten_datasets.draw(name, seed)
    target = (drawn.target == np.bincount(drawn.target).argmax()).astype(np.int64)
    order, n_rows = np.random.default_rng(seed).permutation(len(target)), len(target)
    train, held_out, rest = np.split(order, [int(TRAIN_SHARE * n_rows), int(REFERENCE_END * n_rows)])
    model = fit(drawn.features[train], target[train], seed)
    scores, explained = model.score(drawn.features[rest]), rest[:N_EXPLAINED]
    shares, n_near = held_out_shares(scores, target[rest], len(explained))
    leaves = model.leaves(drawn.features[explained])
    for kind, rows in zip(KINDS, (held_out, train, train), strict=True):
        if kind == "out of bag" and model.bags is None:
            continue
        table, weights = model.table(drawn.features[rows])
        reference_scores = model.score(drawn.features[rows])
        if kind == "out of bag":
            codes, bags = table.codes, model.bags
            assert bags is not None
            proximities = np.stack([out_of_bag_proximities(row, codes, bags) for row in leaves])
            reference_scores = out_of_bag_scores(model, drawn.features[rows])
        else:
            proximities = columns(table, weights, leaves, 1)
        yield kind, counted(proximities, reference_scores, target[rows], scores[: len(explained)], (shares, n_near))


def out_of_bag_scores(model: Model, features: NDArray[Any]) -> Scores:
    """Return for each training row the mean score by the trees that did not learn from it."""
    assert model.bags is not None
    each = np.stack([tree.predict_proba(features)[:, 1] for tree in model.forest.estimators_])
    out = ~model.bags
    return np.asarray(np.where(out, each, 0).sum(axis=0) / np.maximum(1, out.sum(axis=0)), np.float64)


def held_out_shares(scores: Scores, target: NDArray[np.int64], n_rows: int) -> tuple[Scores, int]:
    """Return for the first rows the share among the others whose scores are nearest, and the number of these."""
    n_near = min(N_NEAREST, len(scores) // 8)
    distances = np.abs(scores[:n_rows, None] - scores)
    distances[np.arange(n_rows), np.arange(n_rows)] = np.inf
    nearest = np.argpartition(distances, n_near, axis=1)[:, :n_near]
    return target[nearest].mean(axis=1), n_near


def counted(
    proximities: NDArray[Any],
    reference_scores: Scores,
    target: NDArray[np.int64],
    scores: Scores,
    held_out: tuple[Scores, int],
) -> Counted:
    """Return what became of rows; ``held_out`` is their held-out shares, and of how many rows each is."""
    rows = []
    for proximity, score, share in zip(proximities, scores.tolist(), held_out[0].tolist(), strict=True):
        evidence = gather_evidence(weights_of_rows_like(proximity, reference_scores, score), target, 2)
        if not evidence.shares:
            rows.append((score, True, True, True, 0.0, 1.0))  # nothing is said
            continue
        of = evidence.shares[1]
        is_held = may_be_equal(of, share, held_out[1])
        rows.append((score, is_held, of.holds(share), of.holds(score), evidence.effective_rows, of.high - of.low))
    return Counted(*(np.array(each) for each in zip(*rows, strict=True)))


def may_be_equal(printed: OutcomeShare, share: float, n_rows: int) -> bool:
    """Return whether the interval of the difference to a share of ``n_rows`` rows holds 0 (Newcombe, method 10)."""
    other, difference = wilson_interval(share * n_rows, n_rows, LEVEL), printed.share - share
    low = difference - math.hypot(printed.share - printed.low, other.high - share)
    high = difference + math.hypot(printed.high - printed.share, share - other.low)
    return low <= 0 <= high


def line(name: str, parts: list[Counted]) -> str:
    """Return shares in per cent: of all rows, and by score."""
    score, held = (np.concatenate([getattr(part, field) for part in parts]) for field in ("score", "held"))
    others = [np.concatenate([getattr(part, field) for part in parts]).mean() for field in ("printed", "agrees")]
    n_effective, width = (
        np.concatenate([getattr(part, field) for part in parts]) for field in ("n_effective", "width")
    )
    places = np.clip(np.searchsorted(BINS, score, side="right") - 1, 0, len(BINS) - 2)
    of_bins = [f"{held[places == at].mean():6.1%}" if (places == at).sum() >= 20 else "     -" for at in range(5)]
    return (
        f"{name:40s} {held.mean():6.1%}  {' '.join(of_bins)}   {others[0]:6.1%}  {others[1]:6.1%}"
        f"  {np.median(n_effective):5.0f}  {width.mean():.2f}"
    )


def main() -> None:
    """Print a line for each dataset, model and kind of reference rows, and for all datasets."""
    names = sys.argv[1].split(",") if len(sys.argv) > 1 else list(ten_datasets.TARGETS)
    ten_datasets.MAX_ROWS = MOST_ROWS
    print(describe_machine())
    bins = " ".join(f"{low:g}-{high:g}".rjust(6) for low, high in pairwise(BINS))
    print(f"{'':40s} {'held':>6s}  {bins}   printed  agrees  rows  width")
    totals: dict[str, list[Counted]] = {}
    for name in names:
        for model, fit in (("forest", forest_of), ("LightGBM", boosting_of)):
            parts: dict[str, list[Counted]] = {}
            n_divisions = N_DIVISIONS if len(ten_datasets.draw(name, 0).target) < SMALL else 1
            for seed in range(n_divisions):
                for kind, result in measured(name, fit, seed):
                    parts.setdefault(kind, []).append(result)
            for kind, results in parts.items():
                print(line(f"{name}, {model}, {kind}", results), flush=True)
                totals.setdefault(f"all, {model}, {kind}", []).extend(results)
    for title, results in totals.items():
        print(line(title, results))


if __name__ == "__main__":
    main()
