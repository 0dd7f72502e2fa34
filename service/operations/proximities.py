"""Request the nearest rows of every row, and read them page by page."""

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from schemas.nouns import PROXIMITIES
from schemas.proximities import Proximities, ProximitiesRequest
from storage.dataset_files import DatasetFile

from ..app_context import AppContext
from .artefact_tables import KeptTable, open_table
from .artefacts import MadeFrom, request_artefact
from .json_pages import MAX_PAGE_BYTES, PARQUET_ADVICE, Rows, page_blocks
from .neighbor_questions import check_neighbors
from .positions import position_of

_NEIGHBOR_NAMES = ("neighbor_row", "neighbor")  # of the second column; tables of earlier releases have the latter
_NEIGHBOR_BYTES = 52  # as JSON, at least


def request_proximities(context: AppContext, request: ProximitiesRequest) -> Proximities:
    """Return the proximities if they are made or being made; otherwise begin to make them.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    complete, model, dataset = check_neighbors(context, request)
    return request_artefact(context, PROXIMITIES, complete, MadeFrom(model, dataset))


def list_neighbors(context: AppContext, proximities_id: str, limit: int, cursor: str | None) -> Generator[bytes]:
    """Return one page of rows with their neighbours as JSON: a ``Page`` of ``NeighborsOfRow``.

    The cursor is the position of the next row; a page holds fewer than ``limit`` rows where they have many neighbours.
    """
    start = position_of(cursor)
    artefact, table = open_table(context, PROXIMITIES, proximities_id)
    n_wanted = min(limit, max(1, MAX_PAGE_BYTES // (_NEIGHBOR_BYTES * artefact.request["n_neighbors"])))
    with table, DatasetFile(context.objects.path_of_pages(context.datasets.content(artefact.dataset))) as file:
        rows = range(min(start, file.n_rows), min(start + n_wanted, file.n_rows))
        row_ids = _row_ids(file, rows)
        return page_blocks(Rows(neighbors_of(table, rows, row_ids), start, file.n_rows, PARQUET_ADVICE))


def neighbors_of(table: KeptTable, rows: range, row_ids: list[str]) -> Iterator[bytes]:
    """Return rows with their neighbours as JSON, as many as have ids here: each a ``NeighborsOfRow``."""
    neighbor = next(name for name in _NEIGHBOR_NAMES if name in table.schema.names)
    lines = table.read_where("row", rows.start, rows.stop, ["row", neighbor, "neighbor_row_id", "proximity"])
    return _encoded(lines.select(["row", neighbor, "neighbor_row_id", "proximity"]), rows, row_ids)


def _row_ids(file: DatasetFile, rows: range) -> list[str]:
    """Return what rows are called: those of them, from the first on, whose names a page can hold."""
    if file.row_id_column is None:
        return list(map(str, rows))
    row_ids: list[str] = []
    while len(row_ids) < len(rows):
        page = file.page([file.row_id_column], rows.start + len(row_ids), len(rows) - len(row_ids), MAX_PAGE_BYTES)
        if not page.n_rows:
            break
        row_ids += page.columns[0].to_pylist()
    return row_ids


def _encoded(lines: pa.Table, rows: range, row_ids: list[str]) -> Iterator[bytes]:
    of_row = lines.column("row").to_numpy()
    starts, stops = (np.searchsorted(of_row, rows, side=side) for side in ("left", "right"))
    for row, row_id, start, stop in zip(rows, row_ids, starts.tolist(), stops.tolist(), strict=False):
        own = lines.slice(start, stop - start)
        columns = [column.to_pylist() for column in own.columns]
        neighbors = [_neighbor(*each) for each in zip(*columns[1:], strict=True)]
        yield orjson.dumps({"row": row, "row_id": row_id, "neighbors": neighbors})


def _neighbor(row: int, row_id: str, proximity: float) -> dict[str, Any]:
    return {"row": row, "row_id": row_id, "proximity": proximity, "distance": 1 - proximity}
