"""References of effects: what rows are compared with, by the names that requests have for it, and means of many rows.

``contrast`` and ``nearest`` are one prototype of each row's own. ``prototypes:<outcome>``, ``rows:<outcome>`` and
``all`` are the same rows for every row, which effects are averaged over.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from schemas.explanation_parts import ReferenceKind
from storage.errors import StorageError
from tree_explainers.effects.ensemble_effects import EnsembleEffects
from tree_explainers.onnx_models.tree_inputs import TreeColumns
from tree_explainers.rows import Rows

from .nearest_rows import WarmReference
from .reference_file import evenly_spaced

MAX_SECONDS = 1.0
"""Of one processor, that all reference rows of a row's effects take, about."""
MAX_BYTES = 1 << 26
"""Of memory, that reference rows take while effects are calculated."""

_SECONDS_PER_NODE = 1.5e-9  # and reference row, when patterns are counted; measured on one core of a 2025 server
_N_KEPT = 4  # means whose rows stay in memory
_N_SHOWN, _N_CHARACTERS = 5, 80  # of names in a message
_FORMS = "references are contrast, nearest, all, and prototypes:<outcome> or rows:<outcome>"
_OF_ONE = frozenset({"contrast", "nearest"})


class Reference(NamedTuple):
    """What a request compares rows with."""

    kind: ReferenceKind
    outcome: str | None = None  # of the prototypes or rows; None: of any

    @property
    def is_mean(self) -> bool:
        """Whether effects are means over several rows."""
        return self.kind not in _OF_ONE


class MeanReference(NamedTuple):
    """Rows that effects are averaged over."""

    head: dict[str, Any]  # the beginning of the reference in an answer
    ranks: NDArray[np.uint16]  # (n_references, n_ranked)
    raw: NDArray[np.float64]  # (n_references, n_scores)
    weights: NDArray[np.float64]  # (n_references,) adding up to 1

    def raw_score(self, score: int) -> float:
        """Return the mean raw score."""
        return float(self.weights @ self.raw[:, score])


@dataclass(frozen=True, slots=True, eq=False)
class PrototypeRows:
    """The prototypes of an explainer, as effects take them."""

    ranks: NDArray[np.uint16]  # (n_prototypes, n_ranked)
    raw: NDArray[np.float64]  # (n_prototypes, n_scores)
    outcomes: tuple[str | None, ...]  # (n_prototypes,) class or outcome; None of a regression
    n_covered: NDArray[np.float64]  # (n_prototypes,) rows that each represents


def reference_of(text: str | None, outcomes: Sequence[str]) -> Reference:
    """Return the reference that a request names.

    Parameters
    ----------
    text
        As the request has it; None: the default.
    outcomes
        Classes or outcomes that prototypes may have; empty for regression.

    Raises
    ------
    StorageError
        ``validation_failed`` for what is no reference, and for an outcome that there is not.
    """
    if text is None:
        return Reference("contrast" if outcomes else "nearest")
    kind, colon, outcome = text.partition(":")
    if colon and kind in {"prototypes", "rows"}:
        reference = Reference(kind, outcome)  # type: ignore[arg-type]  # one of the two
    elif not colon and kind in {"contrast", "nearest", "all"}:
        reference = Reference(kind)  # type: ignore[arg-type]  # one of the three
    else:
        detail = f"{text[:_N_CHARACTERS]!r} is no reference; {_FORMS}"
        raise _refused(detail)
    if not outcomes and reference.kind in {"contrast", "prototypes", "rows"}:
        detail = (
            f"reference {text[:_N_CHARACTERS]!r}: the model is a regression without a decision, whose rows have no "
            "outcomes; name nearest or all, or leave reference out"
        )
        raise _refused(detail)
    if reference.outcome is not None and reference.outcome not in outcomes:
        known = some_names(outcomes)
        detail = f"reference {text[:_N_CHARACTERS]!r}: prototypes have no such outcome; outcomes are {known}"
        raise _refused(detail)
    return reference


def refuse_without_prototypes(reference: Reference, outcomes: Sequence[str | None]) -> None:
    """Refuse a mean over the prototypes of an outcome that none of them has, from the outcome of each."""
    if reference.kind == "prototypes" and reference.outcome not in outcomes:
        known = some_names(list(dict.fromkeys(map(str, outcomes))))
        detail = f"no prototype has the outcome {reference.outcome!r}; prototypes have {known}"
        raise _refused(detail)


