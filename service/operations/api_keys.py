"""Make keys, read them, revoke them."""

import structlog

from schemas.api_keys import ApiKey, ApiKeyRequest, NewApiKey
from schemas.contract import Page
from storage.idempotency import RequestKey

from ..app_context import Parts
from .deletion import with_reserve
from .made_once import made_once

_LOG = structlog.get_logger(__name__)
_CREATED = 201


def make_api_key(parts: Parts, request: ApiKeyRequest) -> NewApiKey:
    """Make a key; this process knows it at once, others within a second."""
    made = parts.api_keys.add(request)
    _LOG.info("api_key_made", key_id=made.id, scopes=made.scopes)
    parts.keys.renew()
    return made


def make_api_key_once(
    parts: Parts, request: ApiKeyRequest, key: RequestKey, fingerprint: str
) -> tuple[NewApiKey, bool]:
    """Make a key unless this idempotency key made one before; return it, and whether it is new.

    The secret is in the first answer alone: it is kept nowhere.
    """
    made: list[NewApiKey] = []

    def make() -> tuple[int, NewApiKey]:
        made.append(make_api_key(parts, request))
        return _CREATED, made[0]

    _, told = made_once(parts, key, fingerprint, make, lambda key_id: _without_secret(parts, key_id))
    if made and made[0].id != told.id:
        # The same request was faster; nobody ever sees this one's secret.
        revoke_api_key(parts, made[0].id)
    return told, told.secret is not None


def _without_secret(parts: Parts, key_id: str) -> NewApiKey:
    return NewApiKey(**get_api_key(parts, key_id).model_dump(), secret=None)


def list_api_keys(parts: Parts, limit: int, cursor: str | None) -> Page[ApiKey]:
    """Return one page of keys, newest first."""
    return parts.api_keys.list(limit, cursor)


def get_api_key(parts: Parts, key_id: str) -> ApiKey:
    """Return a key without its secret."""
    return parts.api_keys.get(key_id)


def revoke_api_key(parts: Parts, key_id: str) -> None:
    """Revoke a key: in this process at once, in others within two seconds."""
    with_reserve(parts, lambda: parts.api_keys.revoke(key_id))
    _LOG.info("api_key_revoked", key_id=key_id)
    parts.keys.renew()
