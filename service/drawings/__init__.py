"""Drawings of what operations answer: views of the page, and files of HTML."""

from . import dictionaries, found, models, reviews, rows, views

__all__ = ["dictionaries", "found", "models", "reviews", "rows", "views"]  # each adds its views to ``documents.VIEWS``
