"""The inputs of jobs: an open model, and its leaves and predictions for a dataset's rows."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from explanations.warm_explainer import WarmExplainer, warm_up
from schemas.models import Model
from storage.array_files import read_arrays
from storage.dataset_rows import open_rows
from storage.datasets import DatasetStore, StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import RowRefused
from tree_explainers.leaf_space.coarser_leaves import CoarserLeaves
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype
from tree_explainers.leaf_space.partitioned_table import PartitionedTable
from tree_explainers.onnx_models.description import Engine, ModelDescription
from tree_explainers.onnx_models.engine_comparison import compare_engines
from tree_explainers.onnx_models.session import ModelSession, Predictions
from tree_explainers.onnx_models.walked_parts import WalkedParts
from tree_explainers.onnx_models.walked_session import WalkedSession
from tree_explainers.rows import Rows

from ..runtime.context import JobContext
from .cluster_inputs import ModelSource, RowsSource, score_on_cluster
from .leaf_tables import LeafTableContent, create_codes, keep_leaf_table, leaf_table_key, read_leaf_table

if TYPE_CHECKING:
    from ..cluster.connection import Cluster

_BLOCK_ROWS = 65_536
_MAX_ID_CHARACTERS = 60
# As where explanations are made: two threads add in another order, and would break a forest's ties otherwise.
_N_THREADS = 1


@dataclass(frozen=True)
class OpenModel:
    """A registered model, ready to run."""

    view: Model
    description: ModelDescription
    ensemble: TreeEnsemble
    parts: WalkedParts
    read_graph: Callable[[], bytes]
    keep_engine: Callable[[Engine], None]  # once it is known
    by_outcome: bool = False  # its "classes" are the outcomes that are decided, while targets are classes or values

    def deciding(self) -> "OpenModel":
        """Return it as a model that predicts what is decided; itself where that is what it predicts anyway."""
        rule = self.description.decision
        if rule is None or not self.description.decides_apart:
            return self
        outcomes = {"classes": list(rule.outcomes), "n_classes": len(rule.outcomes), "task": "classification"}
        return replace(self, view=self.view.model_copy(update=outcomes), by_outcome=True)

    @cached_property
    def session(self) -> ModelSession:
        """The graph, opened when it is first needed: where a leaf table is kept, it is not.

        Many rows are walked, if the walker was found to agree with onnxruntime. Where this is not known yet, the two
        are compared now.
        """
        engine = self.description.engine
        if engine.name == "onnxruntime" and engine.is_compared:
            return ModelSession(self.read_graph(), self.description, n_threads=_N_THREADS)
        session = WalkedSession(self.read_graph, self.description, self.ensemble, self.parts)
        if not engine.is_compared:
            engine = compare_engines(session, self.ensemble)
            self.keep_engine(engine)
        if engine.name == "onnxruntime":
            return ModelSession(self.read_graph(), self.description, n_threads=_N_THREADS)
        return session


def open_model(models: ModelStore, objects: ObjectStore, model_id: str) -> OpenModel:
    """Return the model with this id, opened."""
    stored = models.get(model_id)
    description = ModelDescription.from_json(stored.description)
    arrays = read_arrays(objects.get(stored.ensemble))

    def keep_engine(engine: Engine) -> None:
        models.keep_engine(model_id, asdict(engine))

    return OpenModel(
        stored.view,
        description,
        TreeEnsemble.from_arrays(arrays),
        WalkedParts.from_arrays(arrays),
        lambda: objects.get(stored.leaf_graph),
        keep_engine,
    )


def open_explainer(context: JobContext, explainer_id: str) -> WarmExplainer:
    """Return an explainer, warm: its model is opened as jobs open one."""

    def open_session(model_id: str) -> ModelSession:
        return open_model(ModelStore(context.database), context.objects, model_id).session

    return warm_up(explainer_id, context.database, context.objects, open_session)


@dataclass(frozen=True, slots=True)
class ScoredDataset:
    """A dataset's rows with the model's leaves, scores and labels."""

    stored: StoredDataset
    columns: tuple[str, ...]  # (n_features,) the dataset's column for each feature
    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) indices of predicted classes; None for regression
    table: LeafTable

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the leaf of each of these rows in each tree, (len(rows), n_trees)."""
        return self.table.leaves_of(rows)

    def take(self, rows: NDArray[np.integer[Any]]) -> "ScoredDataset":
        """Return these rows alone, numbered from 0."""
        codes = self.table.codes_of(rows)
        labels = None if self.labels is None else self.labels[rows]
        table = LeafTable.from_codes(codes, np.diff(self.table.offsets))
        return replace(self, scores=self.scores[rows], labels=labels, table=table)

    def in_bag(self, model: OpenModel) -> NDArray[np.uint8] | None:
        """Return which trees learned from which rows, which are in the trees' own leaves; see ``Bags.in_bag``.

        ``None`` where that is not known: these are not the rows that the model learned from, or it has no bags.
        """
        bags = model.description.bags
        if bags is None or bags.n_rows != self.n_rows or isinstance(self.table, PartitionedTable):
            return None
        return bags.in_bag(self.table.codes, np.diff(self.table.offsets))

    def deciding(self, model: OpenModel) -> "ScoredDataset":
        """Return the same rows, whose labels are what the model decides."""
        if not model.by_outcome:
            return self
        return replace(self, labels=model.description.outcome_indices(self.scores, self.labels))

    def within(self, leaves: CoarserLeaves) -> "ScoredDataset":
        """Return the same rows with their coarser leaves."""
        return replace(self, table=leaves.table(self.table))


