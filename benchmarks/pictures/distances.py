"""Tan et al. (2020): figures 1, 3, 4 and A1 and table A1, from one division of each dataset (seed 0 of the tables).

- Figure 4: distances (1 - proximity) of all pairs of training rows, breast cancer: the tuned forest, the tuned boosted
  trees, and Euclidean distance of rank-scaled features, divided by the greatest.
- Figures 1, 3 and A1: MNIST 4 vs 9, 3,000 training rows. The forest has 1,000 trees that look at sqrt(p) features, the
  boosted trees are of depth 3 with learning rate 0.1, their number chosen on the validation rows, as in the paper: the
  other settings, among which tables choose, would take an hour and more. Figure 1: balanced accuracy on test rows by
  the number of prototypes. Figures 3 and A1: t-SNE of 1 - proximity, as maps have it, and 16 prototypes by SM-A or SG.
- Table A1: depths of the trees of forests. The paper does not say what it calls a tree's depth: printed are the longest
  path and the mean depth of its leaves. Settings of forests and the depth of boosted trees are chosen on the validation
  rows; for RHC and MNIST, where that takes long, forests look at sqrt(p) features, and boosting is not tuned.

``python -m benchmarks.pictures.distances FOLDER [table] [4] [1] [3] [A1]``, by default all of these
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.offsetbox import AnnotationBbox, OffsetImage
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier

from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.leaf_space.proximity import columns
from tree_explainers.maps.embedding import embed
from tree_explainers.prototype_sets.selection import Method, select_prototypes

from ..machine import describe_machine
from ..paper_tables.curves import RowSpace, Tested, curve, one_nearest_neighbour, original
from ..paper_tables.euclidean import EuclideanSpace
from ..paper_tables.rows import Split
from ..paper_tables.tan_data import tan_split
from ..paper_tables.tree_spaces import TreeSpace, all_features, by_part, leaves_within_trees
from ..paper_tables.tuning import forest, tuned_boosting, tuned_forest
from .style import draw_points, write_svg

_METHODS: tuple[Method, ...] = ("sg", "sm_u", "sm_a", "sm_wa")
_N_CURVE, _N_PROTOTYPES, _N_NEIGHBORS, _N_TREES = 60, 16, 90, 1_000
_SHORT_DEPTH = 3
_IMAGE = (28, 28)
# Table A1 of the paper: the depth of boosted trees; least, mean and greatest depth of the forest's, and their variance.
_DEPTHS = {
    "breast_cancer": (3, 2, 3.02, 4, 0.40),
    "diabetes": (3, 5, 7.36, 12, 1.04),
    "compas": (4, 6, 8.70, 14, 1.18),
    "rhc": (3, 11, 14.7, 21, 1.41),
    "mnist_4v9": (3, 8, 10.95, 16, 1.44),
    "caltech": (2, 2, 2.51, 3, 0.50),
}
_NOT_TUNED = ("rhc", "mnist_4v9")


def main() -> None:
    """Draw and print what the arguments name."""
    folder, wanted = Path(sys.argv[1]), sys.argv[2:] or ["table", "4", "1", "3", "A1"]
    folder.mkdir(parents=True, exist_ok=True)
    print(describe_machine(), flush=True)
    if "table" in wanted:
        (folder / "tan_table_a1.md").write_text("\n".join(_table_a1()) + "\n", encoding="utf-8")
    if "4" in wanted:
        write_svg(_figure_4(), folder / "tan_figure_4.svg")
    for name, draw in (("1", _figure_1), ("3", _figure_3), ("A1", _figure_a1)):
        if name in wanted:
            write_svg(draw(tan_split("mnist_4v9", 0)), folder / f"tan_figure_{name.lower()}.svg")


# Table A1.


def _table_a1() -> Iterator[str]:
    yield "# Tan et al. (2020), table A1: depths of trees\n"
    yield f"Made by `python -m benchmarks.pictures.distances FOLDER table` on {describe_machine()}.\n"
    yield "Forests of 1,000 unrestricted trees of scikit-learn on the training rows (60 %) of one division; least, mean"
    yield "and greatest over the trees, and the variance. The paper does not say what it calls the depth of a tree.\n"
    yield "| dataset | GBT: paper | ours | RF: paper | longest path | mean depth of leaves |"
    yield "|---|---|---|---|---|---|"
    for dataset, (of_boosting, *printed) in _DEPTHS.items():
        split = tan_split(dataset, 0)
        is_tuned = dataset not in _NOT_TUNED
        max_features = tuned_forest(split, 0).settings["max_features"] if is_tuned else "sqrt"
        tuned = tuned_boosting(split, 0).settings["depth"] if is_tuned else "not tuned"
        longest, of_leaves = _depths(split, max_features)
        least, mean, greatest, variance = printed
        paper = f"{least} / {mean:g} / {greatest}, var {variance:g}"
        yield f"| {dataset} | {of_boosting} | {tuned} | {paper} | {_spread(longest)} | {_spread(of_leaves)} |"
        print(f"{dataset}: done", flush=True)


def _depths(split: Split, max_features: str | float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return each tree's longest path, and the mean depth of its leaves, (n_trees,) each."""
    fitted = RandomForestClassifier(_N_TREES, max_features=max_features, random_state=0, n_jobs=2)
    fitted.fit(split.train.features, split.train.classes)
    longest = [tree.get_depth() for tree in fitted.estimators_]
    return np.array(longest, dtype=np.float64), np.array([_mean_depth(tree.tree_) for tree in fitted.estimators_])


