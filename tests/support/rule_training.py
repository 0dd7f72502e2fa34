"""Real training sets of rule sets: rows, the statements of an ensemble, and the rows' targets."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from tests.support.models import fitted, onnx_of, rows_of_matrix
from tests.support.naive_defrag import Matrix, statement_matrix
from tests.support.pipelines import fitted_pipeline
from tests.support.shared import shared_path
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.reading import ReadModel, read_model
from tree_explainers.prediction_scores import Targets
from tree_explainers.questions.binned_rows import BinnedRows
from tree_explainers.questions.statements import Statements, statements_of
from tree_explainers.rows import Rows
from tree_explainers.rule_sets.row_parts import RowParts, RowsPart
from tree_explainers.rule_sets.tree_paths import TreePaths


@dataclass(frozen=True)
class TrainingSet:
    """Rows of a real data set with a real ensemble's statements, and the data set's own targets."""

    name: str
    rows: Rows
    statements: Statements
    targets: Targets
    read: ReadModel

    @property
    def values(self) -> NDArray[np.float64]:
        """The targets of a regression."""
        assert self.targets.values is not None
        return self.targets.values

    @property
    def classes(self) -> NDArray[np.int64]:
        """The targets of a classification."""
        assert self.targets.classes is not None
        return self.targets.classes

    @functools.cached_property
    def binned(self) -> BinnedRows:
        return BinnedRows.of(self.statements, self.rows)

    @functools.cached_property
    def labelled(self) -> RowParts:
        """The rows and their targets, as rules are found on them."""
        return RowParts.here(self.binned, self.targets)

    def paths(self, max_depth: int, n_trees: int | None = None) -> TreePaths:
        return TreePaths.of(self.read.ensemble, self.read.description, self.statements, max_depth, n_trees)

    @functools.cached_property
    def matrix(self) -> Matrix:
        """The dense matrix of rows and statements."""
        return statement_matrix(self.statements, self.rows)

    @functools.cached_property
    def naive_targets(self) -> Matrix:
        """Classes one-hot, or values."""
        if self.targets.is_regression:
            return self.values
        one_hot: Matrix = np.eye(self.targets.n_classes)[self.classes]
        return one_hot


def labelled_rows(binned: BinnedRows, targets: Targets, block_rows: int, n_blocks: int = 1) -> RowParts:
    """Return rows in parts of a number of blocks."""
    length = block_rows * n_blocks
    parts = [np.arange(start, min(start + length, binned.n_rows)) for start in range(0, binned.n_rows, length)]
    taken = ((binned.take(own), targets.take(own), int(own[0])) for own in parts)
    return RowParts.of_parts([RowsPart(*each, block_rows) for each in taken])


def random_start(n_rows: int, n_regions: int, rng: np.random.Generator) -> Matrix:
    """Return random responsibilities, (n_rows, n_regions): uniform in [0, 1], each row divided by its sum."""
    start: Matrix = rng.random((n_rows, n_regions))
    start /= start.sum(axis=1, keepdims=True)
    return start


@functools.cache
def of_model(name: str) -> TrainingSet:
    """Return the training set of one of ``tests.support.models``."""
    model = fitted(name)
    target = model.target.astype(np.float64)
    targets = _classes(model.target) if model.is_classifier else Targets.of_values(target)
    return _training_set(name, model.rows, model.read, targets)


@functools.cache
def of_pipeline(name: str) -> TrainingSet:
    """Return the training set of one of ``tests.support.pipelines``, with the classes that the model predicts."""
    model = fitted_pipeline(name)
    labels = model.session.run_in_chunks(model.rows).labels
    assert labels is not None
    targets = Targets.of_classes(labels, len(model.read.description.classes))
    return _training_set(name, model.rows, model.read, targets)


@functools.cache
def spambase(n_rows: int, n_trees: int) -> TrainingSet:
    """Return rows of Spambase with a forest of fully grown trees."""
    frame = pd.read_parquet(shared_path("data/spambase.parquet")).sample(n_rows, random_state=0)
    features, target = frame.iloc[:, :-1].to_numpy(np.float32), frame.iloc[:, -1].to_numpy()
    forest = RandomForestClassifier(n_trees, random_state=0).fit(features, target)
    return _training_set("spambase", rows_of_matrix(features), _read(forest, features), _classes(target))


@functools.cache
def energy(n_trees: int) -> TrainingSet:
    """Return all rows of Energy efficiency with a forest for the heating load."""
    frame = pd.read_parquet(shared_path("data/energy_efficiency.parquet"))
    features, target = frame.iloc[:, :8].to_numpy(np.float32), frame.iloc[:, 8].to_numpy(np.float64)
    forest = RandomForestRegressor(n_trees, random_state=0).fit(features, target)
    return _training_set("energy", rows_of_matrix(features), _read(forest, features), Targets.of_values(target))


def _read(forest: RandomForestClassifier | RandomForestRegressor, features: NDArray[np.float32]) -> ReadModel:
    return read_model(onnx_of(forest, features), DeclaredModel(), ModelLimits())


def _classes(target: NDArray[Any]) -> Targets:
    names, classes = np.unique(target, return_inverse=True)
    return Targets.of_classes(classes, len(names))


def _training_set(name: str, rows: Rows, read: ReadModel, targets: Targets) -> TrainingSet:
    names = Rows(read.description.feature_names, rows.columns)
    return TrainingSet(name, names, statements_of(read.ensemble, read.description), targets, read)
