"""Notices: the letter that the drawings write about a decision, of what the client was sent."""

from leafspace_drawings.notice import Notice, notice_of

__all__ = ["Notice", "notice_of"]
