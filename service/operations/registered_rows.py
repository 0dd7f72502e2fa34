"""Rows of a registered dataset that a request names by their ids: from memory, or else from the dataset's file."""

from collections.abc import Sequence
from typing import Protocol

from explanations.dataset_rows import DatasetRows, Target
from explanations.instances import ReadInstances, read_instances, row_ids_of
from explanations.row_tables import read_row_table
from explanations.warm_explainer import WarmExplainer
from schemas.datasets import Dataset
from schemas.explanations import ExplanationRequest
from schemas.models import Instance
from storage.dataset_rows import open_rows
from storage.datasets import StoredDataset
from storage.feature_matching import match_features
from tree_explainers.errors import RowRefused

from ..app_context import AppContext


class _Rows(Protocol):
    """Rows in memory or in a file."""

    def find_rows(self, row_ids: Sequence[str]) -> dict[str, int]: ...

    def take(self, rows: Sequence[int], n_text_bytes: int) -> list[Instance]: ...

    def take_targets(self, classes: Sequence[str], rows: Sequence[int]) -> list[Target | None]: ...


def held_rows(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> ReadInstances | None:
    """Return the rows that a request names where all of them are in memory; takes no database and no disk."""
    dataset_id = request.dataset or ""
    content = context.dataset_contents.find(dataset_id)
    table = None if content is None else context.row_tables.find((content, dataset_id, warm.model.id))
    if table is None:
        return None
    read, unknown = _read(context, warm, dataset_id, table, request.row_ids)
    return None if unknown else read  # a dataset is named in words of the database


def read_rows(context: AppContext, warm: WarmExplainer, request: ExplanationRequest) -> ReadInstances:
    """Return the rows of a registered dataset that a request names; those that there are not are refused."""
    stored = _described(context, request.dataset or "")
    dataset = stored.view
    key = stored.content, dataset.id, warm.model.id
    table = context.row_tables.find(key)
    if table is not None:
        read, unknown = _read(context, warm, dataset.id, table, request.row_ids)
    else:
        columns = match_features(warm.model, dataset)
        with open_rows(context.objects, stored.content, pages=True, recent=context.recent_columns) as file:
            if dataset.source is None:  # files elsewhere are looked at each time
                table = read_row_table(file, columns, dataset.target, context.row_tables.largest_bytes)
            if table is not None:
                context.row_tables.hold(key, table)
            rows = DatasetRows(file, columns, dataset.target) if table is None else table
            read, unknown = _read(context, warm, dataset.id, rows, request.row_ids)
    if not unknown:
        return read
    named = context.datasets.get(dataset.id).view
    row_ids = request.row_ids or ()
    positions = [position for position in range(len(row_ids)) if position not in unknown]
    return read.among(positions, {position: _unknown_row(row_ids[position], named) for position in unknown})


def _read(
    context: AppContext, warm: WarmExplainer, dataset_id: str, rows: _Rows, ids: Sequence[str] | None
) -> tuple[ReadInstances, dict[int, None]]:
    """Return the rows with these ids, and the positions of ids that no row has."""
    row_ids = row_ids_of(ids, len(ids or ()))
    numbers = rows.find_rows(row_ids)
    wanted = [numbers[row_id] for row_id in row_ids if row_id in numbers]
    unknown = {position: None for position, row_id in enumerate(row_ids) if row_id not in numbers}
    read = read_instances(rows.take(wanted, context.settings.max_json_bytes), warm.features)
    targets = rows.take_targets(warm.model.classes, wanted)
    return read.registered(targets, wanted, are_reference=dataset_id == warm.dataset_id), unknown


def _described(context: AppContext, dataset_id: str) -> StoredDataset:
    """Return a dataset whose columns are read once; its name and words may be older."""
    content = context.dataset_contents.read(dataset_id)  # each time: it may have been deleted meanwhile
    stored = context.described_datasets.find(dataset_id)
    if stored is None or stored.content != content:
        context.described_datasets.forget(dataset_id)
        stored = context.described_datasets.get(dataset_id, lambda: context.datasets.get(dataset_id))
    return stored


def _unknown_row(row_id: str, dataset: Dataset) -> RowRefused:
    named = f"{dataset.name!r}" if dataset.name else f"{dataset.id!r}"
    known = f"its rows are 0 to {dataset.n_rows - 1}" if dataset.row_id is None else f"ids are in {dataset.row_id!r}"
    return RowRefused("not_found", f"dataset {named} has no row {row_id[:80]!r}; {known}")
