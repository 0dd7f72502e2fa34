"""What a node of a cluster reads: a model and rows, named by their objects; and the leaves that it finds for them.

A node keeps what it has opened for the next partition.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from storage.array_files import read_arrays
from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.models import StoredModel
from storage.object_store import ObjectStore
from storage.remote_objects import open_objects
from tree_explainers.compute.partitions import BLOCK_ROWS, check_cancelled
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import RowRefused
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

from ..cluster.identity import identity, refuse_others
from ..cluster.settings import NodeSettings

if TYPE_CHECKING:
    from ..cluster.connection import Cluster  # it brings Dask, which is there for those who have a cluster


_BYTES_A_VALUE = 40  # of a row that is being read, as texts may be


@dataclass(frozen=True, slots=True)
class ModelSource:
    """The objects that a model is opened from; a worker keeps it open for the next partition."""

    leaf_graph: str
    ensemble: str
    description: str  # as JSON

    @staticmethod
    def of(stored: StoredModel) -> "ModelSource":
        """Return the source of a registered model, whose engines have been compared."""
        return ModelSource(stored.leaf_graph, stored.ensemble, json.dumps(stored.description))


@dataclass(frozen=True, slots=True)
class RowsSource:
    """The file that rows are read from, the column of each feature, and that of the target."""

    content: str
    columns: tuple[str, ...]
    target: str | None = None


def check_node(expected: Mapping[str, str]) -> None:
    """Refuse to work where this node is not like the job's process, whose ``identity`` this is: it may have come late.

    Raises
    ------
    ClusterRefusal
        ``cluster_mismatch``, naming what differs.
    """
    refuse_others(expected, identity(), "a worker of the cluster")


@lru_cache(maxsize=1)
def node_objects() -> ObjectStore:
    """Return the objects that this node reads."""
    return open_objects(NodeSettings().storage)


@lru_cache(maxsize=2)
def open_on_node(model: ModelSource) -> tuple[ModelSession, NDArray[np.int32]]:
    """Return a model, open, and how many leaves each of its trees has."""
    objects = node_objects()
    description = ModelDescription.from_json(json.loads(model.description))
    arrays = read_arrays(objects.get(model.ensemble))
    ensemble = TreeEnsemble.from_arrays(arrays)
    if description.engine.name == "onnxruntime":
        return ModelSession(objects.get(model.leaf_graph), description, n_threads=1), ensemble.n_leaves
    session = WalkedSession(
        lambda: objects.get(model.leaf_graph), description, ensemble, WalkedParts.from_arrays(arrays)
    )
    return session, ensemble.n_leaves


# The leaves of a dataset: each worker reads its rows from the object store and takes them down the trees.


class ScoredRows(NamedTuple):
    """The model's output for the rows of a partition."""

    table: LeafTable
    scores: NDArray[np.floating[Any]]
    labels: NDArray[np.int64] | None


@dataclass(frozen=True, slots=True)
class ClusterScores:
    """Its output for all rows: the leaves stay with the workers, scores and labels are here."""

    table: PartitionedTable
    scores: NDArray[np.floating[Any]]
    labels: NDArray[np.int64] | None


def score_on_cluster(  # what is applied to which rows
    cluster: "Cluster",
    model: ModelSource,
    rows: RowsSource,
    n_rows: int,
    n_leaves: NDArray[np.integer[Any]],
    report: ReportProgress,
) -> ClusterScores:
    """Have workers find the leaves of all rows, which stay there; ``report`` is called after each partition.

    Raises
    ------
    RowRefused
        Naming the first row that the model does not take by its index among all rows.
    """
    code_bytes = smallest_dtype(int(n_leaves.max())).itemsize
    bytes_a_row = len(n_leaves) * (2 * code_bytes + 4) + _BYTES_A_VALUE * len(rows.columns)
    length = cluster.rows_of_partition(n_rows, bytes_a_row)
    bounds = np.append(np.arange(0, n_rows, length), n_rows).astype(np.int64)
    scored = cluster.spread(list(pairwise(bounds.tolist()))).keep(score_rows, model, rows, dict(identity()))
    stage = f"reading leaves on the cluster ({cluster.n_threads} threads, {len(scored)} partitions)"
    predictions = []
    for of_part in scored.map(_predictions):
        predictions.append(of_part)
        report(len(predictions) / len(scored), stage)
    table = PartitionedTable(scored.keep(_table), bounds, n_leaves)
    labels = [labels for _, labels in predictions if labels is not None]
    return ClusterScores(
        table, np.concatenate([scores for scores, _ in predictions]), np.concatenate(labels) if labels else None
    )


def score_rows(start: int, stop: int, model: ModelSource, rows: RowsSource, expected: dict[str, str]) -> ScoredRows:
    """Read some rows and take them down the trees, on a worker."""
    check_node(expected)
    session, n_leaves = open_on_node(model)
    codes = np.empty((len(n_leaves), stop - start), dtype=smallest_dtype(int(n_leaves.max())))
    with open_rows(node_objects(), rows.content, pages=True) as file:  # as each partition does
        try:
            predictions = session.fill(codes, _blocks(file, rows, start, stop, session.description))
        except RowRefused as refusal:
            raise refusal.after(start) from refusal
    return ScoredRows(LeafTable.from_codes(codes, n_leaves), predictions.scores, predictions.labels)


def _blocks(
    file: DatasetFile, rows: RowsSource, start: int, stop: int, description: ModelDescription
) -> Iterator[Rows]:
    for first in range(start, stop, BLOCK_ROWS):
        check_cancelled()
        values = file.read_columns(rows.columns, first, min(first + BLOCK_ROWS, stop))
        yield Rows(description.feature_names, tuple(values))


def _predictions(scored: ScoredRows) -> tuple[NDArray[np.floating[Any]], NDArray[np.int64] | None]:
    return scored.scores, scored.labels


def _table(scored: ScoredRows) -> LeafTable:
    return scored.table
