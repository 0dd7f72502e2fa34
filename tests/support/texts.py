"""Texts as a list."""

from tree_explainers.compute.byte_texts import Texts


def list_of(texts: Texts) -> list[str]:
    """Return texts by their numbers."""
    return [text.decode() for text in texts.as_list()]
