"""Approximation trees in other forms: what is exported is made from the public document alone."""

from .forms import MEDIA_TYPES, TextForm, write_tree

__all__ = ["MEDIA_TYPES", "TextForm", "write_tree"]
