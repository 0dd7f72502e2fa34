"""Trees as one expression of standard SQL (also SQLite's, PostgreSQL's, DuckDB's): CASEs over the raw columns."""

from collections.abc import Iterator
from dataclasses import dataclass

from explanations.trees import Split, splits_of
from schemas.approximation_trees import ApproximationTreeContent

from ..export_text.literals import sql_value
from ..export_text.sql_terms import ABOUT_NAN, asked_in_sql

# SQLite before 3.46 has room for 18 CASEs within each other.
_MOST_NESTED = 12


def write_sql(content: ApproximationTreeContent) -> str:
    """Return the expression, which is the tree's prediction of a row; a missing value is NULL.

    Questions that are asked one after the other where each answer is no are the cases of one CASE, so that as many
    CASEs stand within each other as there are answers yes on the way to a leaf. Where these are too many, a case asks
    several questions at once.
    """
    values = tuple(sql_value(node.prediction) for node in content.nodes)
    return _Tree(splits_of(content), values).expression(0, 0) + "\n"


@dataclass(frozen=True, slots=True)
class _Tree:
    steps: tuple[Split | None, ...]
    values: tuple[str, ...]  # what each node predicts

    def expression(self, at: int, n_around: int) -> str:
        """Return what a node and all below it come to, so many CASEs standing around it."""
        if self.steps[at] is None:
            return self.values[at]
        indent = "  " * n_around
        cases, last = self._cases(at)
        lines = "".join(
            f"{indent}  WHEN {asked} THEN {self.expression(below, n_around + 1)}\n"
            for case, left in cases
            for asked, below in self._ways(case, left, n_around)
        )
        about = "" if n_around else ABOUT_NAN
        return f"CASE\n{about}{lines}{indent}  ELSE {self.values[last]}\n{indent}END"

    def _cases(self, at: int) -> tuple[list[tuple[str, int]], int]:
        """Return what is asked where each answer is no, with the nodes for yes, and the leaf at the end."""
        cases = []
        while (step := self.steps[at]) is not None:
            cases.append((asked_in_sql(step.term), step.left))
            at = step.right
        return cases, at

    def _ways(self, asked: str, at: int, n_around: int) -> Iterator[tuple[str, int]]:
        """Yield cases that come to nodes at which a CASE may stand, or leaves.

        In their order: the first that holds decides, so that a question which led elsewhere need not be asked again.
        """
        step = self.steps[at]
        if step is None or n_around < _MOST_NESTED:
            yield asked, at
            return
        yield from self._ways(f"{asked} AND {asked_in_sql(step.term)}", step.left, n_around)
        yield from self._ways(asked, step.right, n_around)
