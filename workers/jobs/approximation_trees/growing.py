"""How each method grows a tree from a job's material."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from schemas.approximation_trees import MAX_LEAVES, ApproximationMethod, ApproximationTreeRequest
from tree_explainers.approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.oracle import Oracle, SessionOracle
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.binned_rows import BinnedRows
from tree_explainers.rule_sets.statements import statements_of

from ...runtime.progress import part_of
from .material import Material

_Grow = Callable[[ApproximationTreeRequest, Material, np.random.Generator, ReportProgress], ApproximationTree]
_GrowControl = Callable[
    [Rows, Oracle, ControlSettings, np.random.Generator, Mapping[str, str], ReportProgress], ApproximationTree
]


def grow_trees(
    request: ApproximationTreeRequest, material: Material, rng: np.random.Generator, report: ReportProgress
) -> list[ApproximationTree]:
    """Return as many trees as there are to be repeats; the first is the same, however many these are."""
    grow, found = _METHODS[request.method], []
    for repeat, own in enumerate(rng.spawn(request.repeats)):
        share = repeat / request.repeats, (repeat + 1) / request.repeats
        found.append(grow(request, material, own, part_of(report, *share)))
    return found


def _grow_sta(
    request: ApproximationTreeRequest, material: Material, rng: np.random.Generator, report: ReportProgress
) -> ApproximationTree:
    settings = StaSettings(_limits(request), request.significance, request.max_pseudo_samples)
    oracle = SessionOracle(material.model.session)
    return grow_sta(material.training.rows, oracle, settings, rng, material.missing_texts, report)


def _grow_control(
    grow: _GrowControl,
    request: ApproximationTreeRequest,
    material: Material,
    rng: np.random.Generator,
    report: ReportProgress,
) -> ApproximationTree:
    settings = ControlSettings(_limits(request), request.max_pseudo_samples)
    oracle = SessionOracle(material.model.session)
    return grow(material.training.rows, oracle, settings, rng, material.missing_texts, report)


def _grow_ism(
    request: ApproximationTreeRequest,
    material: Material,
    rng: np.random.Generator,  # noqa: ARG001  # nothing is drawn
    report: ReportProgress,
) -> ApproximationTree:
    model, rows, said = material.model, material.training.rows, material.training.answers
    assert said.targets.classes is not None  # noqa: S101  # for the type checker: values are refused at once
    truth = material.training.truth
    binned = BinnedRows.of(statements_of(model.ensemble, model.description), rows)
    classes = None if truth is None else truth.classes
    training = IsmTraining(rows, binned, said.scores, said.targets.classes, classes)
    settings = IsmSettings(_limits(request), request.stop_when_pure)
    return grow_ism(training, model.ensemble, model.description, settings, report)


def _limits(request: ApproximationTreeRequest) -> TreeLimits:
    """Return the limits of the request; larger trees than it can ask for are never grown: nobody reads them."""
    allowed = None if 2**request.max_depth <= MAX_LEAVES else MAX_LEAVES
    return TreeLimits(request.max_depth, request.min_samples_leaf, request.max_leaves or allowed)


_METHODS: dict[ApproximationMethod, _Grow] = {
    "sta": _grow_sta,
    "ism": _grow_ism,
    "born_again": partial(_grow_control, grow_born_again),
    "cart": partial(_grow_control, grow_cart),
}
