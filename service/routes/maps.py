"""/v1/maps: rows of a dataset in two dimensions."""

from fastapi import Response

from schemas.maps import MAPS, PlaceList, PlacesRequest
from schemas.noun import JSON

from ..operations.maps import list_map_rows, place_new_rows, request_map
from .answers import problems
from .artefact_routes import add_table_content, artefact_router
from .dependencies import ContextDep

router = artefact_router(MAPS, request_map, "Request a map; a job makes it unless it is there.")
add_table_content(
    router,
    MAPS,
    list_map_rows,
    "JSON: one page of rows, in the order of the dataset, as `limit` and `cursor` say. CSV and Parquet: all rows.",
)


@router.post("/{map_id}/places", response_model=PlaceList, responses=problems(400, 404, 408, 409, 413, 415, 422, 503))
async def place_rows_on_map(map_id: str, request: PlacesRequest, context: ContextDep) -> Response:
    """Place new rows on a map: each at the mean of its ten nearest rows, weighted by proximity."""
    return Response(await place_new_rows(context, map_id, request), media_type=JSON)
