"""Caller: who sent a request, and what they may do."""

from dataclasses import dataclass

from schemas.api_keys import SCOPES, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever sent a request: the key that they showed, and its scopes."""

    key_id: str | None  # none where keys are not asked for
    scopes: frozenset[Scope]


ANYBODY = Caller(None, frozenset(SCOPES))
"""Every caller of a service that asks for no keys."""

NOBODY = Caller(None, frozenset())
"""Whoever asks for what is public without showing a key."""
