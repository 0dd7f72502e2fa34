"""ClosedBoxes: boxes of bins narrowed by what follows, where columns imply each other.

A product of ranges holds rows that cannot be: with five transactions, and without any. Where a test holds, so does
what it implies; where a test does not hold, neither does what implies it. A narrower box has fewer leaves to bound.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ..questions.binned_rows import KnownRows
from ..questions.implications import ColumnTest, Implications
from ..questions.statements import FeatureStatements
from .bin_boxes import BinBox, BinRange

_Literal = tuple[int, int, bool]  # a statement about a feature, by the indices of both, and its truth


@dataclass(frozen=True, slots=True)
class ClosedBoxes:
    """Narrows boxes."""

    followers: Mapping[_Literal, tuple[_Literal, ...]]
    by_feature: Mapping[int, tuple[int, ...]]  # the statements of each feature from which something follows

    @staticmethod
    def of(binned: KnownRows, implications: Implications) -> "ClosedBoxes":
        """Return what follows among the statements about the columns of some rows.

        Tests that are no statement of the ensemble are left out: nothing but statements narrows a box.
        """
        numbers = {each.name: index for index, each in enumerate(binned.statements.features) if each.is_number}
        literals = [_literal(binned, numbers.get(test.column), test) for test in implications.tests]
        followers: dict[_Literal, dict[_Literal, None]] = {}
        for premise, conclusion in implications.pairs.tolist():
            first, second = literals[premise], literals[conclusion]
            if first is not None and second is not None:
                followers.setdefault(first, {})[second] = None
                followers.setdefault(_negated(second), {})[_negated(first)] = None
        by_feature: dict[int, dict[int, None]] = {}
        for feature, statement, _ in followers:
            by_feature.setdefault(feature, {})[statement] = None
        return ClosedBoxes(
            {literal: tuple(implied) for literal, implied in followers.items()},
            {feature: tuple(implied) for feature, implied in by_feature.items()},
        )

    def narrowed(self, box: BinBox, feature: int, statement: int, *, is_true: bool) -> BinBox:
        """Return the part of a box in which a statement is true or not, without rows that break an implication.

        Not all such rows are left out: a box remains a product of sets of bins.
        """
        box, waiting, known = box.narrowed(feature, statement, is_true=is_true), [feature], set[_Literal]()
        while waiting:
            for literal in self._decided(box, waiting.pop()):
                if literal in known:
                    continue
                known.add(literal)
                for then_feature, then_own, truth in self.followers.get(literal, ()):
                    if not _is_decided(box, then_feature, then_own, is_true=truth):
                        box = box.narrowed(then_feature, then_own, is_true=truth)
                        waiting.append(then_feature)
        return box

    def _decided(self, box: BinBox, feature: int) -> Iterator[_Literal]:
        """Yield the statements about a feature that have one truth in the whole box, with it."""
        for statement in self.by_feature.get(feature, ()):
            for truth in (False, True):
                if _is_decided(box, feature, statement, is_true=truth):
                    yield feature, statement, truth


def _negated(literal: _Literal) -> _Literal:
    feature, statement, truth = literal
    return feature, statement, not truth


def _literal(binned: KnownRows, feature: int | None, test: ColumnTest) -> _Literal | None:
    """Return the statement that is true, or false, exactly where a test holds; ``None`` where there is none."""
    if feature is None:
        return None
    about, is_above = binned.statements.features[feature], test.operator == ">"
    statement = _statement(about, test.cut, missing_greater=not is_above)  # a missing value fulfils no test
    if statement is None and not binned.has_missing(feature):
        statement = _statement(about, test.cut, missing_greater=is_above)
    return None if statement is None else (feature, statement, is_above)


def _statement(feature: FeatureStatements, cut: float, *, missing_greater: bool) -> int | None:
    matches = np.flatnonzero((feature.cuts == cut) & (feature.missing_greater == missing_greater))
    return int(matches[0]) if len(matches) else None


def _is_decided(box: BinBox, feature: int, statement: int, *, is_true: bool) -> bool:
    """Return whether a statement about a number has this truth in a whole box; in an empty one it has none."""
    bins = box.remaining.get(feature)
    if not isinstance(bins, BinRange) or (bins.low > bins.high and not bins.missing):
        return False
    if bins.missing and bool(box.statements.features[feature].missing_greater[statement]) != is_true:
        return False
    return bins.low > bins.high or (bins.low > statement if is_true else bins.high <= statement)
