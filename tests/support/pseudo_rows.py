"""Pseudo rows near real training rows, what a real forest predicts for them, and how candidates part them."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.support.models import fitted
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tree_explainers.approximation_trees.candidate_splits import Candidates, candidates_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

FORESTS = ("random_forest_binary", "random_forest_multiclass", "random_forest_regression")
MIXED = ("ordinal_categories", "dropped_indicators")  # numbers, flags and categories, of which some are missing
N_AT_NODE = {True: 24, False: 10}  # of a pipeline, of a forest: its columns are many, its values all different


@dataclass(frozen=True, slots=True)
class PseudoRows:
    """Pseudo rows of the root."""

    candidates: Candidates
    bins: tuple[NDArray[np.unsignedinteger[Any]], ...]
    answers: NDArray[np.float64]  # (n_rows, n_classes), or (n_rows, 1) values

    @property
    def splits(self) -> list[NDArray[np.bool_]]:
        """Which rows each candidate sends left."""
        return [self.candidates.sends_left(each, self.bins) for each in range(self.candidates.n_candidates)]


@functools.cache
def pseudo_rows(name: str, n_rows: int, seed: int = 0) -> PseudoRows:
    """Return pseudo rows near a few training rows of a forest, or of a pipeline."""
    rows, session = training(name)
    few = rows.take(slice(0, None, len(rows) // N_AT_NODE[name in PIPELINES]))
    candidates = candidates_of(few, {}, min_samples_leaf=2)
    drawn = Smoother.of(rows, {}).draw(few, NodeBox({}), n_rows, np.random.default_rng(seed))
    return PseudoRows(candidates, candidates.bins_of(drawn), SessionOracle(session).predict(drawn))


def training(name: str) -> tuple[Rows, ModelSession]:
    """Return the training rows of a model, and the model."""
    model = fitted_pipeline(name) if name in PIPELINES else fitted(name)
    return model.rows, model.session
