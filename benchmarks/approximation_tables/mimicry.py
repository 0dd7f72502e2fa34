"""Figures 1, 2 and 4 of Zhou & Hooker (2016): how well one tree stands for a forest, on rows new to both."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier

from tree_explainers.rows import Rows

from .making import Made
from .oracles import Asked
from .records import N_LEVELS, Mimicked, Who, balanced_accuracy, share_at_cap

FOREST, CART = Who("forest"), Who("CART")


@dataclass(frozen=True, slots=True)
class NewRows:
    """Rows that nothing was fitted to."""

    rows: Rows
    target: NDArray[np.int64]  # (n_rows,)
    said: NDArray[np.float64]  # by the forest: (n_rows, n_classes)

    @classmethod
    def of(cls, asked: Asked, rows: Rows, target: NDArray[np.int64]) -> "NewRows":
        """Ask the forest about rows."""
        return cls(rows, target, asked.oracle.predict(rows))

    def judged(self, scores: NDArray[np.float64]) -> dict[str, Any]:
        """Return what every predictor is judged by, given its scores."""
        labels = scores.argmax(axis=1)
        return {
            "accuracy": float(np.mean(labels == self.target)),
            "balanced_accuracy": balanced_accuracy(labels, self.target),
            "agreement": float(np.mean(labels == self.said.argmax(axis=1))),
            "probability_l1": float(np.abs(scores - self.said).sum(axis=1).mean()),
        }

    def of_forest(self, study: str, repetition: int) -> Mimicked:
        """Judge the forest itself."""
        judged = self.judged(self.said) | {"agreement": None, "probability_l1": None}
        return Mimicked(study, FOREST, repetition, **judged)

    def of_cart(self, study: str, repetition: int, asked: Asked) -> Mimicked:
        """Judge a classification tree of the same rows that the forest was fitted to."""
        tree = DecisionTreeClassifier(max_depth=N_LEVELS, random_state=repetition)
        tree.fit(np.column_stack(asked.rows.columns), asked.target)
        features = np.column_stack(self.rows.columns)
        n_questions = float(np.mean(np.asarray(tree.decision_path(features).sum(axis=1)) - 1))
        return Mimicked(
            study,
            CART,
            repetition,
            **self.judged(tree.predict_proba(features)),
            n_questions=n_questions,
            n_leaves=int(tree.get_n_leaves()),
        )

    def of_tree(self, study: str, repetition: int, who: Who, made: Made) -> Mimicked:
        """Judge an approximation tree."""
        leaves = made.tree.leaves_of(self.rows)
        return Mimicked(
            study,
            who,
            repetition,
            **self.judged(np.array([node.facts.scores for node in made.tree.nodes])[leaves]),
            n_questions=float(made.tree.depths[leaves].mean()),
            n_leaves=made.tree.n_leaves,
            share_at_cap=share_at_cap(made.tree),
            seconds=made.seconds,
        )
