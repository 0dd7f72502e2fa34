"""/v1/label-audits: rows whose label the rows like them contradict."""

from schemas.nouns import LABEL_AUDITS

from ..operations.label_audits import list_audited_rows, request_label_audit
from .artefact_routes import add_table_content, artefact_router

router = artefact_router(
    LABEL_AUDITS, request_label_audit, "Request the labels that look wrong; a job finds them unless they are known."
)
add_table_content(
    router,
    LABEL_AUDITS,
    list_audited_rows,
    "JSON: one page of rows, the most suspect first, as `limit` and `cursor` say. CSV and Parquet: all rows in the "
    "same order.",
)
