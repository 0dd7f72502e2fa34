"""ISM: one tree whose tests are an ensemble's own, chosen by the classes that the ensemble predicts.

No pseudo rows are drawn: gains are measured on the training rows, with the ensemble's predicted probabilities. Nodes
whose class is certain for every row that could reach them are not split ("safe pruning").
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..ensemble import TreeEnsemble
from ..errors import InvalidInput, MethodNotApplicable
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from ..questions.conditions import Condition
from ..questions.implications import Implications
from ..rows import Rows
from .bin_boxes import BinBox
from .class_bounds import ClassBounds
from .closed_boxes import ClosedBoxes
from .information_gain import (
    GAIN,
    GAIN_RATIO,
    LEAST_GAIN,
    VARIANCE,
    NodeLabels,
    Tests,
    Units,
    best_test,
    entropy_of,
    in_centred_units,
    in_units,
)
from .leaf_probabilities import IndependentLeaves
from .mixed_tests import statement_tests
from .statement_conditions import StatementConditions
from .tree_growth import ExaminedNode, Split, TreeLimits, grow
from .trees import ApproximationTree

# A graph in which trees cast votes has all of these operators. Other models have some, for columns or links.
_VOTES = {
    *("ArgMax", "ArrayFeatureExtractor", "ConstantOfShape", "Equal", "Exp", "ReduceSum", "Shape", "Sum", "Where"),
    "TreeEnsembleClassifier",
}

TestsOf = Callable[[BinnedRows, Units, int], Tests]
"""Returns the statements of binned rows as tests, given the rows' scores in units and the criterion of gains."""

_MOST_WITNESSES = 32  # rows of a node whose leaves are evaluated before all that its rows could reach


@dataclass(frozen=True, slots=True)
class IsmSettings:
    """How a tree is grown."""

    limits: TreeLimits = field(default_factory=TreeLimits)
    stop_when_pure: bool = False  # a node whose training rows have one class in the dataset's target is a leaf
    prune_safely: bool = True  # a node whose rows all certainly get one class is a leaf
    criterion: Literal["gain", "gain_ratio"] = "gain"  # of classes; values have the decrease of variance
    leaf_probabilities: Literal["rows", "independent"] = "rows"  # how P(Y|A) is estimated


@dataclass(frozen=True, slots=True)
class IsmTraining:
    """Training rows, the ensemble's predictions for them, and their true classes.

    Rows without a true class may follow the training rows: drawn near them, or the caller's own. They join the
    estimates of P(Y|A) and P(T|B), for which the paper suggests the test set.
    """

    rows: Rows
    binned: BinnedRows  # the same rows
    scores: NDArray[np.float64]  # (n_rows, n_classes) the ensemble's, as of ``Oracle.predict``, or (n_rows, 1) values
    labels: NDArray[np.int64] | None  # (n_rows,) the classes that it predicts; None for regression
    # (n_rows,) their true classes, in any numbering, below 0 where a row's is not known; None without a target.
    classes: NDArray[np.int64] | None = None
    implications: Implications = field(default_factory=Implications)  # among columns, of any rows that there can be
    n_training: int | None = None  # the first rows, which are training rows; None: all are


@dataclass(frozen=True, slots=True)
class _Node:
    rows: NDArray[np.int64]  # ascending
    box: BinBox


def grow_ism(
    training: IsmTraining,
    ensemble: TreeEnsemble,
    description: ModelDescription,
    settings: IsmSettings = IsmSettings(),  # frozen
    report: ReportProgress = ignore_progress,
    tests_of: TestsOf = statement_tests,
) -> ApproximationTree:
    """Return a tree of the ensemble's own tests, each with the highest information gain for the ensemble's classes.

    P(C|A) is the mean of the ensemble's predicted probabilities over the rows in A: equation 4, where P(Y|A) is
    estimated on these rows. P(T|B) is a share of rows. For regression, gains are decreases of the variance of the
    ensemble's values, and nothing is pruned. A node is a leaf if no test has a gain above 0, if every row that could
    ever reach it certainly gets one class (``prune_safely``; rows are assumed to miss no feature that no training row
    misses, and to break no implication among columns), if its training rows have one true class, as far as theirs are
    known (``stop_when_pure``), or if it reaches a limit. Where drawn rows join the training rows, ``min_samples_leaf``
    demands the same share of all rows. A leaf's label is the ensemble's, if it labels all rows in it alike; otherwise
    the class of the highest mean probability. With independent ``leaf_probabilities``, gains come from P(C|A) of boxes
    (``IndependentLeaves``), in time by the tests and the ensemble's nodes. Ties go to the lower feature, the lower
    threshold, the first class.

    Raises
    ------
    MethodNotApplicable
        For trees that vote (AdaBoost); with independent leaf probabilities, for regression and for models whose
        scores are not means of the leaves'.
    InvalidInput
        ``schema_mismatch`` for ``stop_when_pure`` without classes.

    References
    ----------
    Van Assche, Blockeel (2007), "Seeing the Forest through the Trees: Learning a Comprehensible Model from a First
    Order Ensemble".
    """
    check_ism(description, settings, has_target=training.classes is not None)
    growth = _Growth(training, ensemble, description, settings, tests_of)
    nodes = grow(growth.root(), growth.examine, settings.limits, report)
    return ApproximationTree(nodes, training.binned.statements.missing_texts)


