"""Texts as a list."""

from tree_explainers.compute.byte_texts import Texts


def list_of(texts: Texts) -> list[str]:
    """Return texts by their numbers."""
    return [texts.as_bytes(number).decode() for number in range(len(texts.starts))]
