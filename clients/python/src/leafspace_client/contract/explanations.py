"""Models and operations of explanations.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .explainers import Explanation, ExplanationRequest, Provenance
from .literals import ReportVerificationStatus


class DeletedExplanations(Record):
    """How many stored explanations were deleted."""

    object_: Literal["deletion"] = "deletion"
    """Type of this object."""
    n_deleted: int
    """Number of stored explanations that were deleted; 0 where there were none."""


class DictionaryUsed(Record):
    """The dictionary whose words something has that was made with them, and keeps them."""

    dataset: str
    """Id of the dataset."""
    revision: int
    """`revision` of its dictionary at that time; 0: there never was one."""


class PageStoredExplanationSummary(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[StoredExplanationSummary]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


class StoredExplanation(Record):
    """A stored explanation with its request and response."""

    object_: Literal["stored_explanation"] = "stored_explanation"
    """Type of this object."""
    id: str
    """Id of the stored explanation, which stands in the answer as `id` of the explanation."""
    explainer: str
    """Id of the explainer that answered, perhaps deleted by now."""
    explainer_name: str | None
    """Name that it was called by; null where it was called by id."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    key: str | None
    """Id of the API key of the caller; null where none was required."""
    model_sha256: str
    """SHA-256 of the model's uploaded file, in hexadecimal."""
    digest: str
    """SHA-256, in hexadecimal, of the explanation as it was stored: of the bytes of `response`, exactly as they stand
    in the uncompressed answer to `GET /v1/explanations/{id}`.
    """
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    provenance: Provenance
    """Model, dataset, prototype set and versions behind the explanation."""
    revision: int
    """Revision of explanations by which it was computed."""
    dictionary: DictionaryUsed
    """The dictionary whose words `response` has. Where it hid a feature since that may be shown there, the explanation
    is no longer read.
    """
    request: ExplanationRequest
    """The request for this row alone, with all defaults spelled out; the row is in `instances`, without the values of
    features that are hidden by now, or is the one that `dataset` and `row_ids` name.
    """
    response: Explanation
    """The explanation as it was answered."""


class StoredExplanationSummary(Record):
    """A stored explanation in a list: without its request and response."""

    object_: Literal["stored_explanation"] = "stored_explanation"
    """Type of this object."""
    id: str
    """Id of the stored explanation, which stands in the answer as `id` of the explanation."""
    explainer: str
    """Id of the explainer that answered, perhaps deleted by now."""
    explainer_name: str | None
    """Name that it was called by; null where it was called by id."""
    row_id: str
    """Id of the row: the caller's or, without one, the default of the request's `row_ids`."""
    key: str | None
    """Id of the API key of the caller; null where none was required."""
    model_sha256: str
    """SHA-256 of the model's uploaded file, in hexadecimal."""
    digest: str
    """SHA-256, in hexadecimal, of the explanation as it was stored: of the bytes of `response`, exactly as they stand
    in the uncompressed answer to `GET /v1/explanations/{id}`.
    """
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""


class Verification(Record):
    """A stored explanation compared with the same one, computed again from its request."""

    object_: Literal["verification"] = "verification"
    """Type of this object."""
    explanation: str
    """Id of the stored explanation."""
    status: ReportVerificationStatus | str
    """`same`: the explanation is what is computed today, and its digest is right; `different`: it is not;
    `other_revision`: it is not what is computed today, but another release of the service, or another revision of
    explanations, computed it.
    """
    digest_matches: bool
    """Whether `digest` is that of the stored explanation."""
    differences: list[str]
    """JSON pointers (RFC 6901) into `response` where the two differ, in the order of the stored one; at most 100."""
    n_differences: int
    """Number of all such places."""
    service: str
    """Version of the service that computed the stored explanation."""
    present_service: str
    """Version of the service that verified it."""
    revision: int
    """Revision of explanations by which the stored one was computed."""
    dictionary: DictionaryUsed
    """The dictionary whose words the stored one has."""
    present_dictionary: DictionaryUsed
    """The dictionary by which it was verified."""
    present_revision: int
    """Revision of explanations by which it was verified."""


def list_explanations(
    *,
    limit: int | Unset = UNSET,
    cursor: str | Unset | None = UNSET,
    explainer: str | Unset | None = UNSET,
    row_id: str | Unset | None = UNSET,
    created_from: datetime | Unset | None = UNSET,
    created_before: datetime | Unset | None = UNSET,
) -> Request[PageStoredExplanationSummary]:
    """List stored explanations, newest first, without their requests and responses."""
    return Request(
        "GET",
        "/v1/explanations",
        query={
            "limit": limit,
            "cursor": cursor,
            "explainer": explainer,
            "row_id": row_id,
            "created_from": created_from,
            "created_before": created_before,
        },
        answer=PageStoredExplanationSummary,
    )


def delete_explanations(*, explainer: str, row_id: str) -> Request[DeletedExplanations]:
    """Delete all stored explanations of a row by an explainer."""
    return Request(
        "DELETE", "/v1/explanations", query={"explainer": explainer, "row_id": row_id}, answer=DeletedExplanations
    )


def get_explanation(stored_explanation_id: str) -> Request[StoredExplanation]:
    """Read a stored explanation: its request, and the very bytes that were answered."""
    return Request("GET", f"/v1/explanations/{segment(stored_explanation_id)}", answer=StoredExplanation)


def delete_explanation(stored_explanation_id: str) -> Request[None]:
    """Delete a stored explanation."""
    return Request("DELETE", f"/v1/explanations/{segment(stored_explanation_id)}")


def verify_explanation(stored_explanation_id: str) -> Request[Verification]:
    """Compute a stored explanation again from its request, and say whether and where the two differ."""
    return Request("POST", f"/v1/explanations/{segment(stored_explanation_id)}/verify", answer=Verification)
