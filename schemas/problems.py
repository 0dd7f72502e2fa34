"""Problems: every way in which a request can fail, each with one code, one status and one title (RFC 9457)."""

from typing import Any, NamedTuple, Self

from pydantic import Field

from .contract import Contract


class ProblemKind(NamedTuple):
    """What a code means: its page, ``/problems/<code>``, shows all of it."""

    status: int
    title: str
    meaning: str
    remedy: str  # what the caller can do


PROBLEM_KINDS: dict[str, ProblemKind] = {
    "malformed_json": ProblemKind(
        400,
        "The body is not JSON",
        "The body is not JSON in UTF-8, is nested too deeply, or names a field of an object twice.",
        "Send valid JSON; `detail` gives line and column.",
    ),
    "bad_request": ProblemKind(
        400,
        "The request cannot be understood",
        "The request breaks a rule of HTTP, so that it cannot be interpreted.",
        "Send it with a common HTTP library, or correct what `detail` names.",
    ),
    "too_many_parts": ProblemKind(
        400,
        "The form has too many parts",
        "The multipart form has more parts than any upload needs.",
        "Send one part `file` (of several tables, one for each) and at most one part `metadata`.",
    ),
    "unauthenticated": ProblemKind(
        401,
        "A valid key is needed",
        "The request has no key, or a key that this service does not know, such as one that was revoked.",
        "Send `Authorization: Bearer lsk_…` with a valid key; `leafspace keys create` makes one.",
    ),
    "insufficient_scope": ProblemKind(
        403,
        "The key does not allow this",
        "The key is valid, but none of its scopes allows this request.",
        "Use a key with the scope that `WWW-Authenticate` names, or ask an administrator for one.",
    ),
    "foreign_request": ProblemKind(
        403,
        "The request comes from elsewhere",
        "Without keys, the service answers only programs and pages of its own machine; this is a page of another site.",
        "Call http://127.0.0.1 or http://localhost, list the page's origin in LEAFSPACE_CORS_ORIGINS, or require keys.",
    ),
    "not_found": ProblemKind(
        404,
        "There is no such thing",
        "No resource has this identifier, or the path is not part of the API.",
        "Check the identifier and the path; what was deleted has to be created again.",
    ),
    "method_not_allowed": ProblemKind(
        405,
        "The path does not take this method",
        "The path exists, but not with this method.",
        "Use one of the methods that the header `Allow` lists.",
    ),
    "not_acceptable": ProblemKind(
        406,
        "The answer does not come in this form",
        "The resource is not available in any format that `Accept` names.",
        "Name one of the formats that `detail` lists.",
    ),
    "body_timeout": ProblemKind(
        408,
        "The body did not arrive in time",
        "Headers or body arrived too slowly.",
        "Send the request again over a faster connection.",
    ),
    "conflict": ProblemKind(
        409,
        "The request contradicts what is kept",
        "The request contradicts a resource that exists, such as a prototype set of another model.",
        "Change the field that `detail` names.",
    ),
    "in_use": ProblemKind(
        409,
        "Others are built on this",
        "Another resource was made from this one, or a job is still making it.",
        "Delete what `detail` names first, or cancel its job.",
    ),
    "idempotency_key_reused": ProblemKind(
        409,
        "The idempotency key belongs to another request",
        "The `Idempotency-Key` was used for a different request.",
        "Use a new key for each new request.",
    ),
    "artefact_not_ready": ProblemKind(
        409,
        "The artefact is not ready",
        "The artefact has no result: its job is still running, has failed, or was cancelled.",
        "Wait for the job in `detail`; after a failure, send the original request again.",
    ),
    "feature_hidden": ProblemKind(
        409,
        "It may show a feature that is hidden by now",
        "It was made before the dictionary of its dataset hid a feature, and may show it.",
        "Request it again, in the present words; or show the feature again in the dictionary.",
    ),
    "precondition_failed": ProblemKind(
        412,
        "The state is not the expected one",
        "`If-Match` or `If-None-Match` names another state than the resource has: somebody else changed it meanwhile.",
        "Read the resource again, and repeat the change with its present `ETag` if it is still right.",
    ),
    "body_too_large": ProblemKind(
        413,
        "The body is too large",
        "The body is larger than the limit of this path.",
        "Send less at once, or have the limit raised in the settings of the service.",
    ),
    "too_many_rows": ProblemKind(
        413,
        "There are too many rows for one call",
        "The request has more rows or values than one call may have.",
        "Send several calls, or register a dataset and let a job process all of its rows.",
    ),
    "row_too_large": ProblemKind(
        413,
        "A row is larger than a page",
        "One row alone is larger than a page of the answer may be.",
        "Download the whole content as a file instead of page by page.",
    ),
    "dataset_too_large": ProblemKind(
        413,
        "The dataset is too large",
        "The dataset has more rows, columns, cells or bytes than the service accepts.",
        "Upload a sample or fewer columns, or have the limit raised in the settings of the service.",
    ),
    "dataset_field_too_large": ProblemKind(
        413,
        "A field of the dataset is too large",
        "One text of the dataset is longer than the limit.",
        "Shorten that text or leave its column out.",
    ),
    "result_too_large": ProblemKind(
        413,
        "The result of the job is too large",
        "The result of the job is larger than a result may be.",
        "Request fewer prototypes, rules or leaves.",
    ),
    "unsupported_media_type": ProblemKind(
        415,
        "This kind of content is not accepted",
        "The body has a type or an encoding that this path does not read.",
        "Send JSON as application/json, uploads as multipart/form-data, and neither compressed.",
    ),
    "unknown_field": ProblemKind(
        422,
        "The request has a field that does not exist",
        "A field, parameter or part of the form is not part of this request.",
        "Remove it or correct its spelling; `errors` points at it.",
    ),
    "validation_failed": ProblemKind(
        422,
        "The request is not valid",
        "A field is missing, has the wrong type, or is outside its range.",
        "Correct the fields that `errors` points at.",
    ),
    "every_row_failed": ProblemKind(
        422,
        "No row could be explained",
        "Each of the rows has a problem of its own, so that there is no explanation to return.",
        "Correct the rows; `errors` has the problem of each.",
    ),
    "bad_string": ProblemKind(
        422,
        "A string has characters that are not allowed",
        "A text has a NUL character or half of a surrogate pair.",
        "Remove such characters.",
    ),
    "bad_identifier": ProblemKind(
        422,
        "An identifier is not valid",
        "An identifier does not have the form of one.",
        "Use an identifier exactly as the service returned it.",
    ),
    "url_not_allowed": ProblemKind(
        422,
        "A URL is not allowed here",
        "A field contains a URL; the service never downloads anything.",
        "Upload the file itself.",
    ),
    "non_finite_number": ProblemKind(
        422,
        "A number is not finite",
        "A number is beyond the range of double precision, or not a number.",
        "Send finite numbers; represent missing values as null where the model accepts them.",
    ),
    "bad_feature_type": ProblemKind(
        422,
        "A value has the wrong type for its feature",
        "A value of a row does not have the type of its feature, such as a text for a number.",
        "Send each value in the type that the model's `feature_types` list.",
    ),
    "unknown_feature": ProblemKind(
        422,
        "There is no feature of this name",
        "A request names a feature, or of several tables a column, that there is not: of an explainer, of answers to "
        "questions, or of what a condition tests. Columns of rows that the model does not read are ignored.",
        "Use the names in the model's `feature_names`.",
    ),
    "unknown_category": ProblemKind(
        422,
        "The model refuses this category",
        "The model refuses this category because it was not trained with it.",
        "Send one of the categories that the model knows.",
    ),
    "model_empty": ProblemKind(
        422,
        "The model file is empty",
        "The uploaded file has no bytes.",
        "Upload the ONNX file again.",
    ),
    "model_not_onnx": ProblemKind(
        422,
        "The file is not an ONNX model",
        "The file is not an ONNX model; pickles and native formats are never opened.",
        "Convert the model to ONNX; the SDK does this in `register_model`.",
    ),
    "model_external_data": ProblemKind(
        422,
        "The model refers to other files",
        "The ONNX file refers to weights in other files.",
        "Save the model as a single file.",
    ),
    "model_op_not_allowed": ProblemKind(
        422,
        "The model uses an operator that is not allowed",
        "The graph has an operator, constant or extension outside the allowed list.",
        "Export only the ensemble and its standard preprocessing.",
    ),
    "model_too_complex": ProblemKind(
        422,
        "The model is too complex",
        "The model has more nodes, trees, levels, outputs or names than the service accepts.",
        "Train a smaller ensemble, or have the limit raised in the settings of the service.",
    ),
    "model_invalid_graph": ProblemKind(
        422,
        "The model's graph is not valid",
        "The nodes of the graph are not connected as ONNX requires.",
        "Export the model again; check it with `onnx.checker`.",
    ),
    "model_unsupported_version": ProblemKind(
        422,
        "The model's version is not supported",
        "The ONNX version or operator set of the model is not supported.",
        "Export with a version that `detail` names.",
    ),
    "model_unsupported_input": ProblemKind(
        422,
        "The model's inputs or outputs are not supported",
        "The inputs or outputs of the model are not those of a classifier or regressor of rows.",
        "Export the model with one value or vector per feature and its standard outputs.",
    ),
    "model_invalid_tree": ProblemKind(
        422,
        "A tree of the model is not valid",
        "A tree of the ensemble has a cycle, a missing child, or another inconsistency.",
        "Export the model again with a current version of the converter.",
    ),
    "model_non_finite": ProblemKind(
        422,
        "The model holds a number that is not finite",
        "A threshold, leaf value or constant of the model is NaN or infinite.",
        "Train again without such values, and export again.",
    ),
    "model_not_a_tree_ensemble": ProblemKind(
        422,
        "The model has no tree ensemble",
        "The graph has no tree ensemble operator.",
        "Upload a random forest, gradient boosting or another tree ensemble; or send `oracle_only`, to approximate any "
        "other model by a tree.",
    ),
    "model_too_slow": ProblemKind(
        422,
        "The model is too slow for an oracle",
        "Predicting 1,000 rows takes more processor time than the service accepts of a model with `oracle_only`, which "
        "may have to label millions of rows.",
        "Register a smaller model: fewer layers, units or support vectors.",
    ),
    "model_without_leaves": ProblemKind(
        422,
        "The model has no leaves",
        "The model was registered with `oracle_only`. It has predictions, but no leaves, which what is requested is "
        "made from.",
        "Make an approximation tree of it by `sta`, `cart` or `born_again`, or take a tree ensemble.",
    ),
    "model_parity_failed": ProblemKind(
        422,
        "The model does not predict what was declared",
        "The ONNX model does not predict what the upload declared for its parity rows.",
        "Check that rows and predictions belong together and are in the same order; convert again.",
    ),
    "dataset_parse_error": ProblemKind(
        422,
        "The dataset cannot be read",
        "The file is not valid CSV, Parquet or JSON, or is damaged.",
        "Correct the place that `detail` names, or save the file again.",
    ),
    "dataset_bad_columns": ProblemKind(
        422,
        "The dataset's columns are not usable",
        "Column names are missing, repeated or too long, or a declared column does not exist.",
        "Rename the columns, or correct the metadata.",
    ),
    "dataset_bad_encoding": ProblemKind(
        422,
        "The dataset is not UTF-8",
        "A text of the file is not UTF-8.",
        "Save the file as UTF-8.",
    ),
    "dataset_bad_number": ProblemKind(
        422,
        "The dataset holds a number that cannot be used",
        "A column of numbers has a value that is not one, or is out of range.",
        "Correct the cell that `detail` names, or declare the column as a category.",
    ),
    "dataset_empty": ProblemKind(
        422,
        "The dataset has no rows",
        "The file has columns at most, but no rows.",
        "Upload at least one row.",
    ),
    "dataset_changed": ProblemKind(
        409,
        "A file of the dataset has changed",
        "A file that holds rows of a dataset by reference has changed or gone since the dataset was registered.",
        "Register the files as they are now, or restore the file that `detail` names.",
    ),
    "source_not_allowed": ProblemKind(
        422,
        "The files may not be read",
        "The files are not below a folder or bucket that the service's operator allows datasets to be read from.",
        "Name files below one that is allowed, upload them, or ask the operator to allow it.",
    ),
    "relational_schema_invalid": ProblemKind(
        422,
        "The tables do not fit their description",
        "The metadata of several tables contradict each other or the files: a table, a file or a column is missing or "
        "named twice, or a key refers to a table without one.",
        "Correct the entry that `errors` points at.",
    ),
    "relational_key_not_unique": ProblemKind(
        422,
        "A primary key does not identify the rows",
        "A row has no value in a column of its table's primary key, or the same values as another row.",
        "Correct the rows that `detail` names, add columns to the key, or leave the key out.",
    ),
    "relational_key_type": ProblemKind(
        422,
        "A foreign key does not match the key that it refers to",
        "A foreign key has another number of columns than the primary key that it refers to, or other types.",
        "Name as many columns in the same order, and send their values in the same types.",
    ),
    "relational_reference_unknown": ProblemKind(
        422,
        "A foreign key refers to nothing",
        "None of the values of a foreign key exists in the table that it refers to.",
        "Check that the key refers to the right table, and that both files are of the same state.",
    ),
    "relational_time_type": ProblemKind(
        422,
        "A time cannot be compared",
        "A `time` or the cutoff holds values that are neither numbers nor dates, or the two cannot be compared; or "
        "there is a cutoff, and no table has a `time`; or queries lead back into the examples' table, which has a "
        "cutoff and no `time`.",
        "Send numbers, or ISO 8601 dates or times, in all of these columns.",
    ),
    "relational_too_many_combinations": ProblemKind(
        422,
        "A query looks at too many combinations of rows",
        "A query would have to look at more combinations of one example's rows than it may.",
        "Leave the query or the example that `detail` names out, or give the query fewer variables or more conditions.",
    ),
    "relational_language_empty": ProblemKind(
        422,
        "The language leaves nothing to ask",
        "The request's `language`, or the tables themselves, leave no test that a tree could ask of an example.",
        "Allow more columns, relationships or aggregates.",
    ),
    "schema_mismatch": ProblemKind(
        422,
        "The rows do not fit the model",
        "Columns or types of the rows do not match the features of the model, or tables those that features read.",
        "Provide every feature of the model, or every table and column, with its type; `detail` names the first "
        "difference.",
    ),
    "method_not_applicable": ProblemKind(
        422,
        "The method does not apply to this model",
        "The method does not support this model, dataset or combination of options.",
        "Choose another method or option, as `detail` suggests.",
    ),
    "resource_estimate_exceeds_limit": ProblemKind(
        422,
        "The job would exceed the limits",
        "The job would need more memory than a job, or a worker of the cluster, may use.",
        "Lower the field that `detail` names, use a sample, raise LEAFSPACE_JOB_MEMORY_BYTES, or give the workers of "
        "the cluster more memory.",
    ),
    "rate_limited": ProblemKind(
        429,
        "Too many requests",
        "The caller has sent too many requests, or holds too many at once.",
        "Wait as long as `Retry-After` says, then send the request again; the SDK does this itself.",
    ),
    "internal_error": ProblemKind(
        500,
        "Something failed on our side",
        "The service has failed; the reason is in its log under the request id.",
        "Send the request again; if it fails again, report the request id.",
    ),
    "database_damaged": ProblemKind(
        500,
        "The database is damaged",
        "The database file is damaged.",
        "Restore a backup: `leafspace restore`.",
    ),
    "object_damaged": ProblemKind(
        500,
        "What is kept is damaged",
        "A stored file no longer has the content that was stored, and is not served.",
        "Upload or create it again, or restore a backup.",
    ),
    "job_failed": ProblemKind(
        500,
        "The job failed",
        "The job ended with an error of the service, or used more memory than allowed.",
        "Send the request again, perhaps with smaller settings; if it fails again, report the job's id.",
    ),
    "job_cancelled": ProblemKind(
        409,
        "The job was cancelled",
        "The job was cancelled before it had finished.",
        "Send the original request again to start a new job.",
    ),
    "worker_lost": ProblemKind(
        500,
        "The worker was lost again and again",
        "The process of the job ended unexpectedly three times.",
        "Check the memory of the machine, then send the original request again.",
    ),
    "cluster_not_configured": ProblemKind(
        422,
        "There is no cluster",
        "The job is to run on a cluster, and the service knows none.",
        "Leave out `run_on`, or have the operator set LEAFSPACE_DASK_SCHEDULER for service and workers.",
    ),
    "cluster_mismatch": ProblemKind(
        500,
        "The cluster is not like the service",
        "A worker of the cluster has other code, other libraries or another kind of processor than the worker that "
        "the job belongs to, so that it might give other results.",
        "Have all workers of the cluster run the image that the service's workers run.",
    ),
    "cluster_worker_lost": ProblemKind(
        500,
        "Workers of the cluster were lost again and again",
        "Several workers of the cluster ended while they worked on the same rows.",
        "Check the memory of the cluster's workers, then send the original request again.",
    ),
    "deadline_exceeded": ProblemKind(
        504,
        "The job did not end before its deadline",
        "The job ran longer than jobs of its size may run.",
        "Request less, or raise LEAFSPACE_JOB_DEADLINE_SECONDS.",
    ),
    "unavailable": ProblemKind(
        503,
        "The service cannot answer now",
        "The service, its database or its storage is busy or cannot be reached.",
        "Send the request again after `Retry-After`; the SDK does this itself.",
    ),
    "insufficient_storage": ProblemKind(
        507,
        "The disk is full",
        "The disk of the service is full, or nearly.",
        "Free space or delete resources that are no longer needed, then send the request again.",
    ),
}


