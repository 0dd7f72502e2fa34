"""Ask for the nearest rows of every row, and read them page by page."""

from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from schemas.proximities import Proximities, ProximitiesRequest
from storage.dataset_files import DatasetFile

from ..parts import Parts
from .artefact_tables import open_table
from .artefacts import ArtefactNoun, MadeFrom, ask_for
from .neighbor_questions import check_question
from .positions import position_of

PROXIMITIES = ArtefactNoun("proximities", method_revision=2, view=Proximities)
_NEIGHBORS_PER_PAGE = 100_000  # some 10 MB of JSON, with what they are called:
_NAMES_BYTES_PER_PAGE = 10 << 20


def ask_for_proximities(parts: Parts, request: ProximitiesRequest) -> Proximities:
    """Return the proximities if they are made or being made; otherwise begin to make them.

    Raises
    ------
    StorageError
        What in the request cannot be done; no job is made then.
    """
    asked, model, dataset = check_question(parts, request)
    return ask_for(parts, PROXIMITIES, asked, MadeFrom(model.id, dataset))


def list_neighbors(parts: Parts, proximities_id: str, limit: int, cursor: str | None) -> bytes:
    """Return one page of rows with their neighbours as JSON: a ``Page`` of ``NeighborsOfRow``.

    The cursor is the position of the next row; a page holds fewer than ``limit`` rows where they have many neighbours.
    """
    position = position_of(cursor)
    artefact, table = open_table(parts, PROXIMITIES, proximities_id)
    with table:
        dataset = parts.datasets.get(artefact.dataset)
        n_rows = dataset.view.n_rows
        n_wanted = min(limit, max(1, _NEIGHBORS_PER_PAGE // artefact.request["n_neighbors"]))
        asked = range(min(position, n_rows), min(position + n_wanted, n_rows))
        rows, lines = _on_a_page(asked, table.read_where("row", asked.start, asked.stop))
    neighbors = _by_row(lines)
    with DatasetFile(parts.objects.path_of_pages(dataset.content)) as file:
        named = zip(rows, file.row_ids(rows), strict=True)
    data = [{"row": row, "row_id": row_id, "neighbors": neighbors.get(row, [])} for row, row_id in named]
    next_cursor = str(rows.stop) if rows.stop < n_rows else None
    return orjson.dumps({"object": "list", "data": data, "next_cursor": next_cursor})


def _on_a_page(rows: range, lines: pa.Table) -> tuple[range, pa.Table]:
    """Return as many of the first rows, one at least, as have names of moderate length altogether; and their lines."""
    n_bytes = np.cumsum(pc.binary_length(lines.column("neighbor_row_id")).to_numpy())
    n_fitting = int(np.searchsorted(n_bytes, _NAMES_BYTES_PER_PAGE, side="right"))
    if n_fitting == len(lines):
        return rows, lines
    stop = max(rows.start + 1, lines.column("row")[n_fitting].as_py())
    return range(rows.start, stop), lines.filter(pc.less(lines.column("row"), stop))


def _by_row(lines: pa.Table) -> dict[int, list[dict[str, Any]]]:
    columns = [lines.column(name).to_pylist() for name in ("row", "neighbor_row", "neighbor_row_id", "proximity")]
    by_row = groupby(zip(*columns, strict=True), itemgetter(0))
    return {row: [_neighbor(*pair[1:]) for pair in pairs] for row, pairs in by_row}


def _neighbor(row: int, row_id: str, proximity: float) -> dict[str, Any]:
    return {"row": row, "row_id": row_id, "proximity": proximity, "distance": 1 - proximity}
