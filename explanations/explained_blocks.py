"""A block of rows explained at once, in arrays: the same as row by row, at a fraction of the time."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from schemas.models import Instance
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import Outcome
from tree_explainers.prototype_sets.block_reasons import BlockReasons, PairReasons
from tree_explainers.prototype_sets.nearest import NearPairs

from .decimals import decimals
from .explaining import explain_instances
from .row_blocks import RowBlock, run_block
from .texts import DistinctNumbers
from .warm_explainer import WarmExplainer


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """What is said of the rows of a block; pairs are of rows that were taken and prototypes near them."""

    rows: RowBlock
    taken: NDArray[np.int64]  # (n_taken,) positions of the rows that the model takes, ascending
    refusals: dict[int, dict[str, Any]]  # what is said of the others, by position
    outcome: Outcome  # of the rows taken
    scores: NDArray[np.float64]  # (n_taken, n_classes or 1) as readers of the texts get them
    near_ties: NDArray[np.bool_]  # (n_taken,) rounding may have decided the label
    near: NearPairs
    nearest: NDArray[np.int64]  # (n_taken,) nearest prototype; -1: none, the row is unassigned
    agrees: NDArray[np.bool_]  # (n_taken,) the nearest prototype has the label that the model predicts
    shares: NDArray[np.float64]  # (n_pairs,) proximity in (0, 1]
    reasons: PairReasons
    lows: DistinctNumbers  # of the reasons, in the model's precision
    highs: DistinctNumbers
    tree_shares: DistinctNumbers
    contrasts: NDArray[np.int64]  # (n_taken,) nearest prototype of another class; -1: none, or not asked for
    contrast_shares: NDArray[np.float64]  # (n_taken,) its proximity in [0, 1]
    fires: NDArray[np.bool_] | None  # (n_taken, n_rules) rules that hold; None where they were not asked for
    reached: NDArray[np.int64] | None  # (n_taken,) leaf of the approximation tree; None where it was not asked for
    tree_agrees: NDArray[np.bool_]  # (n_taken,) that leaf has the label that the model predicts


@dataclass(frozen=True, slots=True)
class BlockExplainer:
    """A warm explainer, made ready for blocks of rows; several threads may use it at once."""

    warm: WarmExplainer
    reasons: BlockReasons
    labels: NDArray[np.int64]  # (n_prototypes,) positions among the classes; -1: none, in regression
    n_prototypes: int  # to tell of, at most
    with_contrast: bool
    with_rules: bool
    with_path: bool

    @staticmethod
    def build(
        warm: WarmExplainer,
        n_prototypes: int,
        *,
        with_contrast: bool,
        with_rules: bool = False,
        with_path: bool = False,
    ) -> "BlockExplainer":
        """Prepare to tell of at most ``n_prototypes`` a row."""
        texts = warm.reason_texts
        reasons = BlockReasons.build(texts.reasons.boxes, texts.reader, texts.is_shown)
        position = {label: index for index, label in enumerate(warm.model.classes)}
        labels = np.array([position.get(prototype.label or "", -1) for prototype in warm.prototypes])
        return BlockExplainer(warm, reasons, labels, n_prototypes, with_contrast, with_rules, with_path)

    def explain(self, block: RowBlock, outcome: Outcome | None = None) -> ExplainedBlock:
        """Return what is said of each row; ``outcome`` is what the model says of them, where that is known."""
        taken, outcome = run_block(self.warm.session, self.warm.features, block, outcome)
        index, reader = self.warm.index, self.warm.reason_texts.reader
        proximities = index.proximities(outcome.leaves)
        near = index.near_pairs(outcome.leaves, proximities, self.n_prototypes)
        unexpected = self.warm.unexpected.of_rows(block.columns, taken)
        reasons, nearest = self.reasons.of(near, unexpected), _nearest(near)
        contrasts = self._contrasts(proximities, outcome)
        reached = self._reached(block, taken)
        return ExplainedBlock(
            rows=block,
            taken=taken,
            refusals={row: self._refusal(block, row) for row in _others(len(block), taken)},
            outcome=outcome,
            near_ties=near_ties(outcome.scores, self.warm.session.description.rounding),
            scores=np.array(decimals(outcome.scores.ravel())).reshape(outcome.scores.shape),
            near=near,
            nearest=nearest,
            agrees=(self.labels[nearest] == outcome.labels) & (nearest >= 0),
            shares=near.proximities / index.total_weight,
            reasons=reasons,
            lows=DistinctNumbers.of(reader.rounded(reasons.low, reasons.column)),
            highs=DistinctNumbers.of(reader.rounded(reasons.high, reasons.column)),
            tree_shares=DistinctNumbers.of(reasons.tree_share),
            contrasts=contrasts,
            contrast_shares=proximities[np.arange(len(taken)), contrasts] / index.total_weight,
            fires=self._fires(block, taken),
            reached=reached,
            tree_agrees=self._tree_agrees(reached, outcome),
        )

    def _fires(self, block: RowBlock, taken: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        if self.warm.rules is None or not self.with_rules:
            return None
        return self.warm.rules.fires([column[taken] for column in block.columns])

    def _reached(self, block: RowBlock, taken: NDArray[np.int64]) -> NDArray[np.int64] | None:
        if self.warm.tree is None or not self.with_path:
            return None
        return self.warm.tree.leaves_of([column[taken] for column in block.columns])

    def _tree_agrees(self, reached: NDArray[np.int64] | None, outcome: Outcome) -> NDArray[np.bool_]:
        if self.warm.tree is None or reached is None or outcome.labels is None:
            return np.zeros(len(outcome.scores), dtype=np.bool_)
        agrees: NDArray[np.bool_] = self.warm.tree.labels[reached] == outcome.labels
        return agrees

    def _contrasts(self, proximities: NDArray[np.int64], outcome: Outcome) -> NDArray[np.int64]:
        if outcome.labels is None or not self.with_contrast:
            return np.full(len(proximities), -1)
        return self.warm.index.contrasts(proximities, outcome.labels)

    def _refusal(self, block: RowBlock, position: int) -> dict[str, Any]:
        """Return what is said of the row alone."""
        instances: list[Instance] = [block.instance(position)]
        request = ExplanationRequest.model_construct(instances=instances, row_ids=[block.row_ids[position]])
        return explain_instances(self.warm, request)[0]


def _others(n_rows: int, taken: NDArray[np.int64]) -> list[int]:
    """Return the positions that are not among those taken, ascending."""
    is_other = np.ones(n_rows, dtype=np.bool_)
    is_other[taken] = False
    found: list[int] = np.flatnonzero(is_other).tolist()
    return found


def _nearest(near: NearPairs) -> NDArray[np.int64]:
    nearest = np.full(len(near.bounds) - 1, -1)
    is_assigned = np.diff(near.bounds) > 0
    nearest[is_assigned] = near.prototypes[near.bounds[:-1][is_assigned]]
    return nearest
