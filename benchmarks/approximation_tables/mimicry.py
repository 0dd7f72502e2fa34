"""Figures 1, 2 and 4 of Zhou & Hooker (2016): how well one tree approximates a forest, on rows new to both."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from tree_explainers.rows import Rows

from .making import Made
from .oracles import OracleCase
from .records import N_LEVELS, Mimicked, Who, balanced_accuracy, share_at_cap

FOREST, CART = Who("forest"), Who("CART")


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that nothing was fitted to."""

    rows: Rows
    target: NDArray[np.int64]  # (n_rows,)
    forest_scores: NDArray[np.float64]  # by the forest: (n_rows, n_classes)

    @classmethod
    def of(cls, case: OracleCase, rows: Rows, target: NDArray[np.int64]) -> "NewRows":
        """Have the forest predict rows."""
        return cls(rows, target, case.oracle.predict(rows))

    def measures(self, scores: NDArray[np.float64]) -> dict[str, Any]:
        """Return the measures of every predictor, given its scores."""
        labels = scores.argmax(axis=1)
        return {
            "accuracy": float(np.mean(labels == self.target)),
            "balanced_accuracy": balanced_accuracy(labels, self.target),
            "agreement": float(np.mean(labels == self.forest_scores.argmax(axis=1))),
            "probability_l1": float(np.abs(scores - self.forest_scores).sum(axis=1).mean()),
        }

    def of_forest(self, study: str, repetition: int) -> Mimicked:
        """Evaluate the forest itself."""
        measures = self.measures(self.forest_scores) | {"agreement": None, "probability_l1": None}
        return Mimicked(study, FOREST, repetition, **measures)

    def of_cart(self, study: str, repetition: int, case: OracleCase) -> Mimicked:
        """Evaluate a classification tree of the same rows that the forest was fitted to."""
        tree = DecisionTreeClassifier(max_depth=N_LEVELS, random_state=repetition)
        tree.fit(np.column_stack(case.rows.columns), case.target)
        features = np.column_stack(self.rows.columns)
        n_questions = float(np.mean(np.asarray(tree.decision_path(features).sum(axis=1)) - 1))
        return Mimicked(
            study,
            CART,
            repetition,
            **self.measures(tree.predict_proba(features)),
            n_questions=n_questions,
            n_leaves=int(tree.get_n_leaves()),
        )

    def of_tree(self, study: str, repetition: int, who: Who, made: Made) -> Mimicked:
        """Evaluate an approximation tree."""
        leaves = made.tree.leaves_of(self.rows)
        return Mimicked(
            study,
            who,
            repetition,
            **self.measures(np.array([node.facts.scores for node in made.tree.nodes])[leaves]),
            n_questions=float(made.tree.depths[leaves].mean()),
            n_leaves=made.tree.n_leaves,
            share_at_cap=share_at_cap(made.tree),
            seconds=made.seconds,
        )
