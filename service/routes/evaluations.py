"""/v1/evaluations: how well a model predicts the labels of a dataset, and the rows for which it is wrong."""

from schemas.evaluations import EVALUATIONS

from ..operations.evaluations import list_wrong_rows, request_evaluation
from .artefact_routes import add_table_content, artefact_router

router = artefact_router(
    EVALUATIONS,
    request_evaluation,
    "Request how well a model predicts the labels of a dataset; a job measures it unless it is known.",
)
add_table_content(
    router,
    EVALUATIONS,
    list_wrong_rows,
    "JSON: one page of wrong rows, the most serious first, as `limit` and `cursor` say. CSV and Parquet: all of them "
    "in the same order. Of a regression, each row is one.",
)
