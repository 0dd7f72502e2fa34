"""Stored explanations: what was answered about a row, when, by which model and to whom, to be read and verified."""

from typing import Annotated, Literal

from pydantic import Field

from .contract import OBJECT, Contract, CreatedAt
from .dictionaries import DictionaryUsed
from .explanations import Explanation, ExplanationRequest, Provenance
from .models import InstanceRowId
from .noun import Noun
from .scopes import AUDIT

MAX_DIFFERENCES = 100


class StoredExplanationSummary(Contract):
    """A stored explanation in a list: without its request and response."""

    object: Annotated[Literal["stored_explanation"], OBJECT] = "stored_explanation"
    id: str = Field(description="Id of the stored explanation, which stands in the answer as `id` of the explanation.")
    explainer: str = Field(description="Id of the explainer that answered, perhaps deleted by now.")
    explainer_name: str | None = Field(description="Name that it was called by; null where it was called by id.")
    row_id: InstanceRowId
    key: str | None = Field(description="Id of the API key of the caller; null where none was required.")
    model_sha256: str = Field(description="SHA-256 of the model's uploaded file, in hexadecimal.")
    digest: str = Field(
        description="SHA-256, in hexadecimal, of the explanation as it was stored: of the bytes of `response`, exactly "
        "as they stand in the uncompressed answer to `GET /v1/explanations/{id}`."
    )
    created_at: CreatedAt


class StoredExplanation(StoredExplanationSummary):
    """A stored explanation with its request and response."""

    provenance: Provenance = Field(description="Model, dataset, prototype set and versions behind the explanation.")
    revision: int = Field(description="Revision of explanations by which it was computed.")
    dictionary: DictionaryUsed = Field(
        description="The dictionary whose words `response` has. Where it hid a feature since that may be shown there, "
        "the explanation is no longer read."
    )
    request: ExplanationRequest = Field(
        description="The request for this row alone, with all defaults spelled out; the row is in `instances`, without "
        "the values of features that are hidden by now, or is the one that `dataset` and `row_ids` name."
    )
    response: Explanation = Field(description="The explanation as it was answered.")


class Verification(Contract):
    """A stored explanation compared with the same one, computed again from its request."""

    object: Annotated[Literal["verification"], OBJECT] = "verification"
    explanation: str = Field(description="Id of the stored explanation.")
    status: Literal["same", "different", "other_revision"] = Field(
        description="`same`: the explanation is what is computed today, and its digest is right; `different`: it is "
        "not; `other_revision`: it is not what is computed today, but another release of the service, or another "
        "revision of explanations, computed it."
    )
    digest_matches: bool = Field(description="Whether `digest` is that of the stored explanation.")
    differences: list[str] = Field(
        description="JSON pointers (RFC 6901) into `response` where the two differ, in the order of the stored one; at "
        f"most {MAX_DIFFERENCES}."
    )
    n_differences: int = Field(description="Number of all such places.")
    service: str = Field(description="Version of the service that computed the stored explanation.")
    present_service: str = Field(description="Version of the service that verified it.")
    revision: int = Field(description="Revision of explanations by which the stored one was computed.")
    dictionary: DictionaryUsed = Field(description="The dictionary whose words the stored one has.")
    present_dictionary: DictionaryUsed = Field(description="The dictionary by which it was verified.")
    present_revision: int = Field(description="Revision of explanations by which it was verified.")


class DeletedExplanations(Contract):
    """How many stored explanations were deleted."""

    object: Annotated[Literal["deletion"], OBJECT] = "deletion"
    n_deleted: int = Field(description="Number of stored explanations that were deleted; 0 where there were none.")


EXPLANATIONS = Noun(
    name="explanations",
    singular="stored_explanation",
    position=140,
    id_prefix="xpn_",
    description="What explainers that store their explanations have answered, to be read, verified and deleted.",
    summary=StoredExplanationSummary,
    view=StoredExplanation,
    listed_by=("explainer", "row_id"),
    listed_by_time=True,
    scopes=AUDIT,
    actions={"verify": "audit"},
)
