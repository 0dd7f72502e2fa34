"""Strangers' names and categories, written so that they stay what they are: texts, and never code."""

import re

from storage.errors import StorageError

_BACKTICKS = re.compile("`+")


def sql_name(name: str) -> str:
    """Return a column's name as standard SQL quotes it."""
    return f'"{_without_nul(name).replace(chr(34), chr(34) * 2)}"'


def sql_text(text: str) -> str:
    """Return a text as standard SQL quotes it: a backslash is no escape there."""
    return f"'{_without_nul(text).replace(chr(39), chr(39) * 2)}'"


def python_text(text: str) -> str:
    """Return a text as a Python literal, in ASCII."""
    return ascii(text)


def sql_value(prediction: float | str) -> str:
    """Return a label or a value as SQL writes it."""
    return sql_text(prediction) if isinstance(prediction, str) else number(prediction)


def python_value(prediction: float | str) -> str:
    """Return a label or a value as Python writes it."""
    return python_text(prediction) if isinstance(prediction, str) else number(prediction)


def number(value: float) -> str:
    """Return a finite number in as few digits as bring it back; SQL and Python write it alike."""
    return repr(float(value))


def on_one_line(text: str) -> str:
    """Return a text for part of a line, as in a comment: what would end the line, or cannot be seen, is escaped."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def markdown_cell(text: str) -> str:
    r"""Return a text as code in a cell of a table, where nothing but a bar has a meaning, which ``\`` takes away."""
    line = on_one_line(text).replace("|", r"\|")
    fence = "`" * (1 + max(map(len, _BACKTICKS.findall(line)), default=0))
    padding = " " if line[:1] in ("`", "") or line.endswith("`") else ""
    return f"{fence}{padding}{line}{padding}{fence}"


def _without_nul(text: str) -> str:
    if "\0" in text:
        detail = f"{ascii(text)[:80]} holds a NUL, which SQL has no way to write; take JSON or Python"
        raise StorageError("method_not_applicable", detail)
    return text
