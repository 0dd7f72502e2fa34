"""Approximation trees: one tree that stands for an ensemble, which is grown, judged and told."""

from .job import make_approximation_tree

__all__ = ["make_approximation_tree"]
