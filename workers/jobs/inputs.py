"""What a job works on: an open model, and what it says of a dataset's rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from schemas.models import Model
from storage.array_files import read_arrays
from storage.dataset_files import DatasetFile
from storage.datasets import DatasetStore, StoredDataset
from storage.errors import StorageError
from storage.feature_matching import describe_type, match_features
from storage.models import ModelStore
from storage.object_store import ObjectStore
from tree_explainers.compute.progress import ReportProgress
from tree_explainers.ensemble import TreeEnsemble
from tree_explainers.errors import RowRefused
from tree_explainers.leaf_space.leaves import LeafTable, smallest_dtype
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import ModelSession
from tree_explainers.rows import Rows

from ..runtime.context import JobContext
from .leaf_tables import CodedOutcome, keep, place_of, read_kept, room_for_codes

_BLOCK_ROWS = 65_536
_N_CHARACTERS_SHOWN = 60
# As where explanations are made: two threads add in another order, and a forest's ties would be broken otherwise.
_N_THREADS = 1


@dataclass(frozen=True)
class OpenModel:
    """A registered model, ready to run."""

    view: Model
    description: ModelDescription
    ensemble: TreeEnsemble
    read_graph: Callable[[], bytes]

    @cached_property
    def session(self) -> ModelSession:
        """The graph, opened when it is first needed: where leaves are kept, it is not."""
        return ModelSession(self.read_graph(), self.description, n_threads=_N_THREADS)


@dataclass(frozen=True, slots=True)
class SeenDataset:
    """A dataset's rows as a model sees them."""

    stored: StoredDataset
    columns: tuple[str, ...]  # (n_features,) the dataset's column for each feature
    scores: NDArray[np.floating[Any]]  # (n_rows, n_classes), or (n_rows, 1): the value of a regression
    labels: NDArray[np.int64] | None  # (n_rows,) positions among the classes; None for regression
    table: LeafTable

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.table.n_rows

    def leaves_of(self, rows: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
        """Return the leaf of each of these rows in each tree, (len(rows), n_trees)."""
        return self.table.leaves_of(rows)


def open_model(models: ModelStore, objects: ObjectStore, model_id: str) -> OpenModel:
    """Return the model with this id, opened."""
    stored = models.get(model_id)
    description = ModelDescription.from_json(stored.description)
    ensemble = TreeEnsemble.from_arrays(read_arrays(objects.get(stored.ensemble)))
    return OpenModel(stored.view, description, ensemble, lambda: objects.get(stored.leaf_graph))


def see_dataset(context: JobContext, model: OpenModel, dataset_id: str, report: ReportProgress) -> SeenDataset:
    """Return the leaves and predictions of all rows of a dataset.

    They are read where an earlier job kept them. Otherwise the model looks at the rows block by block, so that no more
    than a block of them is ever held, and what it says is kept.
    """
    stored = DatasetStore(context.database).get(dataset_id)
    columns = match_features(model.view, stored.view)
    outcome = read_kept(context, place_of(model.view.id, dataset_id), report)
    if outcome is None:
        outcome = _look_and_keep(context, model, stored, columns, report)
    table = LeafTable.from_codes(outcome.codes, model.ensemble.n_leaves)
    return SeenDataset(stored, columns, outcome.scores, outcome.labels, table)


def _look_and_keep(
    context: JobContext, model: OpenModel, stored: StoredDataset, columns: Sequence[str], report: ReportProgress
) -> CodedOutcome:
    n_leaves = model.ensemble.n_leaves
    with DatasetFile(context.objects.path(stored.content)) as file:
        shape = (len(n_leaves), file.n_rows)
        codes, path = room_for_codes(context, shape, smallest_dtype(int(n_leaves.max())))
        names = model.description.feature_names
        blocks = (Rows(names, tuple(block)) for block in file.iter_blocks(columns, _BLOCK_ROWS))
        try:
            seen = model.session.fill(codes, blocks, report)
        except RowRefused as refusal:
            raise _of_dataset(context.objects, refusal, stored) from refusal
    outcome = CodedOutcome(codes, seen.scores, seen.labels)
    if path is not None:
        keep(context, place_of(model.view.id, stored.view.id), outcome, path)
    return outcome


def _of_dataset(objects: ObjectStore, refusal: RowRefused, stored: StoredDataset) -> RowRefused:
    dataset = f"dataset {stored.view.id!r}"
    where = f"a row of {dataset}" if refusal.row is None else _describe_row(objects, stored, refusal.row)
    return RowRefused(refusal.code, f"{where}: {refusal.detail}", refusal.row)


def _describe_row(objects: ObjectStore, stored: StoredDataset, row: int) -> str:
    """Return where a row is, for an error: its 0-based index and, where it has one, its id."""
    dataset = f"dataset {stored.view.id!r}"
    if stored.view.row_id is None:
        return f"row {row} of {dataset}"
    with DatasetFile(objects.path(stored.content)) as file:
        (row_id,) = file.row_ids([row])
    return f"row {row} (row_id {row_id[:_N_CHARACTERS_SHOWN]!r}) of {dataset}"


def classes_of_rows(
    objects: ObjectStore, model: OpenModel, seen: SeenDataset, labels: Literal["predicted", "target"]
) -> NDArray[np.int64]:
    """Return the class of each row, (n_rows,): as predicted or as in the target; one class holds all for regression."""
    if seen.labels is None:
        return np.zeros(seen.n_rows, dtype=np.int64)
    if labels == "predicted":
        return seen.labels
    found = true_classes(objects, model, seen)
    if found is None:
        detail = f"dataset {seen.stored.view.id!r} has no target; name it in the dataset's metadata"
        raise StorageError("schema_mismatch", detail)
    return found


def true_classes(objects: ObjectStore, model: OpenModel, seen: SeenDataset) -> NDArray[np.int64] | None:
    """Return the position of each row's target among the model's classes, or ``None`` without a target.

    Raises
    ------
    StorageError
        ``schema_mismatch`` for a missing label, or one that the model does not know; it names the first such row.
    """
    values = _target(objects, seen.stored)
    if values is None:
        return None
    is_missing = np.array([value is None for value in values]) if values.dtype == object else np.isnan(values)
    _refuse_missing(objects, is_missing, seen.stored)
    distinct, inverse = np.unique(values.astype(str) if values.dtype == object else values, return_inverse=True)
    known = {label: position for position, label in enumerate(model.view.classes)}
    found = np.array([_position(value, known) for value in distinct.tolist()], dtype=np.int64)[inverse.reshape(-1)]
    if (found < 0).any():
        row = int((found < 0).argmax())
        shown = ", ".join(repr(label) for label in model.view.classes[:10])
        place = _describe_row(objects, seen.stored, row)
        given = values[row] if isinstance(values[row], str) else float(values[row])
        detail = f"{place} has the target {given!r}; the model's classes are {shown}"
        raise StorageError("schema_mismatch", detail)
    return found


def true_values(objects: ObjectStore, seen: SeenDataset) -> NDArray[np.float64] | None:
    """Return each row's target as a number, or ``None`` without a target; refuse a target that is not a number."""
    values = _target(objects, seen.stored)
    if values is None:
        return None
    if values.dtype == object:
        view = seen.stored.view
        target = next(column for column in view.columns if column.name == view.target)
        detail = f"the target {describe_type(target)} in dataset {view.id!r}, but the model predicts a number"
        raise StorageError("schema_mismatch", detail)
    _refuse_missing(objects, np.isnan(values), seen.stored)
    return values


def _target(objects: ObjectStore, stored: StoredDataset) -> NDArray[Any] | None:
    if stored.view.target is None:
        return None
    with DatasetFile(objects.path(stored.content)) as file:
        return file.read_columns([stored.view.target])[0]


def _refuse_missing(objects: ObjectStore, is_missing: NDArray[np.bool_], stored: StoredDataset) -> None:
    if is_missing.any():
        where = _describe_row(objects, stored, int(is_missing.argmax()))
        detail = f"{where} has no {stored.view.target!r}; leave such rows out"
        raise StorageError("schema_mismatch", detail)


def _position(value: Any, known: dict[str, int]) -> int:  # noqa: ANN401  # a cell
    spellings = [value] if isinstance(value, str) else _spellings(value)
    return next((known[spelling] for spelling in spellings if spelling in known), -1)


def _spellings(value: float) -> list[str]:
    if not value.is_integer():
        return [repr(value)]
    booleans = {0.0: ["False", "false"], 1.0: ["True", "true"]}
    return [str(int(value)), repr(value), *booleans.get(value, [])]
