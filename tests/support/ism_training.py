"""Real training rows of ISM: what an ensemble predicts for them, its statements, and rows that it was never shown."""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import ExtraTreesClassifier, RandomForestClassifier

from tests.support.models import fitted, matrix_data, onnx_of, rows_of_matrix
from tests.support.native_models import NATIVE
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.approximation_trees.ism import IsmSettings, IsmTraining, grow_ism
from tree_explainers.approximation_trees.oracle import oracle_scores
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows

_FEW = {"random_forest": RandomForestClassifier, "extra_trees": ExtraTreesClassifier}
_N_FEATURES = 3
_SHARE_UNKNOWN = 0.05
TAKES_ANY_CATEGORY = ("scaled_and_one_hot", "dropped_indicators", "missing_kept", *NATIVE)


@dataclass(frozen=True)
class IsmCase:
    """A model with rows."""

    name: str
    rows: Rows
    classes: NDArray[np.int64] | None
    read: ReadModel
    session: ModelSession

    @functools.cached_property
    def statements(self) -> Statements:
        return statements_of(self.read.ensemble, self.read.description)

    @functools.cached_property
    def training(self) -> IsmTraining:
        predicted = self.session.predict(self.rows)
        binned = BinnedRows.of(self.statements, self.rows)
        return IsmTraining(
            self.rows, binned, oracle_scores(predicted, self.read.description), predicted.labels, self.classes
        )

    @property
    def predicted(self) -> NDArray[np.int64]:
        """The classes that the model predicts for the rows."""
        assert self.training.labels is not None
        return self.training.labels

    def grow(self, limits: TreeLimits, *, prune_safely: bool = True, stop_when_pure: bool = False) -> ApproximationTree:
        settings = IsmSettings(limits, stop_when_pure=stop_when_pure, prune_safely=prune_safely)
        return grow_ism(self.training, self.read.ensemble, self.read.description, settings)

    def joined_by(self, drawn: Rows) -> IsmTraining:
        """Return the rows with others after them."""
        columns = tuple(map(np.concatenate, zip(self.rows.columns, drawn.columns, strict=True)))
        rows = Rows(self.rows.names, columns)
        predicted, binned = self.session.predict(rows), BinnedRows.of(self.statements, rows)
        scores = oracle_scores(predicted, self.read.description)
        return IsmTraining(rows, binned, scores, predicted.labels, n_training=len(self.rows))

    def labels(self, rows: Rows) -> NDArray[np.int64]:
        """Return the model's own."""
        labels = self.session.predict(rows).labels
        assert labels is not None
        return labels

    def unseen(self, n_rows: int, seed: int = 0) -> Rows:
        """Return rows that nobody has seen: every value is a real row's, each of another row.

        A model that takes categories which it does not know gets some.
        """
        rng, n_own = np.random.default_rng(seed), len(self.rows)
        columns = [column[rng.integers(0, n_own, n_rows)] for column in self.rows.columns]
        if self.name in TAKES_ANY_CATEGORY:
            for column in columns:
                if column.dtype == object:
                    column[rng.random(n_rows) < _SHARE_UNKNOWN] = "never seen before"
        return Rows(self.rows.names, tuple(columns))


@functools.cache
def ism_case(name: str) -> IsmCase:
    """Return one of ``tests.support.models`` or ``pipelines``, or ``few_<family>_<task>``, of three features."""
    if name in (*PIPELINES, *NATIVE):
        pipeline = fitted_pipeline(name)
        return IsmCase(name, pipeline.rows, None, pipeline.read, pipeline.session)
    if name.startswith("few_"):
        return _of_few_features(name)
    model = fitted(name)
    classes = np.unique(model.target, return_inverse=True)[1]
    return IsmCase(name, model.rows, classes, model.read, model.session)


def _of_few_features(name: str) -> IsmCase:
    family, _, task = name.removeprefix("few_").rpartition("_")
    features, target = matrix_data(task)
    features = features[:, :_N_FEATURES]
    forest = _FEW[family](20, max_depth=4, random_state=0).fit(features, target)
    rows = rows_of_matrix(features)
    read = read_model(onnx_of(forest, features), DeclaredModel(feature_names=rows.names), ModelLimits())
    return IsmCase(name, rows, target, read, ModelSession(read.leaf_graph, read.description))
