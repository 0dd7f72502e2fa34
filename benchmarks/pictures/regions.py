"""Hara & Hayashi (2018), figures 1 and 6 to 9: regions in the plane, for their two synthetic datasets.

Each picture is of one draw (seed 100, the first of the tables in ``benchmarks/results/defrag_tables.md``): 1,000 points
in the unit square, a tenth of the labels turned round, a forest of 100 trees with R's defaults. Regions of a forest are
the cells in which each tree gives one leaf; they are counted on all combinations of thresholds. Rules are the printed
ones, applied to a grid of 300 x 300 points: colours are what they predict, lines where another rule begins to decide.
Regions are fitted as for those tables: from random responsibilities, with shortened boxes, where the paper has
algorithm 1 and whole ones. Node Harvest's rules overlap: a line is the border of a rule, thicker with its weight.

``python -m benchmarks.pictures.regions FOLDER``
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.questions.conditions import TrainingValues
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.rule_lists import RuleList, first_firing, print_rules

from ..defrag_tables.datasets import realisation
from ..defrag_tables.evaluation_case import EvaluationCase
from ..defrag_tables.other_methods import rules_by
from ..defrag_tables.records import NODE_HARVEST
from ..defrag_tables.searches import found
from ..machine import describe_machine
from .style import COLOURS, draw_points, write_svg

_SEED, _N_GRID, _N_FIRST_TREES = 100, 300, 5
_HALF = 0.5
_NUMBERS = {"synthetic1": (6, 8), "synthetic2": (7, 9)}  # of the paper's figures: the method's, and Node Harvest's

Box = tuple[float, float, float, float]  # lowest and highest x1, lowest and highest x2


def main() -> None:
    """Draw all pictures."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(describe_machine())
    for dataset, (of_rules, of_harvest) in _NUMBERS.items():
        case = EvaluationCase.of(realisation(dataset, _SEED))
        plain, improved = (found(case, search).rules for search in ("plain", "improved"))
        panels = [
            _rows_panel(case),
            _forest_panel(case, case.forest.read.ensemble.n_trees),
            _rules_panel(case, "fab", plain),
            _rules_panel(case, "rule_list", improved),
        ]
        _write(folder / f"hara_figure_{of_rules}.svg", panels)
        if dataset == "synthetic1":
            _write(folder / "hara_figure_1.svg", [panels[0], _forest_panel(case, _N_FIRST_TREES), panels[2]])
        _write(folder / f"hara_figure_{of_harvest}.svg", [panels[0], _harvest_panel(case)])


_Panel = tuple[str, Callable[[Axes], None]]


def _write(path: Path, panels: list[_Panel]) -> None:
    figure = Figure(figsize=(2.6 * len(panels), 2.9), layout="constrained")
    for axis, (title, draw) in zip(figure.subplots(1, len(panels)), panels, strict=True):
        draw(axis)
        axis.set_title(title, fontsize=9)
        axis.set(xlim=(0, 1), ylim=(0, 1), xticks=(0, 1), yticks=(0, 1), aspect="equal")
    write_svg(figure, path)


def _rows_panel(case: EvaluationCase) -> _Panel:
    def draw(axis: Axes) -> None:
        draw_points(axis, case.realisation.train.features, case.realisation.train.target, 5)

    return "training rows", draw


# The forest.


def _forest_panel(case: EvaluationCase, n_trees: int) -> _Panel:
    ensemble = case.forest.read.ensemble
    boxes = [box for tree in range(n_trees) for box in _leaf_boxes(ensemble, tree)]
    n_regions = _n_regions([_leaf_boxes(ensemble, tree) for tree in range(n_trees)])
    print(f"{case.realisation.dataset}: {n_trees} trees, {len(boxes):,} leaves, {n_regions:,} regions", flush=True)
    which = f"first {n_trees} trees" if n_trees < ensemble.n_trees else f"{n_trees} trees"

    def draw(axis: Axes) -> None:
        patches = [Rectangle((x, y), x_end - x, y_end - y) for x, x_end, y, y_end in boxes]
        width = 0.4 if n_trees < ensemble.n_trees else 0.1
        axis.add_collection(
            PatchCollection(patches, facecolor="none", edgecolor="black", linewidth=width, rasterized=True)
        )

    return f"{which}: {n_regions:,} regions", draw


