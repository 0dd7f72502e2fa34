"""Models and operations of api keys.

Written by scripts/generate_client.py from openapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from ..fields import UNSET, Unset
from ..operations import Request, segment
from ..records import Record
from .literals import Scopes


class ApiKey(Record):
    """A key, without its secret."""

    object_: Literal["api_key"] = "api_key"
    """Type of this object."""
    id: str
    """Id of the key; the key itself is `lsk_<id without its prefix>_<secret>`."""
    name: str
    """Name of the person or program that uses it."""
    scopes: list[Scopes | str]
    """What the key allows."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    expires_at: datetime | Unset | None = UNSET
    """Time from which on nobody is let in by it, in UTC; null: it does not expire."""
    last_used_at: datetime | Unset | None = UNSET
    """Time of the last request with it, to the minute, in UTC; null: never used."""


class ApiKeyRequest(Record):
    """A key to make."""

    name: str
    """Name of the person or program that will use it."""
    scopes: list[Scopes]
    """What the key allows. `read`: read and download; `write`: register, request, cancel and delete; `explain`:
    predictions and explanations of rows that are sent along, with `read` of registered rows, too; `deploy`: give names
    to explainers, which decides by which one applications are answered; `audit`: read, verify and delete stored
    explanations; `review`: decide about labels that an audit suspects; `admin`: manage keys. No scope includes another.
    """
    expires_at: datetime | Unset | None = UNSET
    """Time, with its zone, from which on nobody is let in by it; null: it is valid until it is revoked."""


class CallerLimits(Record):
    """What one caller may send."""

    max_model_bytes: int
    """Size of an uploaded model, in bytes, at most."""
    max_dataset_bytes: int
    """Size of an uploaded dataset, in bytes, at most."""
    max_json_bytes: int
    """Size of a JSON body, in bytes, at most."""
    requests_per_second: float
    """Requests per second of one caller, without calls for explanations, over some seconds; 0: as many as they like."""
    explanations_per_second: float
    """Calls for explanations per second of one caller, averaged over some seconds; 0: no limit."""


class Me(Record):
    """Who calls: the key that was sent, and what it allows."""

    object_: Literal["me"] = "me"
    """Type of this object."""
    keys_required: bool
    """Whether the service requires keys."""
    key_id: str | None
    """Id of the key that was sent; null where the service requires none."""
    key_name: str | None
    """Name of that key; null where the service requires none."""
    scopes: list[Scopes | str]
    """What the caller may do: all scopes where the service requires no keys."""
    version: str
    """Version of the service that answers."""
    limits: CallerLimits
    """What the caller may send."""


class NewApiKey(Record):
    """A key that was just made."""

    object_: Literal["api_key"] = "api_key"
    """Type of this object."""
    id: str
    """Id of the key; the key itself is `lsk_<id without its prefix>_<secret>`."""
    name: str
    """Name of the person or program that uses it."""
    scopes: list[Scopes | str]
    """What the key allows."""
    created_at: datetime
    """Time of creation, in UTC (RFC 3339)."""
    expires_at: datetime | Unset | None = UNSET
    """Time from which on nobody is let in by it, in UTC; null: it does not expire."""
    last_used_at: datetime | Unset | None = UNSET
    """Time of the last request with it, to the minute, in UTC; null: never used."""
    secret: str | Unset | None = UNSET
    """The whole key, `lsk_…`, which is shown only once; the service keeps its hash. Null where a request with the same
    `Idempotency-Key` is repeated.
    """


class PageApiKey(Record):
    """One page of a list."""

    object_: Literal["list"] = "list"
    """Type of this object."""
    data: list[ApiKey]
    """Items of this page, in the order of the list."""
    next_cursor: str | Unset | None = UNSET
    """Cursor of the next page, to be sent as `cursor`; null on the last page."""


def create_api_key(*, body: ApiKeyRequest, idempotency_key: str | Unset | None = UNSET) -> Request[NewApiKey]:
    """Make a key; its secret is in this answer and nowhere else."""
    return Request("POST", "/v1/api-keys", headers={"Idempotency-Key": idempotency_key}, body=body, answer=NewApiKey)


def list_api_keys(
    *, limit: int | Unset = UNSET, cursor: str | Unset | None = UNSET, name: str | Unset | None = UNSET
) -> Request[PageApiKey]:
    """List keys, newest first, without their secrets."""
    return Request("GET", "/v1/api-keys", query={"limit": limit, "cursor": cursor, "name": name}, answer=PageApiKey)


def get_api_key(api_key_id: str) -> Request[ApiKey]:
    """Read a key, without its secret."""
    return Request("GET", f"/v1/api-keys/{segment(api_key_id)}", answer=ApiKey)


def revoke_api_key(api_key_id: str) -> Request[None]:
    """Revoke a key: within two seconds no process lets it in."""
    return Request("DELETE", f"/v1/api-keys/{segment(api_key_id)}")


def get_me() -> Request[Me]:
    """Read who calls: the name of the key, its scopes, and what this service allows; every key may."""
    return Request("GET", "/v1/me", answer=Me)
