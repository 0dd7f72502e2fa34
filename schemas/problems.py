"""Problems: every way in which a request can fail, each with one code, one status and one title (RFC 9457)."""

from typing import Any, NamedTuple

from pydantic import Field

from .contract import Contract


class ProblemKind(NamedTuple):
    """What a code stands for."""

    status: int
    title: str


PROBLEM_KINDS: dict[str, ProblemKind] = {
    "malformed_json": ProblemKind(400, "The body is not JSON"),
    "bad_request": ProblemKind(400, "The request cannot be understood"),
    "too_many_parts": ProblemKind(400, "The form has too many parts"),
    "unauthenticated": ProblemKind(401, "A valid key is needed"),
    "insufficient_scope": ProblemKind(403, "The key does not allow this"),
    "foreign_request": ProblemKind(403, "The request comes from elsewhere"),
    "not_found": ProblemKind(404, "There is no such thing"),
    "method_not_allowed": ProblemKind(405, "The path does not take this method"),
    "not_acceptable": ProblemKind(406, "The answer does not come in this form"),
    "body_timeout": ProblemKind(408, "The body did not arrive in time"),
    "conflict": ProblemKind(409, "The request contradicts what is kept"),
    "in_use": ProblemKind(409, "Others are built on this"),
    "idempotency_key_reused": ProblemKind(409, "The idempotency key belongs to another request"),
    "artefact_not_ready": ProblemKind(409, "The artefact is not ready"),
    "body_too_large": ProblemKind(413, "The body is too large"),
    "too_many_rows": ProblemKind(413, "There are too many rows for one call"),
    "row_too_large": ProblemKind(413, "A row is larger than a page"),
    "dataset_too_large": ProblemKind(413, "The dataset is too large"),
    "dataset_field_too_large": ProblemKind(413, "A field of the dataset is too large"),
    "result_too_large": ProblemKind(413, "The result of the job is too large"),
    "unsupported_media_type": ProblemKind(415, "This kind of content is not accepted"),
    "unknown_field": ProblemKind(422, "The request has a field that does not exist"),
    "validation_failed": ProblemKind(422, "The request is not valid"),
    "bad_string": ProblemKind(422, "A string has characters that are not allowed"),
    "bad_identifier": ProblemKind(422, "An identifier is not valid"),
    "url_not_allowed": ProblemKind(422, "A URL is not allowed here"),
    "non_finite_number": ProblemKind(422, "A number is not finite"),
    "bad_feature_type": ProblemKind(422, "A value has the wrong type for its feature"),
    "unknown_feature": ProblemKind(422, "The model has no such feature"),
    "unknown_category": ProblemKind(422, "The model refuses this category"),
    "model_empty": ProblemKind(422, "The model file is empty"),
    "model_not_onnx": ProblemKind(422, "The file is not an ONNX model"),
    "model_external_data": ProblemKind(422, "The model refers to other files"),
    "model_op_not_allowed": ProblemKind(422, "The model uses an operator that is not allowed"),
    "model_too_complex": ProblemKind(422, "The model is too complex"),
    "model_invalid_graph": ProblemKind(422, "The model's graph is not valid"),
    "model_unsupported_version": ProblemKind(422, "The model's version is not supported"),
    "model_unsupported_input": ProblemKind(422, "The model's inputs or outputs are not supported"),
    "model_invalid_tree": ProblemKind(422, "A tree of the model is not valid"),
    "model_non_finite": ProblemKind(422, "The model holds a number that is not finite"),
    "model_not_a_tree_ensemble": ProblemKind(422, "The model has no tree ensemble"),
    "model_parity_failed": ProblemKind(422, "The model does not predict what was declared"),
    "ensemble_unknown": ProblemKind(422, "The kind of ensemble is not known"),
    "dataset_parse_error": ProblemKind(422, "The dataset cannot be read"),
    "dataset_bad_columns": ProblemKind(422, "The dataset's columns are not usable"),
    "dataset_bad_encoding": ProblemKind(422, "The dataset is not UTF-8"),
    "dataset_bad_number": ProblemKind(422, "The dataset holds a number that cannot be used"),
    "dataset_empty": ProblemKind(422, "The dataset has no rows"),
    "schema_mismatch": ProblemKind(422, "The rows do not fit the model"),
    "method_not_applicable": ProblemKind(422, "The method does not apply to this model"),
    "resource_estimate_exceeds_limit": ProblemKind(422, "The job would exceed the limits"),
    "rate_limited": ProblemKind(429, "Too many requests"),
    "internal_error": ProblemKind(500, "Something failed on our side"),
    "database_damaged": ProblemKind(500, "The database is damaged"),
    "object_damaged": ProblemKind(500, "What is kept is damaged"),
    "job_failed": ProblemKind(500, "The job failed"),
    "job_cancelled": ProblemKind(409, "The job was cancelled"),
    "worker_lost": ProblemKind(500, "The worker was lost again and again"),
    "deadline_exceeded": ProblemKind(504, "The job did not end before its deadline"),
    "unavailable": ProblemKind(503, "The service cannot answer now"),
    "insufficient_storage": ProblemKind(507, "The disk is full"),
}


class FieldProblem(Contract):
    """What is wrong with one field."""

    pointer: str = Field(description="JSON Pointer to the field.", examples=["/n_prototypes"])
    detail: str


class Problem(Contract):
    """Why a request failed, and what to do (application/problem+json)."""

    type: str = Field(description="A URI reference that ends in the code.")
    title: str
    status: int
    detail: str = Field(description="What was wrong, which value, and what to do.")
    code: str = Field(description="Stable and machine-readable.")
    request_id: str | None = None
    errors: list[FieldProblem] | None = Field(default=None, description="Field by field, where the body is not valid.")
    location: str | None = Field(default=None, description="What to look at instead, where there is something.")


def problem_for(
    code: str, detail: str, request_id: str | None = None, errors: list[FieldProblem] | None = None
) -> Problem:
    """Return the problem that ``code`` names; the code must be one of ``PROBLEM_KINDS``."""
    status, title = PROBLEM_KINDS[code]
    return Problem(
        type=f"/problems/{code}",
        title=title,
        status=status,
        detail=detail,
        code=code,
        request_id=request_id,
        errors=errors,
    )


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return the problem as it is sent: fields that say nothing are left out."""
    return problem.model_dump(mode="json", exclude_none=True)