def _mean_depth(tree: Any) -> float:  # of a library without types
    left, right = tree.children_left, tree.children_right
    depth = np.zeros(len(left), dtype=np.int64)
    for node in np.flatnonzero(left >= 0):  # parents come before their children
        depth[[left[node], right[node]]] = depth[node] + 1
    return float(depth[left < 0].mean())


def _spread(values: NDArray[np.float64]) -> str:
    return f"{values.min():.3g} / {values.mean():.2f} / {values.max():.3g}, var {values.var():.2f}"


# Figure 4.


def _figure_4() -> Figure:
    split = tan_split("breast_cancer", 0)
    between = _distances(EuclideanSpace.of(split))
    found = {
        "RF distance": _distances(tuned_forest(split, 0)),
        "GBT distance": _distances(tuned_boosting(split, 0)),
        "Euclidean distance": between / between.max(),
    }
    figure = Figure(figsize=(8, 2.6), layout="constrained")
    pairs = np.triu_indices(len(between), 1)
    for axis, (title, distances) in zip(figure.subplots(1, 3, sharey=True), found.items(), strict=True):
        values = distances[pairs]
        axis.hist(values, bins=40, range=(0, 1), weights=np.full(len(values), 1 / len(values)), color="#4477aa")
        at_ends = f"{(values <= 0.025).mean():.0%} below 0.025, {(values >= 0.975).mean():.0%} above 0.975"
        print(f"{title}: {len(values):,} pairs, {len(np.unique(values)):,} distances, {at_ends}", flush=True)
        axis.set(title=f"{title}\n{at_ends}", xlabel="distance", xlim=(0, 1))
        axis.title.set_fontsize(8)
    figure.axes[0].set_ylabel("share of pairs")
    return figure


def _distances(space: RowSpace) -> NDArray[np.float64]:
    shared = columns(space.train, space.weights, space.leaves[0])
    return np.asarray(1 - shared / int(space.weights.sum()))


# MNIST, 4 against 9.


def _spaces(split: Split) -> tuple[TreeSpace, TreeSpace]:
    return forest(split, "sqrt", 0), tuned_boosting(split, 0, (3,), (0.1,))


def _figure_1(split: Split) -> Figure:
    figure = Figure(figsize=(9.6, 3), layout="constrained")
    axes = figure.subplots(1, 3, sharey=True)
    for axis, title, space in zip(axes, ("RF distance", "GBT distance"), _spaces(split), strict=False):
        for method in _METHODS:
            tested = curve(space, split, method, _N_CURVE)
            numbers = [one.n_prototypes or 0 for one in tested]
            axis.plot(numbers, [_accuracy(one) for one in tested], label=_name_of(method))
            print(f"{title}, {method}: {tested[-1].n_prototypes} prototypes, {_best(tested)}", flush=True)
        axis.axhline(_accuracy(original(space, split)), color="black", linestyle="--", linewidth=1, label="the model")
        _draw_nearest_of_all(axis, _accuracy(one_nearest_neighbour(space, split)))
        _label(axis, title)
    _draw_euclidean(axes[2], split)
    axes[0].set(ylabel="balanced accuracy, test rows", ylim=(0.7, 1))  # one prototype knows one class: 0.5
    axes[0].legend(fontsize=7)
    return figure


