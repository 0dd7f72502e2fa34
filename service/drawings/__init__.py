"""Drawings of what operations answer: views of the page, and files of HTML."""

from . import found, models, reviews, rows, views

__all__ = ["found", "models", "reviews", "rows", "views"]  # each adds its views to ``documents.VIEWS``
