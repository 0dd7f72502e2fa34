"""Make keys, read them, revoke them."""

import structlog

from schemas.api_keys import ApiKey, ApiKeyRequest, NewApiKey
from schemas.contract import Page
from storage.idempotency import KeptAnswer, RequestKey

from ..parts import Parts

_LOG = structlog.get_logger(__name__)


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

    The secret is in the first answer alone: kept answers can be read in the database, secrets nowhere.
    """
    kept = parts.idempotency.find(key, fingerprint)
    if kept is None:
        made = make_api_key(parts, request)
        told = made.model_copy(update={"secret": None}).model_dump(mode="json")
        kept = parts.idempotency.keep(key, fingerprint, KeptAnswer(200, told))
        if kept.body["id"] == made.id:
            return made, True
        # The same request was faster; nobody ever sees this one's secret.
        revoke_api_key(parts, made.id)
    return NewApiKey.model_validate(kept.body), False


def list_api_keys(parts: Parts, limit: int, cursor: str | None) -> Page[ApiKey]:
    """Return one page of keys, newest first."""
    return parts.api_keys.list(limit, cursor)


def get_api_key(parts: Parts, key_id: str) -> ApiKey:
    """Return a key without its secret."""
    return parts.api_keys.get(key_id)


def revoke_api_key(parts: Parts, key_id: str) -> None:
    """Revoke a key: in this process at once, in others within two seconds."""
    parts.api_keys.revoke(key_id)
    _LOG.info("api_key_revoked", key_id=key_id)
    parts.keys.renew()
