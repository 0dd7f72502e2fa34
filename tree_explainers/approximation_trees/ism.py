"""ISM: one tree whose tests are an ensemble's own, chosen by the classes that the ensemble predicts.

No pseudo rows are drawn: gains are measured on the training rows, with the ensemble's predicted probabilities. Nodes
whose class is certain for every row that could reach them are not split ("safe pruning").
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compute.progress import ReportProgress, ignore_progress
from ..ensemble import TreeEnsemble
from ..errors import InvalidInput, MethodNotApplicable
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from ..questions.implications import Implications
from ..rows import Rows
from .class_bounds import ClassBounds
from .information_gain import (
    GAIN,
    GAIN_RATIO,
    VARIANCE,
    NodeLabels,
    Tests,
    Units,
    best_test,
    in_centred_units,
    in_units,
)
from .ism_growth import MOST_WITNESSES, IsmSettings, grow_over
from .leaf_probabilities import IndependentLeaves, not_of_means
from .mixed_tests import statement_tests
from .size_choice import before_cutting_back, with_best_leaves
from .statement_conditions import ValuesHere
from .trees import ApproximationTree, NodeFacts

__all__ = ["IsmSettings", "IsmTraining", "TestsOf", "check_ism", "criterion_of", "grow_ism"]

# A graph in which trees cast votes has all of these operators. Other models have some, for columns or links.
_VOTES = {
    *("ArgMax", "ArrayFeatureExtractor", "ConstantOfShape", "Equal", "Exp", "ReduceSum", "Shape", "Sum", "Where"),
    "TreeEnsembleClassifier",
}

TestsOf = Callable[[BinnedRows, Units, int], Tests]
"""Returns the statements of binned rows as tests, given the rows' scores in units and the criterion of gains."""


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

    @property
    def has_drawn_rows(self) -> bool:
        """Whether other rows follow the training rows."""
        return self.n_training is not None and self.n_training < len(self.rows)

    @property
    def samples(self) -> list[tuple[Rows, NDArray[np.float64]]]:
        """The training rows and those that follow them, with the ensemble's scores."""
        parts = np.split(np.arange(len(self.rows)), [len(self.rows) if self.n_training is None else self.n_training])
        return [(self.rows.take(part), self.scores[part]) for part in parts if len(part)]


