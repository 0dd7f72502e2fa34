"""Feature names: what the service takes for the name of a feature, checked before anything is sent."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from ..errors import Invalid

_MOST_CHARACTERS = 255
UNSEEN = r"\x00-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
"""What the service takes in no name, as part of a regular expression's set."""
_CONTROL_CHARACTER = re.compile(f"[{UNSEEN}]")


def names_as_texts(names: Any) -> list[str] | None:  # what a caller declares
    """Return declared names as texts, numbers among them spelled out; refuse one text in place of a list."""
    if names is None:
        return None
    if isinstance(names, str | bytes) or not isinstance(names, Iterable):
        raise Invalid("validation_failed", f"feature_names is {str(names)[:80]!r}; give a list with a name for each")
    return ["" if name is None else str(name) for name in names]


def check_names(names: Sequence[str] | None) -> None:
    """Refuse names of features that are empty, too long or repeated, or hold a control character.

    Raises
    ------
    Invalid
        ``validation_failed``, with the 0-based index of the first such name.
    """
    for index, name in enumerate(names or ()):
        fault = _fault_of(name)
        if fault is not None:
            detail = f"the name of feature {index} (counted from 0) {fault}; rename the column, or pass feature_names"
            raise Invalid("validation_failed", detail)
    repeated = [name for name, number in Counter(names or ()).items() if number > 1]
    if repeated:
        raise Invalid("validation_failed", f"features {repeated[:5]} occur more than once; give each a name of its own")


def _fault_of(name: str) -> str | None:
    if not name:
        return "is empty"
    if len(name) > _MOST_CHARACTERS:
        return f"has {len(name)} characters, more than {_MOST_CHARACTERS}: {name[:40]!r}…"
    if _CONTROL_CHARACTER.search(name):
        return f"holds a control character, such as a tab or a line break: {name[:40]!r}"
    return None