def refuse_without_rows(reference: Reference, *, are_kept: bool) -> None:
    """Refuse a mean over reference rows where these are not kept."""
    if reference.kind in {"rows", "all"} and not are_kept:
        detail = (
            "the explainer has no reference rows to compare with: they are kept for at most 250,000,000 rows x (trees "
            "+ features); name contrast, nearest or prototypes:<outcome>"
        )
        raise _refused(detail)


class MeanReferences:
    """The rows that effects of an explainer are averaged over; read when they are first needed. Safe in any thread.

    Parameters
    ----------
    effects, columns
        Of the model.
    feature_names
        Raw features, in the model's order.
    prototypes
        Of the explainer.
    rows
        Its reference rows; None: they are not kept.
    """

    def __init__(
        self,
        effects: EnsembleEffects,
        columns: TreeColumns,
        feature_names: Sequence[str],
        prototypes: PrototypeRows,
        rows: WarmReference | None,
    ) -> None:
        self._effects, self._columns, self._names = effects, columns, tuple(feature_names)
        self._prototypes, self._rows = prototypes, rows
        self._kept: OrderedDict[Reference, MeanReference] = OrderedDict()
        self._lock = Lock()

    def of(self, reference: Reference) -> MeanReference:
        """Return the rows of a reference, read if need be.

        Raises
        ------
        StorageError
            ``validation_failed`` where it has no rows, or no reference rows are kept.
        """
        with self._lock:
            if reference not in self._kept:
                is_read = reference.kind != "prototypes"
                self._kept[reference] = self._read(reference) if is_read else self._of_prototypes(reference)
            self._kept.move_to_end(reference)
            if len(self._kept) > _N_KEPT:
                self._kept.popitem(last=False)
            return self._kept[reference]

    def is_open(self, reference: Reference) -> bool:
        """Whether its rows are in memory."""
        return reference in self._kept

    def seconds(self, n_references: int, n_rows: int) -> float:
        """Return how long the effects of some rows take, in seconds of one processor."""
        n_passes = 1 + n_rows * self._effects.has_points
        n_nodes = len(self._effects.trees.words.words)
        return _SECONDS_PER_NODE * n_nodes * (n_passes * n_references + 3 * n_rows)

    @property
    def max_rows(self) -> int:
        """As many reference rows are averaged over at most; of more, evenly spaced ones."""
        by_seconds = MAX_SECONDS / (_SECONDS_PER_NODE * len(self._effects.trees.words.words))
        by_bytes = MAX_BYTES / (8 * (self._effects.depth + 4) + 4 * self._effects.trees.n_ranked)
        return max(100, int(min(by_seconds, by_bytes)))

    def _of_prototypes(self, reference: Reference) -> MeanReference:
        prototypes = self._prototypes
        chosen = np.flatnonzero([outcome == reference.outcome for outcome in prototypes.outcomes])
        refuse_without_prototypes(reference, prototypes.outcomes)
        n_covered = prototypes.n_covered[chosen]
        weights = n_covered / n_covered.sum() if n_covered.any() else np.full(len(chosen), 1 / len(chosen))
        head = {"kind": reference.kind, "outcome": reference.outcome, "n_rows": len(chosen)}
        return MeanReference(head, prototypes.ranks[chosen], prototypes.raw[chosen], weights)

    def _read(self, reference: Reference) -> MeanReference:
        refuse_without_rows(reference, are_kept=self._rows is not None)
        assert self._rows is not None  # or they would have been refused
        file, labels = self._rows.open(), list(self._rows.labels)
        if reference.outcome is None:
            chosen = np.arange(file.n_rows)
        else:
            chosen = np.flatnonzero(file.predicted == labels.index(reference.outcome))
        if not len(chosen):
            detail = f"no reference row has the outcome {reference.outcome!r}; name another outcome, or all"
            raise _refused(detail)
        rows = chosen[evenly_spaced(len(chosen), self.max_rows)]
        ranks = self._effects.ranks(self._columns.of(Rows(self._names, tuple(file.columns(rows)))))
        outcome = {} if reference.outcome is None else {"outcome": reference.outcome}
        among = {} if len(rows) == len(chosen) else {"among": len(chosen)}
        head = {"kind": reference.kind, **outcome, "n_rows": len(rows), **among}
        return MeanReference(head, ranks, self._effects.raw_scores(ranks), np.full(len(rows), 1 / len(rows)))


def some_names(names: Sequence[str]) -> str:
    """Return names as a message lists them: the first five, each cut to 80 characters."""
    return ", ".join([*(repr(name[:_N_CHARACTERS]) for name in names[:_N_SHOWN]), *["…"] * (len(names) > _N_SHOWN)])


def _refused(detail: str) -> StorageError:
    return StorageError("validation_failed", detail, "/reference")
