"""Parts of pages that scripts write from the code: each stands between two comments, the rest is written by hand."""

import sys
from pathlib import Path

_DOCS = Path(__file__).parents[1] / "docs"


def write_part(page: str, noun: str, text: str) -> int:
    """Write what a page of ``docs/`` says of a noun, or with ``--check`` compare it; return the exit status.

    The calling script is ``scripts/write_<noun>_table.py``, and ``make settings`` runs all of them.
    """
    begin, end = f"<!-- {noun}: written by scripts/write_{noun}_table.py -->", f"<!-- end of {noun} -->"
    target = _DOCS / page
    found = target.read_text()
    before, _, rest = found.partition(begin)
    _, _, after = rest.partition(end)
    written = f"{before}{begin}\n{text}\n{end}{after}"
    if "--check" not in sys.argv:
        target.write_text(written)
    elif written != found:
        print(f"the table of {noun} in docs/{page} is not that of the code; run `make settings` and commit the result")
        return 1
    return 0