def _draw_nearest_of_all(axis: Axes, accuracy: float) -> None:
    axis.axhline(accuracy, color="orange", linestyle="--", label="nearest of all training rows")


def _name_of(method: Method) -> str:
    return method.upper().replace("_", "-")


def _best(tested: list[Tested]) -> str:
    return f"best balanced accuracy on test rows {max(map(_accuracy, tested)):.3f}"


def _accuracy(tested: Tested) -> float:
    return tested.test.balanced_accuracy or 0.0


def _draw_euclidean(axis: Axes, split: Split) -> None:
    space = EuclideanSpace.of(split)
    for method in _METHODS:
        tested = curve(space, split, method, _N_CURVE)
        axis.plot([one.n_prototypes or 0 for one in tested], [_accuracy(one) for one in tested])
        print(f"Euclidean distance, {method}: {_best(tested)}", flush=True)
    _draw_nearest_of_all(axis, _accuracy(one_nearest_neighbour(space, split)))
    _label(axis, "Euclidean distance")


def _label(axis: Axes, title: str) -> None:
    axis.set(title=title, xlabel="number of prototypes")
    axis.grid(visible=True, alpha=0.3)


def _figure_3(split: Split) -> Figure:
    space = _spaces(split)[0]
    places = embed(space.train, space.weights, _N_NEIGHBORS, 0)
    figure = Figure(figsize=(9, 4.5), layout="constrained")
    methods: tuple[Method, Method] = ("sm_a", "sg")
    for axis, method in zip(figure.subplots(1, 2), methods, strict=True):
        _draw_map(axis, split, places, _prototypes(space.train, space.weights, split, method))
        axis.set_title(f"RF distance, {_N_PROTOTYPES} prototypes by {_name_of(method)} at most", fontsize=9)
    return figure


def _figure_a1(split: Split) -> Figure:
    of_forest, boosted = _spaces(split)
    short = _short_forest(split)
    equal = np.ones_like(boosted.weights)
    figure = Figure(figsize=(9, 9), layout="constrained")
    panels = (
        ("GBT, unweighted trees", boosted, equal),
        ("GBT, trees weighted", boosted, boosted.weights),
        (f"RF, trees of depth {_SHORT_DEPTH}", short, short.weights),
        ("RF, unrestricted trees", of_forest, of_forest.weights),
    )
    for axis, (title, space, weights) in zip(figure.subplots(2, 2).ravel(), panels, strict=True):
        places = embed(space.train, weights, _N_NEIGHBORS, 0)
        chosen = _prototypes(space.train, weights, split, "sm_a")
        _draw_map(axis, split, places, chosen)
        for row, marker in ((0, "x"), (1, "+")):
            axis.plot(*places[row], marker, color="black", markersize=12, markeredgewidth=3)
        axis.set_title(title, fontsize=9)
        print(f"{title}: drawn", flush=True)
    return figure


def _short_forest(split: Split) -> TreeSpace:
    fitted = RandomForestClassifier(_N_TREES, max_depth=_SHORT_DEPTH, random_state=0, n_jobs=2)
    fitted.fit(split.train.features, split.train.classes)
    rows = all_features(split)
    leaves, n_leaves, values = leaves_within_trees(fitted.estimators_, fitted.apply(rows))
    predicted = by_part(split, fitted.predict(rows).astype(np.int64))
    like = TreeSpace("random_forest", by_part(split, leaves), predicted, n_leaves, values, {})
    return replace(like, settings={"max_depth": _SHORT_DEPTH})


def _prototypes(table: LeafTable, weights: NDArray[np.int64], split: Split, method: Method) -> NDArray[np.int64]:
    return select_prototypes(table, split.train.classes, weights, method, n_prototypes=_N_PROTOTYPES).rows


def _draw_map(axis: Axes, split: Split, places: NDArray[np.float64], prototypes: NDArray[np.int64]) -> None:
    """Draw all training rows as dots, and the prototypes as the images that they are."""
    draw_points(axis, places, split.train.classes, 6, alpha=0.7)
    for row in prototypes.tolist():
        image = OffsetImage(
            255 - split.train.features[row].reshape(_IMAGE), zoom=0.7, cmap="gray", norm=Normalize(0, 255)
        )
        axis.add_artist(AnnotationBbox(image, tuple(places[row]), pad=0.1))
    axis.set(xticks=(), yticks=())


if __name__ == "__main__":
    main()
