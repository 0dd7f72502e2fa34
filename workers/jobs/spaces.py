"""The spaces in which rows are compared: by the leaves that they share, or by plain distance between their values.

What can be done with prototypes differs with the space, and each says so itself: whether rows can be explained by them,
how far a choice may be from the best, and what is kept for explainers.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from schemas.label_audits import LabelAuditRequest
from schemas.maps import MapRequest
from schemas.proximities import ProximitiesRequest
from storage.dataset_rows import open_rows
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.leaf_space.coarser_leaves import CoarserLeaves, coarser_leaves
from tree_explainers.leaf_space.euclidean_table import EuclideanTable
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.certificate import Certificate, certify
from tree_explainers.prototype_sets.euclidean_sweep import n_steps
from tree_explainers.prototype_sets.selection import PrototypeSelection
from tree_explainers.rank_scale import RankScale

from ..runtime.context import JobContext
from .inputs import OpenModel, ScoredDataset, apply_model, open_model

SPACE_LOADED = 0.25
"""Share of the progress of a job about proximity that loading its space takes."""


@dataclass(frozen=True, slots=True)
class Space(ABC):
    """A scored dataset as its rows are compared, and the weights by which they are."""

    is_explainable: ClassVar[bool]
    """Whether rows that come later can be explained and classified by prototypes of the space."""

    model: OpenModel
    dataset: ScoredDataset
    weights: NDArray[np.int64]  # (n_trees,)

    @property
    def total_weight(self) -> int:
        """The integer proximity of a row to itself: the sum of all weights."""
        return int(self.weights.sum())

    @property
    @abstractmethod
    def kind(self) -> ProximityKind | Literal["euclidean"]:
        """The kind of proximity, as results name it."""

    @property
    @abstractmethod
    def min_leaf_rows(self) -> int | None:
        """Fewest rows of a leaf; ``None`` without leaves."""

    @property
    @abstractmethod
    def n_trees_used(self) -> int | None:
        """Number of trees that count; ``None`` without leaves."""

    @property
    @abstractmethod
    def n_steps_each(self) -> int:
        """Number of steps that it takes to compare one row with all."""

    @abstractmethod
    def rows_of(self, dataset: ScoredDataset) -> ScoredDataset:
        """Return the rows of another dataset, as they were loaded, as they are compared."""

    @abstractmethod
    def arrays(self) -> dict[str, NDArray[Any]] | None:
        """Return what is kept to compare other rows in the same space; ``None`` where none will be."""

    @abstractmethod
    def certify(
        self, classes: NDArray[np.int64], selection: PrototypeSelection, report: ReportProgress
    ) -> Certificate | None:
        """Return how far a selection may be from the best one; ``None`` where no bound is known.

        Parameters
        ----------
        classes : (n_rows,)
            The classes by which prototypes were selected.
        selection
            The prototypes.
        report
            Progress.
        """


@dataclass(frozen=True, slots=True)
class LeafSpace(Space):
    """Rows by the leaves that they share: the dataset comes with coarser leaves, each tree has a weight."""

    is_explainable = True

    proximity: ProximityKind
    leaves: CoarserLeaves

    @staticmethod
    def of(model: OpenModel, dataset: ScoredDataset, kind: ProximityKind, leaves: CoarserLeaves) -> "LeafSpace":
        """Return the space of a dataset's rows, which come with the trees' own leaves.

        Raises
        ------
        InvalidInput
            If no tree is left that counts.
        """
        weights = leaves.weights(kind, dataset.table, model.ensemble.leaf_values)
        return LeafSpace(model, dataset.within(leaves), weights, kind, leaves)

    @property
    def kind(self) -> ProximityKind:
        """See ``Space.kind``."""
        return self.proximity

    @property
    def min_leaf_rows(self) -> int:
        """See ``Space.min_leaf_rows``."""
        return self.leaves.min_leaf_rows

    @property
    def n_trees_used(self) -> int:
        """See ``Space.n_trees_used``."""
        return int((self.weights > 0).sum())

    @property
    def n_steps_each(self) -> int:
        """See ``Space.n_steps_each``."""
        return self.dataset.n_rows * len(self.weights)

    def rows_of(self, dataset: ScoredDataset) -> ScoredDataset:
        """See ``Space.rows_of``; the rows come with the trees' own leaves."""
        return dataset.within(self.leaves)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """See ``Space.arrays``; there are no leaves among them where those are the trees' own."""
        if self.leaves.min_leaf_rows == 1:
            return {"weights": self.weights}
        return {"weights": self.weights, "coarser_leaves": self.leaves.codes, "leaf_offsets": self.leaves.offsets}

    def certify(self, classes: NDArray[np.int64], selection: PrototypeSelection, report: ReportProgress) -> Certificate:
        """See ``Space.certify``."""
        return certify(
            self.dataset.table,
            classes,
            self.weights,
            selection.rows,
            method=selection.method,
            per_class=selection.per_class,
            greedy_rows=selection.rows_before_swaps,
            candidates=None if selection.n_candidates == selection.n_rows else selection.candidates,
            pairs=selection.pairs,
            kept=selection.kept,
            report=report,
        )


