"""WarmTrainingRows: which training rows a prediction is made of, as explanations have it: of forests and boosting."""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from schemas.models import Model
from storage.errors import StorageError
from tree_explainers.bags import Bags
from tree_explainers.boosting_weights import BoostingWeights, fitted_weights
from tree_explainers.effects.leaf_scores_in_scale import LeafScores
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.training_rows import (
    LEVEL,
    TrainingRows,
    concentration,
    interval_coverage,
    largest_shares,
    prediction_interval,
)

from .nearest_rows import WarmReference
from .reference_file import ReferenceFile, evenly_spaced
from .scored_reference import blocks_of, read_rows

_N_LISTED = 10  # rows of an answer
_N_COVERED = 300  # rows whose intervals are tried
_MOST_CELLS = 25_000_000  # rows x trees, so that the rows are run in seconds and their leaves take 150 MB
_DIGITS = 8  # of shares
# Visited are rows in a leaf of the explained row; those that have a share are sorted. Measured on one core in 2026.
_SECONDS, _SECONDS_PER_VISIT, _SECONDS_PER_SORTED, _SECONDS_PER_ROW = 5e-4, 6e-8, 4e-7, 3e-8
_MOST_STEPS = 10**11  # of weights in a set, 4 minutes of a processor
_SECONDS_PER_CELL = 2.5e-9  # of boosting: of a row and a tree
_TOLERANCE = 1e-6  # of values of leaves, which graphs keep in single precision, in parts of the largest

Floats = NDArray[np.float64]

_OF_CLASSES = (
    "training_rows of boosting are the weights of targets in a sum that is the prediction; boosting of classes has log "
    "loss, by which no prediction is such a sum, so weights would not be exact; leave training_rows out"
)
_NO_SUMS = (
    "the model's values are no plain sums over its trees, so training rows have no exact weights in them; leave "
    "training_rows out"
)
_NO_SPLITS = (
    "no tree of the model splits, so all rows have the same prediction, in which no training row counts more than "
    "another; leave training_rows out"
)
_NOT_REFITTED = (
    "the leaves' values do not follow from the reference rows' targets, by one learning rate and one L2 penalty, so "
    "these rows have no exact weights in the prediction: they are not exactly the rows that each tree was trained on "
    "(trees that drew rows, or left some out for early stopping), rows had weights, the loss is not squared error, or "
    "leaves have other values than such means (dart, L1 penalties, limits of steps, constraints that changed them)"
)
_NO_MEANS = "the model's scores are no means over its trees, so training rows have no exact shares; leave them out"
_NO_TARGETS = (
    "training_rows are rows with known targets, and not every reference row has one; register the rows that the model "
    "was trained on as a dataset with its target, and make a prototype set of it"
)
_OTHER_ROWS = (
    "the reference rows are not the rows that the forest was trained on, in their order; register these as a dataset "
    "with its target, and make a prototype set of it"
)
_OTHER_VALUES = (
    "the leaves' values are not the means of the reference rows' targets, so these rows' shares do not add up to the "
    "prediction: they are not the rows that the forest was trained on, rows or classes had weights, or its leaves have "
    "other values than means"
)
_UNKNOWN_BAGS = (
    "; a forest that drew rows for each tree is to be registered with its `bags`, as the Python client does for "
    "scikit-learn's"
)


def refuse_training_rows(include: Sequence[str], model: Model) -> None:
    """Refuse to include training rows of boosting that has classes."""
    if "training_rows" in include and model.ensemble == "boosting" and model.classes:
        raise StorageError("validation_failed", _OF_CLASSES, f"/include/{include.index('training_rows')}")


def refuse_many_weights(include: Sequence[str], model: Model, n_explained: int, n_reference: int) -> None:
    """Refuse training rows of more rows of boosting than a job has time for."""
    if "training_rows" in include and model.ensemble == "boosting":
        n_steps = n_explained * n_reference * model.n_trees
        if n_steps > _MOST_STEPS:
            detail = (
                f"training_rows of boosting take explained rows x training rows x trees, {n_steps:,} steps, and a set "
                f"has {_MOST_STEPS:,} at most; explain fewer rows, or leave training_rows out"
            )
            raise StorageError("validation_failed", detail, f"/include/{include.index('training_rows')}")


