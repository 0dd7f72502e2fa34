"""Explained blocks as JSON lines: byte for byte what a call for each row answers."""

from .writer import LineWriter

__all__ = ["LineWriter"]