@dataclass(frozen=True, slots=True)
class EuclideanSpace(Space):
    """Rows by their positions: the dataset's table is an ``EuclideanTable``, whose weights are one number.

    There are no leaves by which rows could be explained or classified later, and none that bounds would be sums over.
    """

    is_explainable = False
    kind = "euclidean"
    min_leaf_rows = None
    n_trees_used = None

    @staticmethod
    def of(model: OpenModel, dataset: ScoredDataset) -> "EuclideanSpace":
        """Return the space of rows that come with their positions."""
        assert isinstance(dataset.table, EuclideanTable)  # as ``compare_by_distance`` left them
        return EuclideanSpace(model, dataset, dataset.table.weights)

    @property
    def n_steps_each(self) -> int:
        """See ``Space.n_steps_each``."""
        return n_steps(self.dataset.n_rows, 1, len(self.dataset.columns))

    def rows_of(self, dataset: ScoredDataset) -> ScoredDataset:
        """See ``Space.rows_of``; the rows come with their positions."""
        return dataset

    def arrays(self) -> None:
        """See ``Space.arrays``."""

    def certify(self, classes: NDArray[np.int64], selection: PrototypeSelection, report: ReportProgress) -> None:
        """See ``Space.certify``."""


def compare_by_distance(
    objects: ObjectStore, dataset: ScoredDataset, of_evaluation: ScoredDataset, report: ReportProgress
) -> tuple[ScoredDataset, ScoredDataset]:
    """Return the reference rows and those to evaluate on, perhaps the same, with positions in the place of leaves.

    Truth values are compared as categories are, whatever a model makes of them.
    """
    types = {column.name: column.type for column in dataset.stored.view.columns}
    is_ranked = [types[name] == "number" for name in dataset.columns]
    scale = RankScale.of(_columns(objects, dataset, report), is_ranked)

    def positioned(rows: ScoredDataset) -> ScoredDataset:
        table = EuclideanTable(scale.positions(_columns(objects, rows, report)), scale.is_ranked)
        return replace(rows, table=table)

    reference = positioned(dataset)
    return reference, reference if of_evaluation is dataset else positioned(of_evaluation)


def _columns(objects: ObjectStore, dataset: ScoredDataset, report: ReportProgress) -> Iterator[NDArray[Any]]:
    """Yield the features' values, one column after the other: memory never holds two of them."""
    with open_rows(objects, dataset.stored.content) as file:
        for index, name in enumerate(dataset.columns):
            report(index / len(dataset.columns), "ranking values")
            yield file.read_columns([name])[0]


def load_leaf_space(context: JobContext, request: ProximitiesRequest | LabelAuditRequest | MapRequest) -> LeafSpace:
    """Open the model, apply it to the dataset, and weigh its trees, which are not cut where that is left open."""
    model, dataset = load_rows(context, request)
    min_leaf_rows = 1 if request.min_leaf_rows == "auto" else request.min_leaf_rows
    leaves = coarser_leaves(model.ensemble, dataset.table, min_leaf_rows)
    return LeafSpace.of(model, dataset, proximity_kind(request.proximity_kind), leaves)


def load_rows(
    context: JobContext, request: ProximitiesRequest | LabelAuditRequest | MapRequest
) -> tuple[OpenModel, ScoredDataset]:
    """Open the model, and apply it to the dataset."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    return model, apply_model(context, model, request.dataset, part_of(context.report, 0, SPACE_LOADED))


def proximity_kind(requested: str | None) -> ProximityKind:
    """Return the kind of proximity of a request; one that became a job names it (it is never "auto" there)."""
    assert requested in get_args(ProximityKind), requested
    return cast("ProximityKind", requested)
