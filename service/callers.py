"""Caller: the sender of a request and its scopes; the key whose request is being answered."""

from contextvars import ContextVar
from dataclasses import dataclass

from schemas.scopes import SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """The sender of a request: the key that was shown, and its scopes."""

    key_id: str | None  # none where keys are not required
    scopes: frozenset[Scope]
    key_name: str = ""  # what people call the key


ANY_CALLER = Caller(None, frozenset(SCOPES))
"""Every caller of a service that requires no keys."""

NO_CALLER = Caller(None, frozenset())
"""The caller of a public path, which needs no key."""

CURRENT_KEY: ContextVar[str | None] = ContextVar("current_key", default=None)
"""The key whose request is being answered."""
