"""Make keys, read them, revoke them."""

import structlog

from schemas.api_keys import ApiKey, ApiKeyRequest, NewApiKey
from schemas.contract import Page
from storage.idempotency import RequestKey

from ..app_context import Parts
from .deletion import with_reserve
from .made_once import Creation, made_once

_LOG = structlog.get_logger(__name__)
_CREATED, _REPEATED = 201, 200


def make_api_key(parts: Parts, request: ApiKeyRequest) -> NewApiKey:
    """Make a key; this process knows it at once, others within a second."""
    made = parts.api_keys.add(request)
    _LOG.info("api_key_made", key_id=made.id, scopes=made.scopes)
    parts.keys.renew()
    return made


def make_api_key_once(
    parts: Parts, request: ApiKeyRequest, key: RequestKey | None, fingerprint: str
) -> Creation[NewApiKey]:
    """Make a key unless this idempotency key made one before.

    The secret is in the first answer alone: it is kept nowhere.
    """
    made = None
    with made_once(parts, key, fingerprint, lambda key_id: _without_secret(parts, key_id)) as creation:
        if creation.thing is None:
            made = make_api_key(parts, request)
            creation.made(_CREATED, made)
    if made is not None and made.id != creation.result.id:
        # The same request was faster; nobody ever sees this one's secret.
        revoke_api_key(parts, made.id)
    creation.status = _CREATED if creation.result.secret is not None else _REPEATED
    return creation


def _without_secret(parts: Parts, key_id: str) -> NewApiKey:
    return NewApiKey(**get_api_key(parts, key_id).model_dump(), secret=None)


def list_api_keys(parts: Parts, limit: int, cursor: str | None, **filters: str) -> Page[ApiKey]:
    """Return one page of keys, newest first."""
    return parts.api_keys.list(limit, cursor, **filters)


def get_api_key(parts: Parts, key_id: str) -> ApiKey:
    """Return a key without its secret."""
    return parts.api_keys.get(key_id)


def revoke_api_key(parts: Parts, key_id: str) -> None:
    """Revoke a key: in this process at once, in others within two seconds."""
    with_reserve(parts, lambda: parts.api_keys.revoke(key_id))
    _LOG.info("api_key_revoked", key_id=key_id)
    parts.keys.renew()
