"""/v1/proximities: the nearest rows of every row of a dataset."""

from schemas.proximities import PROXIMITIES

from ..operations.proximities import list_neighbors, request_proximities
from .artefact_routes import add_table_content, artefact_router

router = artefact_router(
    PROXIMITIES, request_proximities, "Request the nearest rows of every row; a job finds them unless they are there."
)
add_table_content(
    router,
    PROXIMITIES,
    list_neighbors,
    "JSON: one page of rows, each with its neighbours, as `limit` and `cursor` say. CSV and Parquet: the whole table, "
    "with a line for each row and neighbour; their distance is 1 - proximity.",
)
