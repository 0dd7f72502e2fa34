"""Drawings of what operations answer: views of the page, and files of HTML."""

from . import reviews, views

__all__ = ["reviews", "views"]  # each adds its views to ``documents.VIEWS``
