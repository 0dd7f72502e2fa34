"""Why the command line refuses to begin or to go on, said so that the reader can mend it."""

from workers.runtime.supervisor import CannotStart


class CannotServe(CannotStart):
    """Something outside the program has to change first; the message says what."""
