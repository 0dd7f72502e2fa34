"""Suggestions: names near one that does not exist, in the message that says so."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return the end of a message: ``; did you mean 'n_prototypes'?``, or nothing where no name is near."""
    from difflib import get_close_matches  # 3 ms that only a misspelt name needs

    near = get_close_matches(name, [each for each in names if not each.startswith("_")], n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


class Suggesting:
    """Anything whose attributes are suggested where a name is misspelt."""

    __slots__ = ()

    if not TYPE_CHECKING:  # otherwise no misspelt name were noticed

        def __getattr__(self, name: str) -> Any:  # never returns
            """Refuse a name that is no attribute; an error of a property itself stays what it is."""
            if hasattr(type(self), name):
                return object.__getattribute__(self, name)
            near = "" if name.startswith("_") else did_you_mean(name, dir(type(self)))
            message = f"{type(self).__name__!r} object has no attribute {name!r}{near}"
            raise AttributeError(message, name=name, obj=self)
