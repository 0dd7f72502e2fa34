"""Rows that are compared by plain distance between their raw values, beside a model whose predictions they have."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schemas.proximities import ProximitiesRequest
from storage.dataset_rows import open_rows
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.leaf_space.euclidean_table import EuclideanTable
from tree_explainers.prototype_sets.euclidean_sweep import n_steps
from tree_explainers.rank_scale import RankScale

from ..runtime.context import JobContext
from .inputs import LEAVES_LOADED, OpenModel, ScoredDataset, apply_model, open_model

_STAGE = "ranking values"


@dataclass(frozen=True, slots=True)
class EuclideanSpace:
    """Reference rows by their positions: what ``LeafSpace`` is by leaves."""

    model: OpenModel
    dataset: ScoredDataset  # whose table is an ``EuclideanTable``
    weights: NDArray[np.int64]  # (1,)
    kind: Literal["euclidean"] = "euclidean"
    min_leaf_rows: None = None  # there are no leaves
    n_trees_used: None = None

    @staticmethod
    def of(model: OpenModel, dataset: ScoredDataset) -> "EuclideanSpace":
        """Return the space of rows that come with their positions."""
        assert isinstance(dataset.table, EuclideanTable)  # as ``compare_by_distance`` left them
        return EuclideanSpace(model, dataset, dataset.table.weights)

    @property
    def total_weight(self) -> int:
        """The integer proximity of a row to itself."""
        return int(self.weights.sum())

    @property
    def n_steps_each(self) -> int:
        """Number of steps that it takes to compare one row with all."""
        return n_steps(self.dataset.n_rows, 1, len(self.dataset.columns))

    def rows_of(self, dataset: ScoredDataset) -> ScoredDataset:
        """Return the rows of another dataset as they are compared: they come with their positions."""
        return dataset


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


def load_distances(context: JobContext, request: ProximitiesRequest) -> EuclideanSpace:
    """Open the model, apply it to the dataset, and rank its values."""
    model = open_model(ModelStore(context.database), context.objects, request.model)
    dataset = apply_model(context, model, request.dataset, part_of(context.report, 0, LEAVES_LOADED))
    report = part_of(context.report, LEAVES_LOADED, LEAVES_LOADED)
    return EuclideanSpace.of(model, compare_by_distance(context.objects, dataset, dataset, report)[0])


def _columns(objects: ObjectStore, dataset: ScoredDataset, report: ReportProgress) -> Iterator[NDArray[Any]]:
    """Yield the features' values, one column after the other: memory never holds two of them."""
    with open_rows(objects, dataset.stored.content) as file:
        for index, name in enumerate(dataset.columns):
            report(index / len(dataset.columns), _STAGE)
            yield file.read_columns([name])[0]