class WarmTrainingRows:
    """The reference rows of an explainer as what its model was trained on, which is checked when they are first needed.

    It is safe to use from any thread.

    Parameters
    ----------
    session
        The open model.
    reference
        Its reference rows.
    ensemble
        Reads the model's trees.
    classes
        Of the model; none of a regression.
    """

    def __init__(
        self,
        session: ModelSession,
        reference: WarmReference,
        ensemble: Callable[[], TreeEnsemble],
        classes: Sequence[str],
    ) -> None:
        self._session, self._reference, self._classes = session, reference, list(classes)
        self._ensemble = ensemble
        self._training: TrainingRows | BoostingWeights | None = None
        self._refusal: str | None = None
        self._seconds = 0.0
        self._coverage: float | None = None  # of intervals; None: not known
        self._lock = Lock()

    def refusal(self) -> str | None:
        """Return why shares of these rows are not those of the prediction; ``None`` where they are.

        The rows are read, and run, where they are not yet.
        """
        with self._lock:
            if self._training is None and self._refusal is None:
                self._refusal = self._refused_at_once() or self._read()
        return self._refusal

    @property
    def seconds(self) -> float:
        """Seconds of a processor that a row takes, once the rows are read; 0 where they are refused."""
        return self._seconds

    def document(self, leaves: NDArray[np.int32], row: int | None = None) -> dict[str, Any]:
        """Return which rows a prediction is made of, in the plain values of ``schemas.training_rows.TrainingRows``.

        Parameters
        ----------
        leaves : (n_trees,)
            Of the row, in the model's own trees.
        row
            Its index among the training rows, where it is one of them.
        """
        training, file = self._training, self._reference.open()
        assert training is not None  # callers know
        if isinstance(training, BoostingWeights):
            return self._of_boosting(training, leaves, row)
        shares = training.shares(leaves)
        measured = concentration(shares)
        is_out = None if row is None else training.is_out_of_bag(row, leaves)
        has_own = is_out is not None and bool(is_out.any())
        by_others = training.shares(leaves, is_out) if has_own else None
        document: dict[str, Any] = {
            "n_training_rows": training.n_rows,
            "n_rows": measured.n_rows,
            "n_half": measured.n_half,
            "effective_rows": round(measured.effective_rows, _DIGITS),
            "rows": [
                {**self._row(file, other, row), "share": round(float(shares[other]), _DIGITS)}
                for other in largest_shares(shares, _N_LISTED).tolist()
            ],
            **self._prediction(shares),
        }
        if not self._classes and (row is None or by_others is not None):
            document["interval"] = self._interval(shares if by_others is None else by_others)
        if is_out is not None and by_others is not None:
            document["out_of_bag"] = {"n_trees": int(is_out.sum()), **self._prediction(by_others)}
        return document

    def _of_boosting(self, training: BoostingWeights, leaves: NDArray[np.int32], row: int | None) -> dict[str, Any]:
        """Return the weights of the training rows' targets in a prediction of boosting."""
        file = self._reference.open()
        (weights,) = training.weights(leaves[None])
        parts = np.abs(weights) / np.abs(weights).sum()
        measured, constant = concentration(parts), training.constant(weights)
        return {
            "n_training_rows": training.n_rows,
            "n_rows": measured.n_rows,
            "n_half": measured.n_half,
            "effective_rows": round(measured.effective_rows, _DIGITS),
            "rows": [
                {**self._row(file, other, row), "weight": round(float(weights[other]), _DIGITS)}
                for other in largest_shares(parts, _N_LISTED).tolist()
            ],
            "value": float(weights @ np.asarray(file.targets, np.float64)) + constant,
            "weights": {
                "sum": round(float(weights.sum()), _DIGITS),
                "negative": round(float(weights[weights < 0].sum()), _DIGITS),
                "n_negative": int((weights < 0).sum()),
                "constant": constant,
                "learning_rate": training.learning_rate,
                "l2_penalty": training.l2_penalty,
            },
        }

    def _row(self, file: ReferenceFile, other: int, row: int | None) -> dict[str, Any]:
        assert file.targets is not None  # checked
        target = file.targets[other].item()
        return {
            "row_id": file.row_id(other),
            "target": self._classes[target] if self._classes else float(target),
            **({"is_explained_row": True} if other == row else {}),
        }

    def _prediction(self, shares: Floats) -> dict[str, Any]:
        """Return the mean of the targets, weighted by shares: the share of each class, or a value."""
        targets = self._reference.open().targets
        assert targets is not None  # checked
        if not self._classes:
            return {"value": float(shares @ targets)}
        sums = np.bincount(targets, shares, minlength=len(self._classes))
        pairs = zip(self._classes, sums.tolist(), strict=True)
        return {"shares": [{"label": label, "share": min(1.0, round(share, _DIGITS))} for label, share in pairs]}

    def _interval(self, shares: Floats) -> dict[str, float]:
        targets = self._reference.open().targets
        assert targets is not None  # checked
        low, high = prediction_interval(np.asarray(targets, np.float64), shares)
        coverage = {} if self._coverage is None else {"coverage": round(self._coverage, _DIGITS)}
        return {"level": LEVEL, "low": low, "high": high, **coverage}

    def _refused_at_once(self) -> str | None:
        """Return why there are no exact shares or weights, as far as is known before the rows are run."""
        description, file = self._session.description, self._reference.open()
        raw, is_boosting = description.raw_scores, description.ensemble == "boosting"
        if is_boosting and self._classes:
            return _OF_CLASSES
        if raw is None or raw.link is not None or len(raw.terms) != 1:
            return _NO_SUMS if is_boosting else _NO_MEANS
        if file.targets is None or not _are_known(file.targets):
            return _NO_TARGETS
        if description.bags is not None and file.in_bag is None:
            return _OTHER_ROWS
        if file.n_rows * description.n_trees > _MOST_CELLS:
            return (
                f"training_rows are found for at most {_MOST_CELLS:,} rows x trees, and there are {file.n_rows:,} rows "
                f"and {description.n_trees:,} trees; leave training_rows out"
            )
        return None

    def _read(self) -> str | None:
        """Run the rows and keep which lie in which leaf, where the values of the leaves follow from their targets."""
        description, file, ensemble = self._session.description, self._reference.open(), self._ensemble()
        assert description.raw_scores is not None  # refused before
        assert file.targets is not None
        codes = np.empty((ensemble.n_trees, file.n_rows), np.int32)
        for block in blocks_of(np.arange(file.n_rows), self._session):
            codes[:, block] = self._session.run_in_chunks(read_rows(self._session, file, block)).leaves.T
        scores = LeafScores.of(ensemble, description.raw_scores)
        if description.ensemble == "boosting":
            return self._refit(codes, ensemble, scores)
        bags: Bags | None = description.bags
        training = TrainingRows.of(codes, ensemble.leaf_offsets, None if bags is None else bags.counts)
        # What each leaf predicts, as its tree alone would, (n_scores, n_leaves).
        values = scores.values[list(scores.distinct)] * scores.signs[:, None] * ensemble.n_trees
        if not _are_leaf_values(training, np.asarray(values + scores.offsets[:, None]), file.targets):
            return _OTHER_VALUES + (_UNKNOWN_BAGS if bags is None else "")
        if not self._classes and bags is not None:
            rows = evenly_spaced(file.n_rows, _N_COVERED)
            self._coverage = interval_coverage(training, codes, np.asarray(file.targets, np.float64), rows)
        n_visited = float((np.diff(training.starts).astype(np.float64) ** 2).sum()) / training.n_rows
        sorting = _SECONDS_PER_SORTED * min(n_visited, training.n_rows) + _SECONDS_PER_ROW * training.n_rows
        self._training, self._seconds = training, _SECONDS + _SECONDS_PER_VISIT * n_visited + sorting
        return None

    def _refit(self, codes: NDArray[np.int32], ensemble: TreeEnsemble, scores: LeafScores) -> str | None:
        """Keep how the leaves of boosting follow from the targets, where they do."""
        if ensemble.leaf_offsets[-1] == ensemble.n_trees:
            return _NO_SPLITS
        targets, (offset,) = np.asarray(self._reference.open().targets, np.float64), scores.offsets.tolist()
        values = np.asarray(scores.values_of(0) * scores.signs[0])
        self._training = fitted_weights(codes, ensemble.leaf_offsets, values, offset, targets)
        self._seconds = _SECONDS + _SECONDS_PER_CELL * codes.size + _SECONDS_PER_ROW * codes.shape[1]
        return None if self._training is not None else _NOT_REFITTED


def _are_known(targets: NDArray[Any]) -> bool:
    """Whether each row has a target: a class, or a value."""
    return bool((targets >= 0).all() if targets.dtype.kind == "i" else np.isfinite(targets).all())


def _are_leaf_values(training: TrainingRows, values: Floats, targets: NDArray[Any]) -> bool:
    """Whether the value of each leaf is the mean target of its rows, for each score."""
    tolerance = _TOLERANCE * float(np.abs(values).max())
    of_scores = (targets == score for score in range(len(values))) if targets.dtype.kind == "i" else (targets,)
    return all(
        training.largest_difference(of_score, np.asarray(target, np.float64)) <= tolerance
        for of_score, target in zip(values, of_scores, strict=True)
    )
