"""The error with which the command line refuses to begin or to go on; it says what to change."""

from workers.runtime.supervisor import CannotStart


class CannotServe(CannotStart):
    """Something outside the program has to change first; the message says what."""
