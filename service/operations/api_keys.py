"""Create, read and revoke API keys, and say who calls."""

from importlib.metadata import version

import structlog

from schemas.api_keys import ApiKeyRequest, CallerLimits, Me, NewApiKey
from schemas.scopes import SCOPES
from storage.idempotency import RequestKey

from ..app_context import AppContext
from ..callers import Caller
from .deletion import with_reserve
from .idempotent_creation import Creation, idempotent_creation

_LOG = structlog.get_logger(__name__)
_CREATED, _REPEATED = 201, 200


def make_api_key_once(
    context: AppContext, request: ApiKeyRequest, key: RequestKey | None, fingerprint: str
) -> Creation[NewApiKey]:
    """Make a key unless this idempotency key made one before.

    The secret is in the first answer alone: it is kept nowhere.
    """
    created = None
    with idempotent_creation(context, key, fingerprint, lambda key_id: _without_secret(context, key_id)) as creation:
        if creation.resource is None:
            # This process knows the key at once, others within a second.
            created = context.api_keys.add(request)
            _LOG.info("api_key_made", key_id=created.id, scopes=created.scopes)
            context.keys.renew()
            creation.complete(_CREATED, created)
    if created is not None and created.id != creation.result.id:
        # The same request was faster; this one's secret is never shown.
        revoke_api_key(context, created.id)
    creation.status = _CREATED if creation.result.secret is not None else _REPEATED
    return creation


def _without_secret(context: AppContext, key_id: str) -> NewApiKey:
    return NewApiKey(**context.api_keys.get(key_id).model_dump(), secret=None)


def revoke_api_key(context: AppContext, key_id: str) -> None:
    """Revoke a key: in this process at once, in others within two seconds."""
    with_reserve(context, lambda: context.api_keys.revoke(key_id))
    _LOG.info("api_key_revoked", key_id=key_id)
    context.keys.renew()


def describe_caller(context: AppContext, caller: Caller) -> Me:
    """Return who calls, and what the service allows."""
    key = None if caller.key_id is None else context.api_keys.get(caller.key_id)
    return Me(
        keys_required=context.settings.keys_required,
        key_id=caller.key_id,
        key_name=None if key is None else key.name,
        scopes=[scope for scope in SCOPES if scope in caller.scopes],
        version=version("leafspace"),
        limits=CallerLimits(**{name: getattr(context.settings, name) for name in CallerLimits.model_fields}),
    )
