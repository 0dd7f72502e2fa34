"""Key texts: how an API key is written, and what is kept of it.

``lsk_<id>_<secret>``: 16 characters of base 32 that say which key it is, and 256 random bits in base64url. Nobody
guesses 256 bits, so that a plain SHA-256 keeps them as well as a slow hash would, in a microsecond.
"""

import hashlib
import re
import secrets
from base64 import b32encode
from typing import NamedTuple

_ID_BYTES, _SECRET_BYTES = 10, 32
_TEXT = re.compile(rb"lsk_([a-z2-7]{16})_([A-Za-z0-9_-]{43})")
_ID_PREFIX = "key_"


class NewKey(NamedTuple):
    """A key that was just drawn."""

    id: str
    text: str  # what callers send; never kept
    digest: bytes


class ShownKey(NamedTuple):
    """The parts of the key that a caller sent."""

    id: str
    digest: bytes


def draw_key() -> NewKey:
    """Return a new key."""
    name = b32encode(secrets.token_bytes(_ID_BYTES)).decode().lower()
    secret = secrets.token_urlsafe(_SECRET_BYTES)
    return NewKey(_ID_PREFIX + name, f"lsk_{name}_{secret}", _digest(secret.encode()))


def read_key(text: bytes) -> ShownKey | None:
    """Return what a key says, or nothing where the text is not one."""
    match = _TEXT.fullmatch(text)
    if match is None:
        return None
    name, secret = match.groups()
    return ShownKey(_ID_PREFIX + name.decode(), _digest(secret))


def _digest(secret: bytes) -> bytes:
    return hashlib.sha256(secret).digest()
