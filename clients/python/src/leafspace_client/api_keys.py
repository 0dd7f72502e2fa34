"""API keys: who may call the service, and what for. Managing them takes a key with the scope ``admin``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from .calls import Connected, Program, awaitable, blocking, call_of, create, fetch
from .contract.api_keys import create_api_key, get_api_key, get_me, list_api_keys, revoke_api_key
from .nouns import AsyncDeletable, Noun, SyncDeletable
from .types import ApiKey, ApiKeyRequest, Me, Scopes

API_KEYS: Noun[ApiKey] = Noun(get_api_key, list_api_keys, revoke_api_key)
Scope = Scopes


@dataclass(frozen=True, slots=True)
class MadeKey:
    """A key that was just made: the only place where its ``secret`` stands, and no ``repr`` shows it."""

    id: str
    name: str
    scopes: tuple[str, ...]
    expires_at: datetime | None
    secret: str = field(repr=False)


def _create(
    self: Connected, name: str, scopes: Sequence[Scope], *, expires_at: datetime | None = None
) -> Program[MadeKey]:  # a method
    """Make a key and return it with its secret, which is shown only here.

    Parameters
    ----------
    name
        Who or what will use it.
    scopes
        What it may do: ``"read"``, ``"write"``, ``"explain"``, ``"deploy"``, ``"audit"``, ``"review"``,
        ``"admin"``. None includes another.
    expires_at
        Time with its zone, from which on nobody is let in by it; default: it does not expire.
    """
    request = ApiKeyRequest(name=name, scopes=list(scopes), expires_at=expires_at)
    made = yield from create(create_api_key(body=request))
    while not isinstance(made.secret, str):
        # The answer with it was lost in transit: nobody can use that key.
        yield call_of(revoke_api_key(made.id))
        made = yield from create(create_api_key(body=request))
    return MadeKey(made.id, made.name, tuple(made.scopes), made.expires_at or None, made.secret)


def fetch_me(self: Connected) -> Program[Me]:  # a method of clients
    """Return who calls: the name and the scopes of the key, and what the service allows; every key may ask."""
    return (yield from fetch(get_me()))


class ApiKeys(SyncDeletable[ApiKey, ApiKey, ApiKey]):
    """All keys, newest first, without their secrets; ``delete`` revokes one."""

    noun = API_KEYS
    create = blocking(_create)


class AsyncApiKeys(AsyncDeletable[ApiKey, ApiKey, ApiKey]):
    """All keys, newest first, without their secrets; ``delete`` revokes one."""

    noun = API_KEYS
    create = awaitable(_create)
