"""How ISM grows a tree over training rows, wherever these lie: in this process (``ism.py``), or in partitions."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.conditions import Condition
from ..questions.implications import Implications
from .bin_boxes import BinBox
from .class_bounds import ClassBounds
from .closed_boxes import ClosedBoxes
from .information_gain import LEAST_GAIN, entropy_of
from .leaf_probabilities import IndependentLeaves
from .statement_conditions import KnownValues, StatementConditions
from .tree_growth import ExaminedNode, Split, TreeLimits, grow
from .trees import ApproximationTree, NodeFacts

MOST_WITNESSES = 32  # rows of a node whose leaves are evaluated before all that its rows could reach


@dataclass(frozen=True, slots=True)
class IsmSettings:
    """How a tree is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    stop_when_pure: bool = False  # a node whose training rows have one class in the dataset's target is a leaf
    prune_safely: bool = True  # a node whose rows all certainly get one class is a leaf
    criterion: Literal["gain", "gain_ratio"] = "gain"  # of classes; values have the decrease of variance
    leaf_probabilities: Literal["rows", "independent"] = "rows"  # how P(Y|A) is estimated
    # Which leaves stay where their number is limited: those of the splits that gain most or, if drawn rows join the
    # training rows, the most faithful ones of a larger tree.
    choose_by: Literal["gain", "fidelity"] = "fidelity"


class RowsAtNode(Protocol):
    """The training rows that reach a node, and drawn rows that joined them."""

    @property
    def n_rows(self) -> int:
        """Number of rows, drawn ones included."""

    def facts(self) -> NodeFacts:
        """Return the rows' mean scores, and the label of a leaf that holds them."""

    def common_label(self) -> int | None:
        """Return the label that the ensemble gives to all of them; ``None`` if it gives several, or values."""

    def is_pure(self) -> bool:
        """Return whether all true classes that are known are one; where none is, nothing is known of the rows."""

    def witnesses(self) -> NDArray[np.unsignedinteger[Any]]:
        """Return the bins of some of the rows, (n_features, n_some): no more than ``MOST_WITNESSES``."""

    def best_test(self, min_samples_leaf: int) -> tuple[int, float] | None:
        """Return the statement of the highest gain (ties: the first), and its gain; ``None`` without a gain."""

    def n_true(self) -> NDArray[np.int64]:
        """Return for how many of the rows each statement is true, (n_statements,)."""

    def split(self, feature: int, statement: int, *, is_true: bool) -> tuple[Self, Self]:
        """Return the rows for which a feature's ``statement`` is ``is_true``, and the others."""


class IsmRows(Protocol):
    """All rows that a tree is grown from."""

    @property
    def n_rows(self) -> int:
        """Number of rows, drawn ones included."""

    @property
    def n_training(self) -> int:
        """Number of training rows."""

    @property
    def is_classifier(self) -> bool:
        """Whether the ensemble predicts classes; otherwise values."""

    @property
    def values(self) -> KnownValues:
        """The rows' values."""

    @property
    def implications(self) -> Implications:
        """Among columns, of any rows that there can be."""

    def root(self) -> RowsAtNode:
        """Return all rows."""

    def class_bounds(self, ensemble: TreeEnsemble, description: ModelDescription) -> ClassBounds | None:
        """Return the bounds of the ensemble, fitted to some of the rows."""

    def independent_leaves(self, ensemble: TreeEnsemble, description: ModelDescription) -> IndependentLeaves:
        """Return the leaves of the ensemble, and how often rows take each side of each node."""


def grow_over(
    rows: IsmRows,
    ensemble: TreeEnsemble,
    description: ModelDescription,
    settings: IsmSettings,
    report: ReportProgress = ignore_progress,
) -> ApproximationTree:
    """Return the tree that ``grow_ism`` describes, of a model and settings that ``check_ism`` takes."""
    growth = _Growth(rows, ensemble, description, settings)
    nodes = grow(growth.root(), growth.examine, settings.limits, report)
    return ApproximationTree(nodes, rows.values.statements.missing_texts)


