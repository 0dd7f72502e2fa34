"""API keys: which callers may use the service, and what for."""

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from .contract import OBJECT, Contract, CreatedAt, Name

Scope = Literal["read", "write", "explain", "deploy", "audit", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
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
        "`explain`: predictions and explanations of single rows; `deploy`: give names to explainers, which "
        "decides by which one applications are answered; `audit`: read, verify and delete stored explanations; "
        "`admin`: manage keys. No scope includes another.",
        examples=[["read", "explain"]],
    )


class ApiKey(Contract):
    """A key, without its secret."""

    object: Annotated[Literal["api_key"], OBJECT] = "api_key"
    id: str = Field(description="Id of the key; the key itself is `lsk_<id without its prefix>_<secret>`.")
    name: str = Field(description="Name of the person or program that uses it.")
    scopes: list[Scope] = Field(description="What the key allows.")
    created_at: CreatedAt
    last_used_at: datetime | None = Field(
        default=None, description="Time of the last request with it, to the minute, in UTC; null: never used."
    )


class NewApiKey(ApiKey):
    """A key that was just made."""

    secret: str | None = Field(
        default=None, description=f"{_SECRET} Null where a request with the same `Idempotency-Key` is repeated."
    )
