"""API keys: who may call the service, and what for."""

from datetime import datetime
from typing import Annotated, Literal, get_args

from pydantic import AfterValidator, Field

from .contract import Contract, Name

Scope = Literal["read", "write", "explain", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_SECRET = "The whole key, `lsk_…`: shown this once; only its hash is kept."  # noqa: S105  # a description


def _each_once(scopes: list[Scope]) -> list[Scope]:
    return [scope for scope in SCOPES if scope in scopes]


class ApiKeyRequest(Contract):
    """A key to make."""

    name: Name = Field(description="Who or what will use it.", examples=["scoring, production"])
    scopes: Annotated[list[Scope], AfterValidator(_each_once)] = Field(
        min_length=1,
        max_length=20,
        description="`read`: see and download; `write`: register, ask for, cancel and delete; `explain`: predictions "
        "and explanations of single rows; `admin`: manage keys. None of them includes another.",
        examples=[["read", "explain"]],
    )


class ApiKey(Contract):
    """A key, without its secret."""

    object: Literal["api_key"] = "api_key"
    id: str = Field(description="It stands in the key itself, too: `lsk_<id without its prefix>_<secret>`.")
    name: str
    scopes: list[Scope]
    created_at: datetime
    last_used_at: datetime | None = Field(default=None, description="To the minute; `null`: never.")


class NewApiKey(ApiKey):
    """A key that was just made."""

    secret: str | None = Field(default=None, description=f"{_SECRET} `null` where an `Idempotency-Key` is sent again.")
