"""Request maps, read their rows page by page, and place new rows on them."""

import asyncio
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
from numpy.typing import NDArray

from explanations.instances import Features, read_instances, row_ids_of, run_readable
from schemas.maps import MAPS, Map, MapRequest, PlacesRequest
from schemas.models import Model
from schemas.problems import problem_for, problem_json
from schemas.prototype_sets import PROTOTYPE_SETS
from storage.array_files import read_archive
from storage.errors import StorageError
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.compute.progress import Tick
from tree_explainers.leaf_space.coarser_leaves import map_leaves
from tree_explainers.maps.cost import map_bytes, map_seconds
from tree_explainers.maps.placing import place_rows
from tree_explainers.onnx_models.session import ModelSession

from ..admission.batches import Cost
from ..app_context import AppContext
from .artefact_tables import open_table
from .artefacts import MadeFrom, request_artefact
from .job_estimates import KindEstimate, Need, Request, leaf_need
from .json_pages import PARQUET_ADVICE, Rows, first_row_of, page_blocks
from .prediction_costs import prediction_seconds
from .request_checks import check_neighbors

_SECONDS_PER_LEAF = 2e-9  # of the map's rows that a row is compared with
_BYTES_PER_ROW = 512  # of JSON
_ROWS_PER_BLOCK = 64


def request_map(context: AppContext, request: MapRequest) -> Map:
    """Return the map if it is made or being made; otherwise begin to make it.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    complete, model, dataset = check_neighbors(context, request)
    if request.n_neighbors >= request.n_rows:
        detail = (
            f"n_neighbors is {request.n_neighbors}, but a map of {request.n_rows} rows has fewer others of each row"
        )
        raise StorageError("validation_failed", detail, "/n_neighbors")
    if request.prototype_set is not None:
        _check_prototypes(context, request, request.prototype_set)
    return request_artefact(context, MAPS, complete, MadeFrom(model, dataset))


def _check_prototypes(context: AppContext, request: MapRequest, prototype_set: str) -> None:
    prototypes = context.artefacts.get(PROTOTYPE_SETS.name, prototype_set)
    prototypes.ready_result()
    if (prototypes.model, prototypes.dataset) != (request.model, request.dataset):
        detail = (
            f"{prototype_set!r} is of model {prototypes.model!r} and dataset {prototypes.dataset!r}, not of this map's"
        )
        raise StorageError("conflict", detail, "/prototype_set")


def _needs(sizes: JobSizes, request: Request) -> tuple[Need, ...]:
    n_bytes = map_bytes(sizes, request["n_rows"], request["n_neighbors"])
    return leaf_need(sizes, request, 0), Need(n_bytes, "request fewer rows", "/n_rows")


ESTIMATE = KindEstimate(_needs, lambda sizes, request: map_seconds(sizes, request["n_rows"]))


def list_map_rows(context: AppContext, map_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of rows as JSON, in the order of the dataset: a ``Page`` of ``MapRow``.

    The cursor is how many rows come before.
    """
    start = first_row_of(cursor)
    with open_table(context, MAPS, map_id)[1] as table:
        rows = table.read(start, min(start + limit, table.n_rows))
        return page_blocks(Rows(_encoded(rows), start, table.n_rows, PARQUET_ADVICE))


def _encoded(rows: pa.Table) -> Iterator[bytes]:
    for first in range(0, rows.num_rows, _ROWS_PER_BLOCK):
        yield from map(orjson.dumps, rows.slice(first, _ROWS_PER_BLOCK).to_pylist())


@dataclass(frozen=True, slots=True)
class _Placement:
    """A map, and the model that finds the leaves of new rows."""

    map_id: str
    model: Model
    session: ModelSession
    arrays: dict[str, NDArray[Any]]


async def place_new_rows(context: AppContext, map_id: str, request: PlacesRequest) -> bytes:
    """Return the places of new rows as JSON: a ``PlaceList``.

    Raises
    ------
    NotFound
        If there is no such map.
    StorageError
        ``artefact_not_ready``, ``too_many_rows``, ``validation_failed`` for two equal ids, or ``unavailable`` where too
        many rows wait already.
    """
    placement = await asyncio.to_thread(_prepare, context, map_id)
    n_rows, n_leaves = len(request.instances), placement.arrays["leaves"].size
    seconds = prediction_seconds(placement.model, n_rows) + _SECONDS_PER_LEAF * n_rows * n_leaves
    cost = Cost(seconds, _BYTES_PER_ROW * n_rows)
    return await context.batches.run(cost, lambda tick: _place(placement, request, tick))


def _prepare(context: AppContext, map_id: str) -> _Placement:
    artefact = context.artefacts.get(MAPS.name, map_id)
    artefact.ready_result()
    model = context.models.get(str(artefact.model)).view
    names = ("weights", "coarser_leaves", "leaf_offsets", "leaves", "places")
    arrays = read_archive(context.objects.path_of_pages(artefact.arrays or ""), *names)
    return _Placement(map_id, model, context.sessions.get(model.id), arrays)


def _place(placement: _Placement, request: PlacesRequest, tick: Tick) -> bytes:
    row_ids = row_ids_of(request.row_ids, len(request.instances))
    outcome, indices, refused = run_readable(
        placement.session, read_instances(request.instances, Features.of(placement.model), tick)
    )
    arrays, leaves = placement.arrays, outcome.leaves
    if "coarser_leaves" in arrays:
        leaves = map_leaves(arrays["coarser_leaves"], arrays["leaf_offsets"], leaves)
    positions, nearest = place_rows(leaves, arrays["leaves"], arrays["weights"], arrays["places"], tick)
    rows: list[dict[str, Any]] = [{"row_id": row_id, **_NO_POSITION} for row_id in row_ids]
    for index, (x, y), proximity in zip(indices, positions.tolist(), nearest.tolist(), strict=True):
        is_placed = not np.isnan(x)
        rows[index] |= {"status": "ok", "proximity": proximity} | ({"x": x, "y": y} if is_placed else {})
    for index, error in refused.items():
        rows[index]["problem"] = problem_json(problem_for(error.code, error.detail))
    return orjson.dumps({"object": "place_list", "map": placement.map_id, "data": rows})


_NO_POSITION = {"status": "error", "x": None, "y": None, "proximity": None, "problem": None}
