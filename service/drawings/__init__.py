"""Drawings of what operations answer: views of the page, and files of HTML."""

from . import reviews, rows, views

__all__ = ["reviews", "rows", "views"]  # each adds its views to ``documents.VIEWS``
