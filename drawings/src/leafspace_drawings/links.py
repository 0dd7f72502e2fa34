"""Where a drawing's links lead: to views of the page, or nowhere in a file."""

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses of views. ``base`` is what stands before ``#/``: empty in the page itself, None for no links."""

    base: str | None = None

    def to(self, *path: str) -> str | None:
        """Return the address of a view, such as ``#/models/mdl_1``, or None where drawings have no links."""
        return None if self.base is None else f"{self.base}#/{'/'.join(quote(part, safe='') for part in path)}"
