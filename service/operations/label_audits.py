"""Request label audits, read their rows page by page, and one row with those nearest to it."""

from collections.abc import Collection, Generator, Iterator
from dataclasses import dataclass

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from schemas.label_audits import (
    DEFAULT_NEIGHBORS,
    LABEL_AUDITS,
    MOST_ROWS_OF_NEIGHBORS,
    N_NEIGHBORS_SHOWN,
    AuditedRow,
    AuditNeighbor,
    LabelAudit,
    LabelAuditRequest,
    ReviewedRow,
)
from storage.array_files import open_array, read_archive
from storage.artefacts import Artefact
from storage.errors import NotFound, StorageError
from storage.leaf_tables import LeafTableKey, LeafTableStore
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.leaf_space.cost import list_bytes, neighbor_bytes, neighbor_seconds, vote_bytes, vote_seconds
from tree_explainers.leaf_space.neighborhoods import LeafCodes, nearest_to_row
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.out_of_bag_votes import votes_cost

from ..app_context import AppContext
from .artefact_tables import StoredTable, open_table
from .artefacts import MadeFrom, request_artefact
from .job_estimates import KindEstimate, Need, Request, leaf_need
from .json_pages import PARQUET_ADVICE, Rows, first_row_of, page_blocks
from .request_checks import check_neighbors

_ROWS_PER_BLOCK = 64
_MOST_CELLS = 500_000_000  # rows x trees: half a second
_BYTES_PER_ROW = 16  # its sum, what is allowed, and what is compared
_FILTERED = ("row", "label", "agreement", "suggested_label")
_OF_NEIGHBORS = ("row", "row_id", "label", "predicted_label")


def request_label_audit(context: AppContext, request: LabelAuditRequest) -> LabelAudit:
    """Return the label audit if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    n_rows = context.datasets.get(request.dataset).view.n_rows
    complete, model, dataset = check_neighbors(context, _with_neighbors(request, n_rows))
    if model.task == "regression":
        detail = f"model {model.id!r} predicts numbers, but an audit compares labels; take a classifier"
        raise StorageError("method_not_applicable", detail, "/model")
    if dataset.view.target is None:
        detail = f"dataset {dataset.view.id!r} has no target to audit; name it in the dataset's metadata"
        raise StorageError("schema_mismatch", detail, "/dataset")
    complete = complete.model_copy(update={"use_scores": _uses_scores(context, request)})
    return request_artefact(context, LABEL_AUDITS, complete, MadeFrom(model, dataset))


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    needs: list[Need] = []
    if request["method"] != "neighbors":
        sums, counts = vote_bytes(sizes)
        needs += [leaf_need(sizes, request, sums), Need(counts, "take smaller trees", "/model")]
    if _may_find_nearest(sizes, request):
        n_bytes = neighbor_bytes(sizes, request["n_neighbors"] or DEFAULT_NEIGHBORS, by_distance=False)
        needs += [
            leaf_need(sizes, request, list_bytes(sizes)),
            Need(n_bytes, "request fewer neighbours", "/n_neighbors"),
        ]
    return (*needs, Need(votes_cost(sizes.n_rows, sizes.n_features, sizes.n_outputs)[0]))


def _may_find_nearest(sizes: JobSizes, request: Request) -> bool:
    return bool(request["method"] == "neighbors") or (
        request["method"] == "auto" and sizes.n_rows <= MOST_ROWS_OF_NEIGHBORS
    )


def _seconds(sizes: JobSizes, request: Request) -> float:
    seconds = votes_cost(sizes.n_rows, sizes.n_features, sizes.n_outputs)[1]
    seconds += vote_seconds(sizes) if request["method"] != "neighbors" else 0.0
    return seconds + (neighbor_seconds(sizes) if _may_find_nearest(sizes, request) else 0.0)


ESTIMATE = KindEstimate(_needs, _seconds)


def _uses_scores(context: AppContext, request: LabelAuditRequest) -> bool:
    """Return whether the model's probabilities of labels count, which is refused where they cannot."""
    description = ModelDescription.from_json(context.models.get(request.model).description)
    are_probabilities: bool = description.score_kind == "probability"
    if request.use_scores and not are_probabilities:
        detail = (
            f"use_scores is true, but the scores of model {request.model!r} are no probabilities; leave it out, and "
            "votes alone count"
        )
        raise StorageError("method_not_applicable", detail, "/use_scores")
    return are_probabilities if request.use_scores is None else request.use_scores


