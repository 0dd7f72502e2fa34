"""Identifiers: what a thing is known by is the hash of what made it."""

import hashlib
import json
from base64 import b32encode
from typing import Any

from .nouns import NOUNS

PREFIXES = {noun.name: noun.id_prefix for noun in NOUNS.stored if noun.id_prefix}


def canonical_json(value: Any) -> bytes:  # any JSON value
    """Return the one way to write a JSON value: sorted keys, no blanks, UTF-8."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode()


def content_identifier(noun: str, *parts: Any) -> str:  # any JSON values
    """Return the id of a thing of this noun made of these parts: 26 characters of SHA-256 in base 32."""
    digest = hashlib.sha256(canonical_json([noun, *parts])).digest()
    return PREFIXES[noun] + b32encode(digest)[:26].decode().lower()
