"""Prototype sets: rows that stand for others, chosen, judged and told."""

from .job import make_prototype_set

__all__ = ["make_prototype_set"]