class ProblemPage(Contract):
    """What a page of ``/problems`` says about one code."""

    type: str = Field(description="Path of this page.")
    code: str = Field(description="Stable, machine-readable name of the problem.")
    status: int = Field(description="HTTP status of answers with this problem.")
    title: str = Field(description="The problem in a few words.")
    meaning: str = Field(description="When the problem occurs.")
    remedy: str = Field(description="What callers can do.")

    @classmethod
    def of(cls, code: str) -> Self:
        """Return the page of a code of ``PROBLEM_KINDS``."""
        return cls(type=f"/problems/{code}", code=code, **PROBLEM_KINDS[code]._asdict())


class FieldProblem(Contract):
    """What is wrong with one field, or with one row."""

    pointer: str = Field(description="JSON Pointer to the field (RFC 6901).", examples=["/n_prototypes"])
    detail: str = Field(description="What is wrong with its value.")
    code: str | None = Field(
        default=None, description="Stable, machine-readable name of a row's problem; null for other fields."
    )

    @property
    def subject(self) -> str:
        """The field as the subject of a sentence, such as ```generator.method``` or ```instances[3]```."""
        if not self.pointer:
            return "the body"
        steps = [step.replace("~1", "/").replace("~0", "~") for step in self.pointer.split("/")[1:]]
        first, *others = steps
        return f"`{first}{''.join(f'[{step}]' if step.isdecimal() else f'.{step}' for step in others)}`"


