"""ClassBounds: whether an ensemble gives all rows in a box the same class, seen in training or not."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from .bin_boxes import BinBox
from .forests import Forest, left_of
from .node_questions import node_questions
from .raw_scores import Floats, RawScores, raw_scores
from .reachable_leaves import reached_leaves, worst_leads

_ROWS_TO_FIT = 500  # training rows, evenly spread, on which the way from leaves to scores is found
_LEAST_SHARE = 0.8  # of these, where numbers are scaled: those at a cut may be in another leaf than their bins say


@dataclass(frozen=True, slots=True)
class ClassBounds:
    """Bounds on the scores of an ensemble in a box, from the leaves that its rows can possibly reach."""

    forest: Forest
    raw: RawScores

    @classmethod
    def of(
        cls, ensemble: TreeEnsemble, description: ModelDescription, binned: BinnedRows, scores: Floats
    ) -> "ClassBounds | None":
        """Return the bounds of an ensemble; ``None`` where its scores do not follow from its leaves in a known way.

        Parameters
        ----------
        ensemble, description
            The model.
        binned
            Training rows.
        scores : (n_rows, n_classes)
            What the model says of them: shares that sum to 1.
        """
        statements = binned.statements
        if not statements.features or not binned.n_rows:
            return None
        forest = Forest.of(ensemble, node_questions(ensemble, description, statements), statements)
        some = np.unique(np.linspace(0, binned.n_rows - 1, _ROWS_TO_FIT).astype(np.int64))
        is_scaled = any(column.kind == "affine" for column in description.columns)
        share = _LEAST_SHARE if is_scaled else 1.0
        raw = raw_scores(ensemble, reached_leaves(forest, binned.take(some).bins), scores[some], share)
        return None if raw is None else cls(forest, raw)

    def surely(self, box: BinBox, label: int, bins: NDArray[np.unsignedinteger[Any]]) -> bool:
        """Return whether the ensemble labels every row in a box alike, as far as the leaves' values can tell.

        The lead of each other class over ``label`` is bounded tree by tree by its largest among the leaves that are
        possibly reached. That is never less than what the paper's bounds on single classes tell: they let one leaf be
        the worst for one class, and another of the same tree the best for the other.

        Parameters
        ----------
        box
            The box.
        label
            The class.
        bins : (n_features, n_rows)
            Rows in the box. They change nothing but the time: the leaves that they reach may show early that another
            class may lead, before all leaves are looked at.

        References
        ----------
        Van Assche, Blockeel (2007), "Seeing the Forest through the Trees", section 2.4.
        """
        offsets = self.raw.offsets - self.raw.offsets[label]
        witnesses = reached_leaves(self.forest, np.ascontiguousarray(bins))
        leads = worst_leads(self.forest, left_of(self.forest, box), self.raw.values, offsets, label, witnesses)
        return bool((np.delete(leads, label) < -self.raw.margin).all())