def _leaf_boxes(ensemble: TreeEnsemble, tree: int) -> list[Box]:
    """Return the rectangle of each leaf of a tree of thresholds in the unit square."""
    boxes: list[Box] = []

    def visit(node: int, box: Box) -> None:
        if ensemble.left[node] == node:
            boxes.append(box)
            return
        cut = float(ensemble.threshold[node])
        x, x_end, y, y_end = box
        is_first = int(ensemble.column[node]) == 0
        visit(int(ensemble.left[node]), (x, cut, y, y_end) if is_first else (x, x_end, y, cut))
        visit(int(ensemble.right[node]), (cut, x_end, y, y_end) if is_first else (x, x_end, cut, y_end))

    visit(int(ensemble.offsets[tree]), (0.0, 1.0, 0.0, 1.0))
    return boxes


def _n_regions(trees: list[list[Box]]) -> int:
    """Return how many different combinations of leaves there are."""
    cuts = [np.unique([edge for boxes in trees for box in boxes for edge in box[axis : axis + 2]]) for axis in (0, 2)]
    rng = np.random.default_rng(0)
    keys = np.zeros([len(each) - 1 for each in cuts], dtype=np.uint64)
    for boxes in trees:
        for box, key in zip(boxes, rng.integers(1, 2**63, len(boxes), dtype=np.uint64), strict=True):
            x, x_end = np.searchsorted(cuts[0], box[:2])
            y, y_end = np.searchsorted(cuts[1], box[2:])
            keys[x:x_end, y:y_end] += key  # sums of 63 random bits differ where leaves do
    return len(np.unique(keys))


# Rules.


def _grid() -> tuple[Rows, NDArray[np.float64]]:
    """Return the points of a grid, and their coordinates along an axis."""
    ticks = (np.arange(_N_GRID) + _HALF) / _N_GRID
    x, y = np.meshgrid(ticks, ticks)
    return Rows(("x1", "x2"), (x.ravel(), y.ravel())), ticks


def _fires(case: EvaluationCase, rules: RuleList) -> NDArray[np.bool_]:
    """Return which printed rules hold for the points of the grid, (n_points, n_rules)."""
    printed = print_rules(rules, TrainingValues(case.realisation.rows(case.realisation.train), case.train))
    return printed.fires(_grid()[0])


def _rules_panel(case: EvaluationCase, name: str, rules: RuleList) -> _Panel:
    deciding = first_firing(_fires(case, rules)).reshape(_N_GRID, _N_GRID)
    error = case.evaluate_rules(NODE_HARVEST, rules).error
    print(f"{case.realisation.dataset}, {name}: {rules.n_rules + 1} rules, test error {error:.3f}", flush=True)

    def draw(axis: Axes) -> None:
        _fill(axis, rules.predictions[deciding])
        for rule in range(rules.n_rules):
            _outline(axis, deciding == rule, 1.0)

    return f"{name}: {rules.n_rules + 1} rules, error {error:.2f}", draw


def _harvest_panel(case: EvaluationCase) -> _Panel:
    rules, _, weighted = rules_by(case, NODE_HARVEST)
    assert weighted is not None
    fires = _fires(case, rules)
    given = weighted.predict(fires).reshape(_N_GRID, _N_GRID)
    n_rules, heaviest = weighted.n_rules, float(weighted.weights.max())
    print(f"{case.realisation.dataset}, Node Harvest: {n_rules} rules", flush=True)

    def draw(axis: Axes) -> None:
        _fill(axis, given)
        for rule, weight in enumerate(weighted.weights.tolist()):
            _draw_box(axis, fires[:, rule].reshape(_N_GRID, _N_GRID), 0.3 + 1.7 * weight / heaviest)

    return f"Node Harvest: {n_rules} rules", draw


def _fill(axis: Axes, given: NDArray[Any]) -> None:
    """Colour the points of the grid by the class that they are given."""
    bounds = np.linspace(0, 1, _N_GRID + 1)
    axis.pcolormesh(
        bounds, bounds, given, cmap=ListedColormap(COLOURS), vmin=0, vmax=1, alpha=0.45, linewidth=0, rasterized=True
    )


def _draw_box(axis: Axes, inside: NDArray[np.bool_], width: float) -> None:
    """Draw the border of a rule, which is a rectangle."""
    columns, lines = (np.flatnonzero(inside.any(axis=each)) / _N_GRID for each in (0, 1))
    if len(columns):
        wide, high = np.ptp(columns) + 1 / _N_GRID, np.ptp(lines) + 1 / _N_GRID
        axis.add_patch(Rectangle((columns[0], lines[0]), wide, high, facecolor="none", edgecolor="black", lw=width))


def _outline(axis: Axes, inside: NDArray[np.bool_], width: float) -> None:
    """Draw the border of some points of the grid."""
    padded = np.pad(inside, 1).astype(np.float64)
    ticks = (np.arange(-1, _N_GRID + 1) + _HALF) / _N_GRID
    if padded.any():
        axis.contour(ticks, ticks, padded, levels=[_HALF], colors="black", linewidths=width)


if __name__ == "__main__":
    main()
