"""Parts of pages that are written while the manual is built: a line in the page says which.

On GitHub readers see that line, such as ``*`make docs` writes here: operations of maps.*``.
"""

import re
from collections.abc import Callable

from scripts.manual.http_reference import operations_of, shared_objects
from scripts.manual.problems import table_of_problems

_LINE = re.compile(r"^\*`make docs` writes here: (?P<part>[a-z ]+?)(?: of (?P<noun>[a-z ]+))?\.\*$", re.MULTILINE)
_PARTS: dict[str, Callable[..., str]] = {
    "operations": operations_of,
    "shared objects": shared_objects,
    "problems": table_of_problems,
}


def with_written_parts(markdown: str) -> str:
    """Return a page in which each such line is replaced by the part; ``KeyError`` for a part that there is not."""

    def written(line: re.Match[str]) -> str:
        nouns = [line["noun"]] if line["noun"] else []
        return _PARTS[line["part"]](*nouns)

    return _LINE.sub(written, markdown)
