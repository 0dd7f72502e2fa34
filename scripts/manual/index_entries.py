"""Entries of the manual's index for the terms of the glossary, which its search looks through, too.

Words of a term may be too common to be searched for in texts, such as those of "what-if".
"""

import re

_TERMS = re.compile(r"^\| \*\*(?P<terms>[^*|]+)\*\* \|", re.MULTILINE)
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def with_index_entries(glossary: str) -> str:
    """Return the page with an entry above each table for every term in bold letters that begins one of its rows."""

    def indexed(table: re.Match[str]) -> str:
        terms = [term.strip() for row in _TERMS.finditer(table[0]) for term in row["terms"].split(",")]
        return f"```{{index}} {', '.join(terms)}\n```\n\n{table[0]}" if terms else table[0]

    return _TABLE.sub(indexed, glossary)
