"""Documents with holes, cut into the texts between them: what is told is said in one place, ``documents``."""

from typing import Any

import orjson

HOLE = orjson.Fragment(b"\0")
"""Stands in a document for what is not known yet."""


def pieces_between(document: dict[str, Any]) -> list[bytes]:
    """Return the texts before, between and after the holes of a document."""
    return orjson.dumps(document).split(b"\0")  # a character that no other JSON text holds
