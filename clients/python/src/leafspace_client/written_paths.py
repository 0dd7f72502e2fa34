"""Paths of files that are written: a name that ends as that of another kind of file is refused.

A file of HTML called ``why.docx``, or lines of JSON called ``rows.parquet``, would be found out only by the program
that cannot read it.
"""

from pathlib import Path

from .errors import CannotWrite

_SUFFIXES = {
    "csv": (".csv",),
    "html": (".html", ".htm"),
    "json": (".json",),
    "jsonl": (".jsonl", ".ndjson"),
    "parquet": (".parquet", ".pq"),
    "svg": (".svg",),
    "zstd": (".zst", ".zstd"),
}
"""Of each form that is written, the usual one first."""
_ONLY = {"html", "svg"}  # forms of which what is written has no other
_OF_OTHERS = (".doc", ".docx", ".jpg", ".jpeg", ".pdf", ".png", ".xls", ".xlsx")
_TAKEN = {suffix for suffixes in _SUFFIXES.values() for suffix in suffixes}.union(_OF_OTHERS)


def written_path(path: str | Path, form: str) -> Path:
    """Return where to write a file of a form; it may have no suffix, or one that says nothing of a form.

    Raises
    ------
    CannotWrite
        If the suffix is that of another kind of file, with a name that fits.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in _TAKEN or suffix in _SUFFIXES[form]:
        return target
    fitting = target.with_suffix(_SUFFIXES[form][0]).name
    other = "" if form in _ONLY else ", or name another form"
    detail = f"cannot write {str(target)!r}: what is written is {form}, and not {suffix}; name it {fitting!r}{other}"
    raise CannotWrite("cannot_write", detail)