def _with_neighbors(request: LabelAuditRequest, n_rows: int) -> LabelAuditRequest:
    """Return the request with its number of neighbours, where it asks for such."""
    if request.method == "neighbors":
        usual = max(1, min(DEFAULT_NEIGHBORS, n_rows - 1))
        n_neighbors = usual if request.n_neighbors is None else request.n_neighbors
        return request.model_copy(update={"n_neighbors": n_neighbors})
    if request.n_neighbors is not None:
        detail = (
            f"n_neighbors is {request.n_neighbors}, which method {request.method!r} does not take; request method "
            "'neighbors', or leave n_neighbors out"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")
    return request


@dataclass(frozen=True, slots=True)
class RowFilter:
    """Which rows of an audit are listed; by default, all."""

    label: str | None = None
    suggested_label: str | None = None
    max_agreement: float | None = None
    decided: bool | None = None
    suggested: bool | None = None  # whether any other label is

    def indices_of(self, table: StoredTable, start: int, n_wanted: int, decided: Collection[int]) -> list[int]:
        """Return where the first rows from ``start`` on stand that are meant: ``n_wanted`` or fewer."""
        indices: list[int] = []
        for first, rows in table.groups(list(_FILTERED), start):
            indices += (first + np.flatnonzero(self._is_meant(rows, decided))).tolist()
            if len(indices) >= n_wanted:
                break
        return indices[:n_wanted]

    def _is_meant(self, rows: pa.Table, decided: Collection[int]) -> NDArray[np.bool_]:
        is_meant = np.ones(rows.num_rows, dtype=np.bool_)
        for name in ("label", "suggested_label"):
            if (wanted := getattr(self, name)) is not None:
                is_meant &= _true(pc.equal(rows.column(name), wanted))
        if self.max_agreement is not None:  # rows without votes have none, and are not meant
            is_meant &= _true(pc.less_equal(rows.column("agreement"), self.max_agreement))
        if self.suggested is not None:
            is_meant &= _true(pc.is_valid(rows.column("suggested_label"))) == self.suggested
        if self.decided is not None:
            is_decided = _true(pc.is_in(rows.column("row"), pa.array(sorted(decided), pa.int64())))
            is_meant &= is_decided if self.decided else ~is_decided
        return is_meant


EVERY_ROW = RowFilter()


def list_audited_rows(
    context: AppContext, label_audit_id: str, limit: int, cursor: str | None, chosen: RowFilter = EVERY_ROW
) -> Generator[bytes]:
    """Return one page of rows as JSON, the most suspect first: a ``Page`` of ``AuditedRow``.

    The cursor is how many rows of the audit come before.
    """
    start = first_row_of(cursor)
    with open_table(context, LABEL_AUDITS, label_audit_id)[1] as table:
        if chosen == EVERY_ROW:
            rows = table.read(start, min(start + limit, table.n_rows))
            return page_blocks(Rows(_encoded(rows), start, table.n_rows, PARQUET_ADVICE))
        decided = () if chosen.decided is None else context.label_decisions.in_force(label_audit_id)
        indices = chosen.indices_of(table, start, limit + 1, decided)
        tables = [table.schema.empty_table(), *(table.read(index, index + 1) for index in indices[:limit])]
        return page_blocks(Rows(_encoded(pa.concat_tables(tables)), start, table.n_rows, PARQUET_ADVICE, indices))


def audited_row(context: AppContext, label_audit_id: str, row: int) -> AuditedRow:
    """Return an audited row by its index in the dataset.

    Raises
    ------
    NotFound
        If there is no such audit, or the row is not among those that it audited.
    StorageError
        ``artefact_not_ready``.
    """
    with open_table(context, LABEL_AUDITS, label_audit_id)[1] as table:
        lines = table.read_in("row", [row]).to_pylist()
    if not lines:
        advice = "list the audit's content to see which rows it audited"
        raise NotFound("audited row", str(row), advice, known_by="index")  # noqa: TRY003  # its parts
    return AuditedRow(**lines[0])


def n_bytes_to_review(context: AppContext, label_audit_id: str) -> int:
    """Return about how much memory it takes to find a row's neighbours."""
    with open_table(context, LABEL_AUDITS, label_audit_id)[1] as table:
        return _BYTES_PER_ROW * table.n_rows


def review_row(context: AppContext, label_audit_id: str, row: int) -> ReviewedRow:
    """Return an audited row with the rows nearest to it, found now in the leaves that the audit compared.

    Raises
    ------
    NotFound
        If there is no such audit, or the row is not among those that it audited.
    StorageError
        ``artefact_not_ready``; ``conflict`` where the leaves are no longer kept; ``too_many_rows`` where a search would
        take long.
    """
    audited = audited_row(context, label_audit_id, row)
    artefact, table = open_table(context, LABEL_AUDITS, label_audit_id)
    with table:
        leaves = _leaves_of(context, artefact)
        n_rows = leaves.codes.shape[1]
        among = None
        if table.n_rows != n_rows:  # some rows alone were audited
            among = np.concatenate([rows.column(0).to_numpy() for _, rows in table.groups(["row"])])
        rows, proximities = nearest_to_row(leaves, row, N_NEIGHBORS_SHOWN, among)
        lines = {line["row"]: line for line in table.read_in("row", rows.tolist()).to_pylist()}
    neighbors = [
        AuditNeighbor(**{name: lines[near][name] for name in _OF_NEIGHBORS}, proximity=proximity)
        for near, proximity in zip(rows.tolist(), proximities.tolist(), strict=True)
    ]
    decision = context.label_decisions.find(label_audit_id, row)
    in_force = None if decision is None or decision.decision == "withdrawn" else decision
    latest = None if decision is None else decision.id
    return ReviewedRow(**audited.model_dump(), neighbors=neighbors, decision=in_force, latest_entry=latest)


def _leaves_of(context: AppContext, artefact: Artefact) -> LeafCodes:
    """Return the leaves that an audit compared, which its job kept as the dataset's leaf table."""
    model, dataset = str(artefact.model), str(artefact.dataset)
    leaf_table = LeafTableStore(context.database).find(LeafTableKey(model, dataset))
    if leaf_table is None:
        detail = (
            f"the leaves of {dataset!r} in {model!r} are not kept any more; request proximities of both, whose job "
            "keeps them again"
        )
        raise StorageError("conflict", detail)
    codes = open_array(context.objects.path_of_pages(leaf_table.codes))
    if codes.size > _MOST_CELLS:
        detail = (
            f"{codes.size:,} leaves are more than the {_MOST_CELLS:,} that are searched at once; request proximities"
        )
        raise StorageError("too_many_rows", detail)
    arrays = read_archive(context.objects.path(artefact.arrays or ""), "weights", "coarser_leaves", "leaf_offsets")
    return LeafCodes(codes, arrays["weights"], arrays.get("coarser_leaves"), arrays.get("leaf_offsets"))


def _true(flags: pa.ChunkedArray) -> NDArray[np.bool_]:
    """Return where a condition holds; it does not where a value is null."""
    return np.asarray(pc.fill_null(flags, fill_value=False).to_numpy(), np.bool_)


def _encoded(rows: pa.Table) -> Iterator[bytes]:
    for first in range(0, rows.num_rows, _ROWS_PER_BLOCK):
        yield from map(orjson.dumps, rows.slice(first, _ROWS_PER_BLOCK).to_pylist())