@dataclass(frozen=True, slots=True)
class _Node:
    rows: RowsAtNode
    box: BinBox


class _Growth:
    """Examines the nodes of one tree."""

    def __init__(
        self, rows: IsmRows, ensemble: TreeEnsemble, description: ModelDescription, settings: IsmSettings
    ) -> None:
        self._rows, self._model, self._settings = rows, (ensemble, description), settings
        self._boxes = ClosedBoxes.of(rows.values, rows.implications)
        self._conditions = StatementConditions(rows.values, description)
        is_independent = settings.leaf_probabilities == "independent"
        self._leaves = rows.independent_leaves(ensemble, description) if is_independent else None
        self._least = max(1, round(settings.limits.min_samples_leaf * rows.n_rows / max(1, rows.n_training)))
        self._starts = rows.values.statements.statement_starts

    @cached_property
    def _bounds(self) -> ClassBounds | None:
        """Computed on first use: many trees end before any node gets one class."""
        prunes = self._settings.prune_safely and self._rows.is_classifier
        return self._rows.class_bounds(*self._model) if prunes else None

    def root(self) -> _Node:
        return _Node(self._rows.root(), BinBox.of_rows(self._rows.values))

    def examine(self, node: _Node, n_levels: int) -> ExaminedNode[_Node, Condition]:
        facts = node.rows.facts()
        if self._rows.is_classifier:
            facts = replace(facts, is_settled=self._is_settled(node))
        stops = facts.is_settled or (self._settings.stop_when_pure and node.rows.is_pure())
        return ExaminedNode(facts, None if n_levels == 0 or stops else self._split(node))

    def _is_settled(self, node: _Node) -> bool:
        """Return whether every row that could ever reach a node certainly gets the label of its training rows."""
        label = node.rows.common_label()
        if label is None or self._bounds is None:
            return False
        return self._bounds.is_certain(node.box, label, node.rows.witnesses())

    def _split(self, node: _Node) -> Split[_Node, Condition] | None:
        best = node.rows.best_test(self._least) if self._leaves is None else self._best_by_leaves(node, self._leaves)
        if best is None:
            return None
        (feature, statement), gain = self._place(best[0]), best[1]
        condition = self._conditions.of_statement(feature, statement)
        left, right = node.rows.split(feature, statement, is_true=condition.is_true)
        return Split(
            condition.condition,
            _Node(left, self._boxes.narrowed(node.box, feature, statement, is_true=condition.is_true)),
            _Node(right, self._boxes.narrowed(node.box, feature, statement, is_true=not condition.is_true)),
            gain * node.rows.n_rows / self._rows.n_rows,
        )

    def _place(self, test: int) -> tuple[int, int]:
        """Return the feature that a statement is about, and its index among the feature's."""
        feature = int(np.searchsorted(self._starts, test, side="right")) - 1
        return feature, test - int(self._starts[feature])

    def _best_by_leaves(self, node: _Node, leaves: IndependentLeaves) -> tuple[int, float] | None:
        """Return the test of the highest gain and its gain, with P(C|A) of boxes instead of rows."""
        whole, n_rows = entropy_of(leaves.scores(node.box)), node.rows.n_rows
        best, highest = -1, LEAST_GAIN
        for test, n_true in enumerate(node.rows.n_true().tolist()):
            if min(n_true, n_rows - n_true) < self._least:
                continue
            feature, statement = self._place(test)
            share, parts = n_true / n_rows, 0.0
            for is_true in (True, False):
                box = self._boxes.narrowed(node.box, feature, statement, is_true=is_true)
                parts += (share if is_true else 1 - share) * entropy_of(leaves.scores(box))
            gain = whole - parts
            if self._settings.criterion == "gain_ratio" and gain > LEAST_GAIN:
                gain /= entropy_of(np.array([share, 1 - share]))
            if gain > highest:
                best, highest = test, gain
        return None if best < 0 else (best, highest)
