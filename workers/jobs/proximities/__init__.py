"""Proximities: the nearest rows of every row, found and written down."""

from .job import make_proximities

__all__ = ["make_proximities"]