class Problem(Contract):
    """Why a request failed, and what to do (application/problem+json)."""

    type: str = Field(
        description="Path of a page of this service that explains the code, as HTML or as JSON.",
        examples=["/problems/in_use"],
    )
    title: str = Field(description="The problem in a few words, the same for all problems of this code.")
    status: int = Field(description="HTTP status of the answer.")
    detail: str = Field(description="What was wrong, with which value, and what to do.")
    code: str = Field(description="Stable, machine-readable name of the problem.")
    request_id: str | None = Field(
        default=None, description="Id of the request, under which logs mention it; null in problems of jobs and rows."
    )
    errors: list[FieldProblem] | None = Field(
        default=None,
        description="Problems of single fields, where the body is not valid, or of single rows, where none could be "
        "explained; otherwise null.",
    )
    location: str | None = Field(
        default=None, description="Path of the resource that the problem is about; null without one."
    )


_MAX_DETAIL_CHARACTERS, _MAX_FIELD_CHARACTERS = 4_000, 1_000
"""Of what problems say: names and values in a request, which they repeat, may have megabytes."""


def problem_for(
    code: str, detail: str, request_id: str | None = None, errors: list[FieldProblem] | None = None
) -> Problem:
    """Return the problem that ``code`` names; the code must be one of ``PROBLEM_KINDS``."""
    status, title, *_ = PROBLEM_KINDS[code]
    return Problem(
        type=f"/problems/{code}",
        title=title,
        status=status,
        detail=_shortened(detail, _MAX_DETAIL_CHARACTERS),
        code=code,
        request_id=request_id,
        errors=None if errors is None else [_short_field(error) for error in errors],
    )


def _short_field(error: FieldProblem) -> FieldProblem:
    pointer = _shortened(error.pointer, _MAX_FIELD_CHARACTERS)
    return error.model_copy(update={"pointer": pointer, "detail": _shortened(error.detail, _MAX_FIELD_CHARACTERS)})


def _shortened(text: str, most: int) -> str:
    """Return a text without its middle where it is long: what to do stands at its end."""
    if len(text) <= most:
        return text
    n_half = most // 2 - 1
    return f"{text[:n_half]} … {text[-n_half:]}"


def problem_json(problem: Problem) -> dict[str, Any]:
    """Return the problem as it is sent: fields that say nothing are left out."""
    return problem.model_dump(mode="json", exclude_none=True)
