"""Write docs/models.md, the table of models that were tried with what happens, or check that it is up to date.

Each model is fitted, registered with its rows and without them, and predicts all rows as the library does, or there is
a reason. The script fails where one row is wrong, or where a message is not meant for people. With a text after
``--only``, it prints what happens with the cases whose title or name holds it, and writes nothing.
"""

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

from scripts.models_table import GROUPS  # libraries read the environment when they are imported
from scripts.models_table.cases import Case, Group
from scripts.models_table.trial import Outcome, fitted, tried

_TARGET = Path(__file__).parents[1] / "docs" / "models.md"
_FAILURES = frozenset({"wrong", "raw"})
_LONGEST_CELL = 220
_HEAD = """# Models, inputs and graphs that were tried

Each line is a small model of its own that was fitted, registered with its rows (`X`) and without them, and then
predicted all of its rows: sent one by one, and as a dataset that the SDK writes and the service reads.

- **right**: in every row, labels are those of the library's own `predict`, and scores or values are its own up to
  rounding.
- **right, with a warning**: likewise, and the warning says what to know about it.
- **refused**: registering, predicting or the dataset is refused with a message; its first sentence is here.

`make models-table` writes this page by `scripts/write_models_table.py`, and `make check` fails where one row of one
model would be wrong, or where a message was not written for people. Cases are in `scripts/models_table/`: one more is
one more line.
"""


@dataclass(frozen=True, slots=True)
class Line:
    """A case with what happened."""

    group: Group
    case: Case
    outcomes: tuple[Outcome, ...]  # one for each way in which it is registered

    @property
    def fails(self) -> bool:
        """Whether a row is wrong, or a message is not meant for people."""
        return any(outcome.verdict in _FAILURES for outcome in self.outcomes)

    def printed(self) -> str:
        """Return the line as plain text."""
        ways = zip(self.case.ways, self.outcomes, strict=True)
        texts = [f"{'with' if way else 'without'} X {outcome}" for way, outcome in ways]
        return f"{self.group.title}: {self.case.name}: {' | '.join(texts)}"

    def cell(self) -> str:
        """Return what happened, for the table."""
        texts = [_shortened(str(outcome)) for outcome in self.outcomes]
        if len(set(texts)) == 1:
            return texts[0]
        return "; ".join(
            f"{'with' if way else 'without'} rows: {text}" for way, text in zip(self.case.ways, texts, strict=True)
        )


def _shortened(text: str) -> str:
    shown = text if len(text) <= _LONGEST_CELL else f"{text[:_LONGEST_CELL]}…"
    return shown.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


def lines(part: str = "") -> Iterator[Line]:
    """Yield the cases whose title or name holds a text, with what happens."""
    for group in GROUPS:
        for case in group.cases:
            if part in f"{group.title}: {case.name}":
                of = fitted(case)
                yield Line(group, case, tuple(tried(of, with_rows=way) for way in case.ways))


def page(every_line: list[Line]) -> str:
    """Return the page."""
    counts = Counter(outcome.verdict for line in every_line for outcome in line.outcomes)
    listed = ", ".join(f"{number:,} {verdict}" for verdict, number in counts.most_common())
    parts = [_HEAD, f"{len(every_line)} models and inputs, {counts.total():,} registrations: {listed}.\n"]
    for group in GROUPS:
        rows = [f"| {_shortened(line.case.name)} | {line.cell()} |" for line in every_line if line.group is group]
        parts.append("\n".join([f"## {group.title}\n\n{group.text}\n\n| what | what happens |\n|---|---|", *rows, ""]))
    return "\n".join(parts)


def main() -> int:
    """Write the page, or with ``--check`` compare it; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing, and fail where the page would change")
    parser.add_argument("--only", default="", help="print what happens with cases whose title or name holds this text")
    chosen = parser.parse_args()
    every_line = list(lines(chosen.only))
    failures = [line for line in every_line if line.fails]
    for line in every_line if chosen.only else failures:
        print(line.printed())
    if failures or chosen.only:
        print(
            f"{len(failures)} of {len(every_line)} models have a wrong row, or a message that is not meant for people"
        )
    if chosen.only or (failures and chosen.check):
        return int(bool(failures))
    written = page(every_line)
    if not chosen.check:
        _TARGET.write_text(written)
        return int(bool(failures))
    if written == _TARGET.read_text():
        return 0
    print("what happens with models is not what docs/models.md says; run `make models-table` and commit the result")
    return 1


if __name__ == "__main__":
    sys.exit(main())
