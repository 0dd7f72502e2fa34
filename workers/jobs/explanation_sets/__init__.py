"""Explanation sets: every row of a dataset explained, block by block."""

from .job import make_explanation_set

__all__ = ["make_explanation_set"]
