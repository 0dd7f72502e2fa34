"""A block of a dataset's rows explained at once, in arrays: the same as row by row, at a fraction of the time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.explanations import ExplanationRequest
from schemas.models import Instance
from tree_explainers.errors import RowRefused
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.prototype_sets.block_reasons import BlockReasons, PairReasons
from tree_explainers.prototype_sets.nearest import NearPairs
from tree_explainers.rows import Rows

from .documents import decimals
from .explained_rows import explain_instances
from .instances import LARGEST_FLOAT32, Features
from .texts import DistinctNumbers
from .warm_explainer import WarmExplainer

# Rows.


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Consecutive rows, feature by feature."""

    first_row: int  # index in the dataset
    row_ids: Sequence[str]
    columns: tuple[NDArray[Any], ...]  # each (n_rows,): float64, NaN where missing; or objects: str, None where missing
    are_booleans: tuple[bool, ...]  # (n_features,) columns whose numbers are written as true and false

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.row_ids)

    def part(self, rows: slice) -> "RowBlock":
        """Return consecutive rows of these."""
        columns = tuple(column[rows] for column in self.columns)
        return RowBlock(self.first_row + rows.start, self.row_ids[rows], columns, self.are_booleans)

    def instance(self, row: int) -> list[Any]:
        """Return a row as callers send it: JSON values in the order of the features."""
        values = [column[row] for column in self.columns]
        return [_json_value(value, is_boolean=kind) for value, kind in zip(values, self.are_booleans, strict=True)]


def _json_value(value: Any, *, is_boolean: bool) -> Any:  # noqa: ANN401  # a cell
    if value is None or isinstance(value, str):
        return value
    if np.isnan(value):
        return None
    return bool(value) if is_boolean else float(value)


def run_block(
    session: ModelSession, features: Features, block: RowBlock, known: Outcome | None = None
) -> tuple[NDArray[np.int64], Outcome]:
    """Return the indices of the rows that the model accepts, ascending, and its outcome for them.

    It accepts exactly those that it accepts one by one. It does not run if the outcome of all rows is ``known``.
    """
    rows = Rows(features.names, tuple(map(_fitting, block.columns, features.types)))
    readable = _readable(rows, features)
    if known is not None and len(readable) == len(block):
        return readable, known
    try:
        if len(readable):
            return readable, session.run(session.encode(rows.take(readable)))
    except RowRefused:
        readable = _accepted(session, rows, readable)
    return readable, session.run_rows(rows.take(readable)).outcome


def _fitting(column: NDArray[Any], kind: str) -> NDArray[Any]:
    # A column without a single value has a type in name only.
    if (column.dtype == object) == (kind == "category"):
        return column
    return np.full(len(column), None, dtype=object) if kind == "category" else np.full(len(column), np.nan)


def _readable(rows: Rows, features: Features) -> NDArray[np.int64]:
    """Leave out what is refused before the model sees it: see ``read_instances``."""
    is_readable = np.ones(len(rows), dtype=np.bool_)
    if not features.are_numbers:
        for column in rows.columns:
            if column.dtype != object:
                is_readable &= ~(np.abs(column) >= LARGEST_FLOAT32)
    return np.flatnonzero(is_readable)


