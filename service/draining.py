"""Draining: whether the process is about to stop; answers, probes and watchers of jobs take note of it."""


class Draining:
    """Whether the process is about to stop."""

    def __init__(self) -> None:
        self.has_begun = False

    def begin(self) -> None:
        """Mark the process as about to stop, for good."""
        self.has_begun = True
