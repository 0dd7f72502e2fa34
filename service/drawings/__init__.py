"""Drawings of what operations answer: views of the page, and files of HTML."""

from . import models, reviews, rows, views

__all__ = ["models", "reviews", "rows", "views"]  # each adds its views to ``documents.VIEWS``