def _accepted(session: ModelSession, rows: Rows, indices: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find the rows that are refused by halving: there are few of them as a rule."""
    try:
        session.run(session.encode(rows.take(indices)))
    except RowRefused:
        if len(indices) == 1:
            return indices[:0]
        return np.concatenate([_accepted(session, rows, half) for half in np.array_split(indices, 2)])
    return indices


# Explanations.


@dataclass(frozen=True, slots=True)
class ExplainedBlock:
    """The explanations of a block's rows; pairs are of accepted rows and prototypes near them."""

    rows: RowBlock
    accepted: NDArray[np.int64]  # (n_accepted,) indices of the rows that the model accepts, ascending
    refusals: dict[int, dict[str, Any]]  # explanations of the others, by index
    outcome: Outcome  # of the accepted rows
    scores: NDArray[np.float64]  # (n_accepted, n_classes or 1) as readers of the texts get them
    near_ties: NDArray[np.bool_]  # (n_accepted,) rounding may have decided the label
    near: NearPairs
    nearest: NDArray[np.int64]  # (n_accepted,) nearest prototype; -1: none, the row is unassigned
    agrees: NDArray[np.bool_]  # (n_accepted,) the nearest prototype has the label that the model predicts
    shares: NDArray[np.float64]  # (n_pairs,) proximity in (0, 1]
    reasons: PairReasons
    lows: DistinctNumbers  # of the reasons, in the model's precision
    highs: DistinctNumbers
    shares_of_trees: DistinctNumbers
    contrasts: NDArray[np.int64]  # (n_accepted,) nearest prototype of another class; -1: none, or not included
    contrast_shares: NDArray[np.float64]  # (n_accepted,) its proximity in [0, 1]
    fires: NDArray[np.bool_] | None  # (n_accepted, n_rules) rules that hold; None where they are not included
    reached: NDArray[np.int64] | None  # (n_accepted,) leaf of the approximation tree; None where it is not included
    tree_agrees: NDArray[np.bool_]  # (n_accepted,) that leaf has the label that the model predicts


@dataclass(frozen=True, slots=True)
class BlockExplainer:
    """A warm explainer, prepared for blocks of rows; several threads may use it at once."""

    warm: WarmExplainer
    reasons: BlockReasons
    labels: NDArray[np.int64]  # (n_prototypes,) indices of classes; -1: none, in regression
    n_prototypes: int  # of a row's explanation, at most
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
        """Prepare explanations with at most ``n_prototypes`` nearest prototypes each."""
        texts = warm.reason_texts
        reasons = BlockReasons.build(warm.reasons.boxes, texts.reader, texts.is_shown)
        index_of = {label: index for index, label in enumerate(warm.model.classes)}
        labels = np.array([index_of.get(prototype.label or "", -1) for prototype in warm.prototypes])
        return BlockExplainer(warm, reasons, labels, n_prototypes, with_contrast, with_rules, with_path)

    def explain(self, block: RowBlock, outcome: Outcome | None = None) -> ExplainedBlock:
        """Explain each row; ``outcome`` is the model's outcome for all rows, where that is known."""
        accepted, outcome = run_block(self.warm.session, self.warm.features, block, outcome)
        index, reader = self.warm.index, self.warm.reason_texts.reader
        leaves = self.warm.leaves(outcome)
        proximities = index.proximities(leaves)
        near = index.near_pairs(leaves, proximities, self.n_prototypes)
        unexpected = self.warm.unexpected.of_rows(block.columns, accepted)
        reasons, nearest = self.reasons.of(near, unexpected), _nearest(near)
        contrasts = self._contrasts(proximities, outcome)
        reached = self._reached(block, accepted)
        return ExplainedBlock(
            rows=block,
            accepted=accepted,
            refusals={row: self._refusal(block, row) for row in _others(len(block), accepted)},
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
            shares_of_trees=DistinctNumbers.of(reasons.share_of_trees),
            contrasts=contrasts,
            contrast_shares=proximities[np.arange(len(accepted)), contrasts] / index.total_weight,
            fires=self._fires(block, accepted),
            reached=reached,
            tree_agrees=self._tree_agrees(reached, outcome),
        )

    def _contrasts(self, proximities: NDArray[np.int64], outcome: Outcome) -> NDArray[np.int64]:
        if outcome.labels is None or not self.with_contrast:
            return np.full(len(proximities), -1)
        return self.warm.index.contrasts(proximities, outcome.labels)

    def _fires(self, block: RowBlock, accepted: NDArray[np.int64]) -> NDArray[np.bool_] | None:
        if self.warm.rules is None or not self.with_rules:
            return None
        return self.warm.rules.fires([column[accepted] for column in block.columns])

    def _reached(self, block: RowBlock, accepted: NDArray[np.int64]) -> NDArray[np.int64] | None:
        if self.warm.tree is None or not self.with_path:
            return None
        return self.warm.tree.leaves_of([column[accepted] for column in block.columns])

    def _tree_agrees(self, reached: NDArray[np.int64] | None, outcome: Outcome) -> NDArray[np.bool_]:
        if self.warm.tree is None or reached is None or outcome.labels is None:
            return np.zeros(len(outcome.scores), dtype=np.bool_)
        agrees: NDArray[np.bool_] = self.warm.tree.labels[reached] == outcome.labels
        return agrees

    def _refusal(self, block: RowBlock, row: int) -> dict[str, Any]:
        """Return the refusal of a row, as code for single rows writes it."""
        instances: list[Instance] = [block.instance(row)]
        request = ExplanationRequest.model_construct(instances=instances, row_ids=[block.row_ids[row]])
        return explain_instances(self.warm, request)[0]


def _others(n_rows: int, accepted: NDArray[np.int64]) -> list[int]:
    """Return the indices that are not among the accepted ones, ascending."""
    is_other = np.ones(n_rows, dtype=np.bool_)
    is_other[accepted] = False
    found: list[int] = np.flatnonzero(is_other).tolist()
    return found


def _nearest(near: NearPairs) -> NDArray[np.int64]:
    nearest = np.full(len(near.bounds) - 1, -1)
    is_assigned = np.diff(near.bounds) > 0
    nearest[is_assigned] = near.prototypes[near.bounds[:-1][is_assigned]]
    return nearest