def check_ism(description: ModelDescription, settings: IsmSettings, *, has_target: bool) -> None:
    """Reject models and settings for which the method has no meaning; see ``grow_ism``."""
    if description.task == "classification" and set(description.operators) >= _VOTES:
        msg = (
            "The model's trees cast votes (as AdaBoost's do), while `ism` needs scores that are means or sums of leaf "
            "values; use `sta`, `born_again` or `cart`."
        )
        raise MethodNotApplicable(msg)
    if description.task == "regression" and settings.leaf_probabilities == "independent":
        msg = "`leaf_probabilities: independent` is for classes, and the model predicts a value; leave it out."
        raise MethodNotApplicable(msg)
    if settings.stop_when_pure and not has_target:
        msg = (
            "`stop_when_pure` needs the true classes of the training rows, and the dataset has no target; leave it "
            "out, or register the dataset with its target."
        )
        raise InvalidInput(msg, code="schema_mismatch")


class _Growth:
    """Examines the nodes of one tree."""

    def __init__(
        self,
        training: IsmTraining,
        ensemble: TreeEnsemble,
        description: ModelDescription,
        settings: IsmSettings,
        tests_of: TestsOf,
    ) -> None:
        n_rows, labels, scores = training.binned.n_rows, training.labels, training.scores
        n_training = n_rows if training.n_training is None else training.n_training
        self._boxes = ClosedBoxes.of(training.binned, training.implications)
        if labels is None:
            criterion = VARIANCE
            self._labels = NodeLabels(in_centred_units(scores), None, n_training, scores)
        else:
            criterion = GAIN if settings.criterion == "gain" else GAIN_RATIO
            self._labels = NodeLabels(in_units(scores), labels, n_training)
        self._tests = tests_of(training.binned, self._labels.units, criterion)
        self._conditions = StatementConditions(training.rows, training.binned, description)
        self._training, self._model = training, (ensemble, description)
        self._leaves = None
        if settings.leaf_probabilities == "independent":
            self._leaves = IndependentLeaves.of(ensemble, description, training.binned, scores)
        self._is_ratio = settings.criterion == "gain_ratio"
        self._prunes = settings.prune_safely and labels is not None
        self._classes = training.classes if settings.stop_when_pure else None
        self._least = max(1, round(settings.limits.min_samples_leaf * n_rows / max(1, n_training)))
        self._statements = training.binned.statements
        self._n_rows = n_rows

    @cached_property
    def _bounds(self) -> ClassBounds | None:
        """Computed on first use: many trees end before any node gets one class."""
        return ClassBounds.of(*self._model, self._training.binned, self._training.scores) if self._prunes else None

    def root(self) -> _Node:
        return _Node(np.arange(self._n_rows), BinBox.of_rows(self._training.binned))

    def examine(self, node: _Node, n_levels: int) -> ExaminedNode[_Node, Condition]:
        has_labels = self._training.labels is not None
        facts = replace(self._labels.facts(node.rows), is_settled=self._is_settled(node) if has_labels else None)
        stops = facts.is_settled or (self._classes is not None and _is_pure(self._classes[node.rows]))
        return ExaminedNode(facts, None if n_levels == 0 or stops else self._split(node))

    def _is_settled(self, node: _Node) -> bool:
        """Return whether every row that could ever reach a node certainly gets the label of its training rows."""
        label = self._labels.common(node.rows)
        if label is None or self._bounds is None:
            return False
        some = node.rows[:: 1 + len(node.rows) // _MOST_WITNESSES]
        return self._bounds.is_certain(node.box, label, self._training.binned.bins[:, some])

    def _split(self, node: _Node) -> Split[_Node, Condition] | None:
        if self._leaves is None:
            best = best_test(self._tests, node.rows, self._labels.units, self._least)
        else:
            best = self._best_by_leaves(node, self._leaves)
        if best is None:
            return None
        test, gain = best
        starts = self._statements.statement_starts
        feature = int(np.searchsorted(starts, test, side="right")) - 1
        own = test - int(starts[feature])
        found = self._conditions.of_statement(feature, own)
        holds = self._tests.holds(test, node.rows) == found.is_true
        return Split(
            found.condition,
            _Node(node.rows[holds], self._boxes.narrowed(node.box, feature, own, is_true=found.is_true)),
            _Node(node.rows[~holds], self._boxes.narrowed(node.box, feature, own, is_true=not found.is_true)),
            gain * len(node.rows) / self._n_rows,
        )

    def _best_by_leaves(self, node: _Node, leaves: IndependentLeaves) -> tuple[int, float] | None:
        """Return the test of the highest gain and its gain, with P(C|A) of boxes instead of rows."""
        whole, starts = entropy_of(leaves.scores(node.box)), self._statements.statement_starts
        best, highest = -1, LEAST_GAIN
        for test in range(self._tests.n_tests):
            n_true = int(self._tests.holds(test, node.rows).sum())
            if min(n_true, len(node.rows) - n_true) < self._least:
                continue
            feature = int(np.searchsorted(starts, test, side="right")) - 1
            share, parts = n_true / len(node.rows), 0.0
            for is_true in (True, False):
                box = self._boxes.narrowed(node.box, feature, test - int(starts[feature]), is_true=is_true)
                parts += (share if is_true else 1 - share) * entropy_of(leaves.scores(box))
            gain = whole - parts
            if self._is_ratio and gain > LEAST_GAIN:
                gain /= entropy_of(np.array([share, 1 - share]))
            if gain > highest:
                best, highest = test, gain
        return None if best < 0 else (best, highest)


def _is_pure(classes: NDArray[np.int64]) -> bool:
    """Return whether all classes that are known (not below 0) are one; where none is, nothing is known of the rows."""
    known = classes[classes >= 0]
    return bool(len(known)) and bool((known == known[0]).all())