def apply_model(context: JobContext, model: OpenModel, dataset_id: str, report: ReportProgress) -> ScoredDataset:
    """Return the leaves and predictions of all rows of a dataset.

    They are read from the leaf table, if an earlier job kept one. Otherwise the model runs over the rows block by
    block, so that memory never holds more than a block of them, and the leaf table is kept.

    Raises
    ------
    RowRefused
        For the first row that the model does not take; the error names it.
    """
    stored = DatasetStore(context.database).get(dataset_id)
    columns = match_features(model.view, stored.view)
    if model.description.oracle_only:
        return _predict_alone(context, model, stored, columns, report)
    if context.cluster is not None:
        return _score_on_cluster(context, context.cluster, model, stored, columns, report)
    content = read_leaf_table(context, leaf_table_key(model.view.id, dataset_id), report)
    if content is None:
        content = _compute_leaf_table(context, model, stored, columns, report)
    table = LeafTable.from_codes(content.codes, model.ensemble.n_leaves)
    return ScoredDataset(stored, columns, content.scores, content.labels, table)


def _score_on_cluster(
    context: JobContext,
    cluster: "Cluster",
    model: OpenModel,
    stored: StoredDataset,
    columns: tuple[str, ...],
    report: ReportProgress,
) -> ScoredDataset:
    source = source_of(context, model)
    n_rows, rows = stored.view.n_rows, RowsSource(stored.content, columns)
    try:
        scored = score_on_cluster(cluster, source, rows, n_rows, model.ensemble.n_leaves, report)
    except RowRefused as refusal:
        raise naming_the_row(context.objects, refusal, stored) from refusal
    return ScoredDataset(stored, columns, scored.scores, scored.labels, scored.table)


def source_of(context: JobContext, model: OpenModel) -> ModelSource:
    """Return what other machines open a model from, after its engines were compared."""
    if not model.description.engine.is_compared:
        _ = model.session  # which compares engines, and keeps what was found
    return ModelSource.of(ModelStore(context.database).get(model.view.id))


def _predict_alone(
    context: JobContext, model: OpenModel, stored: StoredDataset, columns: tuple[str, ...], report: ReportProgress
) -> ScoredDataset:
    """Return the predictions of a model that has no leaves; they are not kept."""
    with open_rows(context.objects, stored.content) as file:
        table = LeafTable.without_trees(file.n_rows)
        blocks = (Rows(model.description.feature_names, tuple(b)) for b in file.iter_blocks(columns, _BLOCK_ROWS))
        try:
            predictions = _fill(model, np.empty_like(table.codes), blocks, report)
        except RowRefused as refusal:
            raise naming_the_row(context.objects, refusal, stored) from refusal
    return ScoredDataset(stored, columns, predictions.scores, predictions.labels, table)


def _compute_leaf_table(
    context: JobContext, model: OpenModel, stored: StoredDataset, columns: Sequence[str], report: ReportProgress
) -> LeafTableContent:
    n_leaves = model.ensemble.n_leaves
    with open_rows(context.objects, stored.content) as file:
        shape = (len(n_leaves), file.n_rows)
        codes, path = create_codes(context, shape, smallest_dtype(int(n_leaves.max())))
        names = model.description.feature_names
        blocks = (Rows(names, tuple(block)) for block in file.iter_blocks(columns, _BLOCK_ROWS))
        try:
            predictions = _fill(model, codes, blocks, report)
        except RowRefused as refusal:
            raise naming_the_row(context.objects, refusal, stored) from refusal
    content = LeafTableContent(codes, predictions.scores, predictions.labels)
    if path is not None:
        key = leaf_table_key(model.view.id, stored.view.id)
        context.meanwhile(partial(keep_leaf_table, context, key, content, path))
    return content


def _fill(model: OpenModel, codes: NDArray[Any], blocks: Iterator[Rows], report: ReportProgress) -> Predictions:
    """Write the leaves of blocks of rows, and return their predictions; the model is opened while the first is read."""
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(list, islice(blocks, 1))
        session = model.session
    return session.fill(codes, chain(first.result(), blocks), report)


def naming_the_row(objects: ObjectStore, refusal: RowRefused, stored: StoredDataset) -> RowRefused:
    """Return a refusal of one of a dataset's rows, which is known by its index, in words that name the row."""
    dataset = f"dataset {stored.view.id!r}"
    where = f"a row of {dataset}" if refusal.row is None else describe_row(objects, stored, refusal.row)
    return RowRefused(refusal.code, f"{where}: {refusal.detail}", refusal.row)


def naming_the_row_or_target(objects: ObjectStore, refusal: RowRefused, stored: StoredDataset) -> Exception:
    """Return the same; of a row that was refused for its target, a ``StorageError``, as of targets that were read."""
    if refusal.code == "schema_mismatch" and refusal.row is not None:
        return StorageError(refusal.code, f"{describe_row(objects, stored, refusal.row)} {refusal.detail}")
    return naming_the_row(objects, refusal, stored)


def describe_row(objects: ObjectStore, stored: StoredDataset, row: int) -> str:
    """Return a row's 0-based index and, if it has one, its id, for an error message."""
    dataset = f"dataset {stored.view.id!r}"
    if stored.view.row_id is None:
        return f"row {row} of {dataset}"
    with open_rows(objects, stored.content) as file:
        (row_id,) = file.row_ids([row])
    return f"row {row} (row_id {row_id[:_MAX_ID_CHARACTERS]!r}) of {dataset}"


def row_names(objects: ObjectStore, stored: StoredDataset) -> pa.Array:
    """Return the id of each row, or else its index, (n_rows,), as texts side by side in one piece of memory."""
    if stored.view.row_id is None:
        return pa.array(np.arange(stored.view.n_rows)).cast(pa.string())
    with open_rows(objects, stored.content) as file:
        return pa.array(file.row_ids(), pa.large_string())