def grow_ism(
    training: IsmTraining,
    ensemble: TreeEnsemble,
    description: ModelDescription,
    settings: IsmSettings = IsmSettings(),  # noqa: B008  # frozen
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
    demands the same share of all rows, and with ``choose_by`` fidelity a larger tree is cut back to the leaves that are
    the most faithful on both (``with_best_leaves``). A leaf's label is the ensemble's, if it labels all rows in it
    alike; otherwise the class of the highest mean probability. With independent ``leaf_probabilities``, gains come from
    P(C|A) of boxes (``IndependentLeaves``), in time by the tests and the ensemble's nodes. Ties go to the lower
    feature, the lower threshold, the first class.

    Raises
    ------
    MethodNotApplicable
        For trees that vote (AdaBoost); for regression with ``stop_when_pure`` or gain ratio; with independent leaf
        probabilities, for regression and for models whose scores are not means of the leaves'.
    InvalidInput
        ``schema_mismatch`` for ``stop_when_pure`` without a target.

    References
    ----------
    Van Assche, Blockeel (2007), "Seeing the Forest through the Trees: Learning a Comprehensible Model from a First
    Order Ensemble".
    """
    check_ism(description, settings, has_target=training.classes is not None)
    rows, max_leaves = _Rows(training, settings, tests_of), settings.limits.max_leaves
    if settings.choose_by == "gain" or max_leaves is None or not training.has_drawn_rows:
        return grow_over(rows, ensemble, description, settings, report)
    larger = replace(settings, limits=before_cutting_back(settings.limits))
    tree = grow_over(rows, ensemble, description, larger, report)
    if tree.n_leaves <= max_leaves:
        return tree
    return with_best_leaves(tree, max_leaves, training.samples, is_classifier=rows.is_classifier)


def criterion_of(settings: IsmSettings, *, is_classifier: bool) -> int:
    """Return the criterion of gains."""
    if not is_classifier:
        return VARIANCE
    return GAIN if settings.criterion == "gain" else GAIN_RATIO


def check_ism(description: ModelDescription, settings: IsmSettings, *, has_target: bool) -> None:
    """Reject models and settings for which the method has no meaning, as far as this is known before; ``grow_ism``."""
    if description.task == "classification" and set(description.operators) >= _VOTES:
        msg = (
            "The model's trees cast votes (as AdaBoost's do), while `ism` needs scores that are means or sums of leaf "
            "values; use `sta`, `born_again` or `cart`."
        )
        raise MethodNotApplicable(msg)
    if settings.criterion == "gain_ratio" and description.task == "regression":
        msg = "`criterion: gain_ratio` is for classes, and the model predicts a value; leave it out."
        raise MethodNotApplicable(msg, field="criterion")
    if settings.leaf_probabilities == "independent":
        _check_independent(description)
    if settings.stop_when_pure:
        _check_purity(description, has_target=has_target)


def _check_independent(description: ModelDescription) -> None:
    if description.task == "regression":
        msg = "`leaf_probabilities: independent` is for classes, and the model predicts a value; leave it out."
        raise MethodNotApplicable(msg, field="leaf_probabilities")
    has_link = description.scoring is not None and description.scoring.link is not None
    if has_link or description.ensemble == "boosting":
        raise not_of_means()


def _check_purity(description: ModelDescription, *, has_target: bool) -> None:
    if description.task == "regression":
        msg = "`stop_when_pure` is for classes, and the model predicts a value; send `stop_when_pure: false`."
        raise MethodNotApplicable(msg, field="stop_when_pure")
    if not has_target:
        msg = (
            "`stop_when_pure` needs the true classes of the training rows, and the dataset has no target; send "
            "`stop_when_pure: false`, or register the dataset with its target."
        )
        raise InvalidInput(msg, "schema_mismatch", field="stop_when_pure")


class _Rows:
    """Training rows in this process, and drawn rows that joined them; ``IsmRows``."""

    def __init__(self, training: IsmTraining, settings: IsmSettings, tests_of: TestsOf) -> None:
        self.training, self.implications = training, training.implications
        self.n_rows = training.binned.n_rows
        self.n_training = self.n_rows if training.n_training is None else training.n_training
        self.is_classifier = training.labels is not None
        self.values = ValuesHere(training.rows, training.binned)
        units = in_units(training.scores) if self.is_classifier else in_centred_units(training.scores)
        values = None if self.is_classifier else training.scores
        self.labels = NodeLabels(units, training.labels, self.n_training, values)
        self.tests = tests_of(training.binned, units, criterion_of(settings, is_classifier=self.is_classifier))

    def root(self) -> "_RowsAtNode":
        return _RowsAtNode(self, np.arange(self.n_rows))

    def class_bounds(self, ensemble: TreeEnsemble, description: ModelDescription) -> ClassBounds | None:
        return ClassBounds.of(ensemble, description, self.training.binned, self.training.scores)

    def independent_leaves(self, ensemble: TreeEnsemble, description: ModelDescription) -> IndependentLeaves:
        return IndependentLeaves.of(ensemble, description, self.training.binned, self.training.scores)


@dataclass(frozen=True, slots=True)
class _RowsAtNode:
    """Some of these rows."""

    all_rows: _Rows
    rows: NDArray[np.int64]  # ascending

    @property
    def n_rows(self) -> int:
        return len(self.rows)

    def facts(self) -> NodeFacts:
        return self.all_rows.labels.facts(self.rows)

    def common_label(self) -> int | None:
        return self.all_rows.labels.common(self.rows)

    def is_pure(self) -> bool:
        classes = self.all_rows.training.classes
        return classes is not None and _is_pure(classes[self.rows])

    def witnesses(self) -> NDArray[np.unsignedinteger[Any]]:
        some = self.rows[:: 1 + len(self.rows) // MOST_WITNESSES]
        return self.all_rows.training.binned.bins[:, some]

    def best_test(self, min_samples_leaf: int) -> tuple[int, float] | None:
        return best_test(self.all_rows.tests, self.rows, self.all_rows.labels.units, min_samples_leaf)

    def n_true(self) -> NDArray[np.int64]:
        tests = self.all_rows.tests
        return np.array([int(tests.holds(test, self.rows).sum()) for test in range(tests.n_tests)], np.int64)

    def split(self, feature: int, statement: int, *, is_true: bool) -> "tuple[_RowsAtNode, _RowsAtNode]":
        binned = self.all_rows.training.binned
        holds = binned.statements.features[feature].holds(statement, binned.bins[feature, self.rows]) == is_true
        return _RowsAtNode(self.all_rows, self.rows[holds]), _RowsAtNode(self.all_rows, self.rows[~holds])


def _is_pure(classes: NDArray[np.int64]) -> bool:
    """Return whether all classes that are known (not below 0) are one; where none is, nothing is known of the rows."""
    known = classes[classes >= 0]
    return bool(len(known)) and bool((known == known[0]).all())
