"""Trees as CASE expressions, whatever their tests are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .expressions import ABOUT_NAN, Lines, chained, framed, indented

_MOST_NESTED = 12  # CASE expressions; SQLite before 3.46 has room for 18


@dataclass(frozen=True, slots=True)
class Case:
    """An inner node: its test, and its children."""

    condition: Lines
    left: int  # where it holds
    right: int


@dataclass(frozen=True, slots=True)
class CaseTree:
    """A tree to be written.

    Splits that follow each other along "no" branches are the cases of one CASE, so the depth of nesting is the number
    of "yes" branches on the path to a leaf. Beyond ``_MOST_NESTED``, one case holds the conditions of several splits.
    """

    steps: Sequence[Case | None]
    predictions: Sequence[str]  # of each node

    def lines(self, node: int = 0, depth: int = 0) -> Lines:
        """Return the expression for a node and all below it, nested in ``depth`` CASE expressions."""
        if self.steps[node] is None:
            return [self.predictions[node]]
        cases, last = self._cases(node)
        whens = [
            line
            for case, left in cases
            for conditions, below in self._flattened(case, left, depth)
            for line in framed("WHEN ", chained([conditions, self.lines(below, depth + 1)], " THEN "), "")
        ]
        about = [] if depth else [ABOUT_NAN]
        return ["CASE", *indented([*about, *whens, f"ELSE {self.predictions[last]}"]), "END"]

    def _cases(self, node: int) -> tuple[list[tuple[Lines, int]], int]:
        """Return the splits along "no" branches, each with the node for "yes", and the leaf at the end."""
        cases = []
        while (step := self.steps[node]) is not None:
            cases.append((step.condition, step.left))
            node = step.right
        return cases, node

    def _flattened(self, conditions: Lines, node: int, depth: int) -> Iterator[tuple[Lines, int]]:
        """Yield cases whose nodes are leaves or may be CASE expressions.

        The order matters: the first case that holds decides, so the condition of a "no" branch need not be negated.
        """
        step = self.steps[node]
        if step is None or depth < _MOST_NESTED:
            yield conditions, node
            return
        yield from self._flattened(chained([conditions, step.condition], " AND "), step.left, depth)
        yield from self._flattened(conditions, step.right, depth)
