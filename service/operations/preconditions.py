"""Preconditions of changes: the state in which a thing must be, as `If-Match` and `If-None-Match` name it."""

from dataclasses import dataclass

from storage.errors import PreconditionFailed


@dataclass(frozen=True, slots=True)
class Precondition:
    """The state in which a thing must be for a change to be made; by default, any."""

    tags: frozenset[str] | None = None  # its present entity tag: one of these
    exists: bool | None = None

    def check(self, present: str | None, *, exists: str = "", missing: str = "", changed: str = "") -> None:
        """Raise ``PreconditionFailed`` where the thing is in another state.

        Parameters
        ----------
        present
            Its entity tag; none: there is no such thing.
        exists, missing, changed
            What is said where it exists already, where there is none, and where it has another tag.
        """
        if self.exists is False and present is not None:
            raise PreconditionFailed(exists)
        if present is None and (self.exists or self.tags is not None):
            raise PreconditionFailed(missing)
        if present is not None and self.tags is not None and present not in self.tags:
            raise PreconditionFailed(changed)
