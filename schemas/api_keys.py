"""API keys: which callers may use the service, and what for."""

from datetime import UTC, datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, AwareDatetime, Field, field_validator

from .contract import OBJECT, Contract, CreatedAt, Name
from .noun import Noun
from .scopes import ADMIN, SCOPES, Scope

_SECRET = "The whole key, `lsk_…`, which is shown only once; the service keeps its hash."  # noqa: S105  # a description


def _each_once(scopes: list[Scope]) -> list[Scope]:
    return [scope for scope in SCOPES if scope in scopes]


class ApiKeyRequest(Contract):
    """A key to make."""

    name: Name = Field(description="Name of the person or program that will use it.", examples=["scoring, production"])
    scopes: Annotated[list[Scope], AfterValidator(_each_once)] = Field(
        min_length=1,
        max_length=20,
        description="What the key allows. `read`: read and download; `write`: register, request, cancel and delete; "
        "`explain`: predictions and explanations of rows that are sent along, with `read` of registered rows, too; "
        "`deploy`: give names to explainers, which "
        "decides by which one applications are answered; `audit`: read, verify and delete stored explanations; "
        "`review`: decide about labels that an audit suspects; "
        "`admin`: manage keys. No scope includes another.",
        examples=[["read", "explain"]],
    )
    expires_at: AwareDatetime | None = Field(
        default=None,
        description="Time, with its zone, from which on nobody is let in by it; null: it is valid until it is revoked.",
    )

    @field_validator("expires_at")
    @classmethod
    def _is_ahead(cls, value: datetime | None) -> datetime | None:
        if value is not None and value <= datetime.now(UTC):
            message = "is not in the future; choose a later time, or null for a key that does not expire"
            raise ValueError(message)
        return value


class ApiKey(Contract):
    """A key, without its secret."""

    object: Annotated[Literal["api_key"], OBJECT] = "api_key"
    id: str = Field(description="Id of the key; the key itself is `lsk_<id without its prefix>_<secret>`.")
    name: str = Field(description="Name of the person or program that uses it.")
    scopes: list[Scope] = Field(description="What the key allows.")
    created_at: CreatedAt
    expires_at: datetime | None = Field(
        default=None, description="Time from which on nobody is let in by it, in UTC; null: it does not expire."
    )
    last_used_at: datetime | None = Field(
        default=None, description="Time of the last request with it, to the minute, in UTC; null: never used."
    )


class CallerLimits(Contract):
    """What one caller may send."""

    max_model_bytes: int = Field(description="Size of an uploaded model, in bytes, at most.")
    max_dataset_bytes: int = Field(description="Size of an uploaded dataset, in bytes, at most.")
    max_json_bytes: int = Field(description="Size of a JSON body, in bytes, at most.")
    requests_per_second: float = Field(
        description="Requests per second of one caller, without calls for explanations, over some seconds; 0: as many "
        "as they like."
    )
    explanations_per_second: float = Field(
        description="Calls for explanations per second of one caller, averaged over some seconds; 0: no limit."
    )


class Me(Contract):
    """Who calls: the key that was sent, and what it allows."""

    object: Annotated[Literal["me"], OBJECT] = "me"
    keys_required: bool = Field(description="Whether the service requires keys.")
    key_id: str | None = Field(description="Id of the key that was sent; null where the service requires none.")
    key_name: str | None = Field(description="Name of that key; null where the service requires none.")
    scopes: list[Scope] = Field(description="What the caller may do: all scopes where the service requires no keys.")
    version: str = Field(description="Version of the service that answers.", examples=["0.1.0"])
    limits: CallerLimits = Field(description="What the caller may send.")


class NewApiKey(ApiKey):
    """A key that was just made."""

    secret: str | None = Field(
        default=None, description=f"{_SECRET} Null where a request with the same `Idempotency-Key` is repeated."
    )


API_KEYS = Noun(
    name="api_keys",
    singular="api_key",
    position=180,
    id_prefix="key_",
    description="Who may call this service, and what for.",
    making="at_once",
    request=ApiKeyRequest,
    summary=ApiKey,
    view=ApiKey,
    scopes=ADMIN,
)
