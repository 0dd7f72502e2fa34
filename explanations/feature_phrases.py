"""The words for a dataset's columns, which are booleans or queries of several tables, and the implications among them.

Printers read ``column_words.Phrases``, methods read ``Implications``: neither knows what a query is.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import ceil, floor, inf
from typing import Literal

import numpy as np

from schemas.datasets import Column
from tree_explainers.column_words import BooleanPhrases, CategoryPhrases, ColumnPhrases, ColumnWords, Phrases
from tree_explainers.printed_numbers import NumberColumn, NumberPhrases, Precision
from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.implications import ColumnTest, Implications
from tree_explainers.questions.statements import FeatureStatements, Statements
from tree_explainers.relational.feature_texts import is_never_missing, name_of, question_of, text_of
from tree_explainers.relational.implication import implied
from tree_explainers.relational.queries import Feature, FeatureTest
from tree_explainers.relational.schema import Schema
from tree_explainers.wording import Interval

from .feature_sets import OpenFeatureSet

VALUES = "values_"
"""The names of arrays of measured numbers next to a model's cuts begin so; the feature's name follows."""

TestOperator = Literal[">", "<="]
_COUNTS = ("count", "n_distinct")
_NAMED = ("value", "mode")  # kinds of which name and number say all


@dataclass(frozen=True, slots=True)
class FeaturePhrases:
    """A column that is a query: ``has an account of kind credit``, ``has no …``, ``has more than 2 …``."""

    feature: Feature
    schema: Schema
    numbers: NumberPhrases | None = None  # how ends are printed; None: as they are

    @property
    def words(self) -> None:  # as of ``ColumnPhrases``
        """None: the query is described."""

    @property
    def is_boolean(self) -> bool:
        """Whether the feature is whether a query succeeds."""
        return self.feature.kind == "exists"

    def mention(self, name: str) -> str:
        """Return ``whether it has an account of kind credit``; of numbers the name."""
        return f"whether it {name}" if self.is_boolean else name

    def sentence(self, interval: Interval) -> str | None:
        """Return what is true of an example; ``None`` where the column's name and its numbers say it better."""
        if self.is_boolean:
            return None if _is_open(interval) else text_of(self._test(), self.schema, holds=interval.admits(1))
        tests = self._tests(interval)
        texts = [text_of(test, self.schema, holds=holds) for test, holds in tests or ()]
        name = f"{name_of(self.feature, self.schema)} is "
        named = [text for text in texts if text.startswith(name)]
        if named and len(named) < len(texts):  # two ends of one interval, of which single rows would show one
            return None
        texts[1:] = [text.removeprefix(name) for text in texts[1:]]
        return " and ".join(texts) or None

    def question(self, interval: Interval) -> str | None:
        """Return ``Is there an account of kind credit?`` for the sentence ``has an account of kind credit``."""
        if self.is_boolean:
            return question_of(self._test(), self.schema) if interval.admits(1) and not _is_open(interval) else None
        tests = self._tests(interval) or ()
        return question_of(tests[0][0], self.schema) if len(tests) == 1 and tests[0][1] else None

    def states_absence(self, interval: Interval) -> bool:
        """Return whether the sentence states that an example has none, or at most some: its opposite has one, or more.

        Of largest and smallest values that is so where a missing one, of no row, lies in the interval, too.
        """
        if self.is_boolean:
            return interval.admits(0) and not interval.admits(1)
        if self.feature.kind == "min":
            return interval.or_missing and interval.low > -inf and interval.high == inf
        is_upper = interval.low == -inf and interval.high < inf
        return is_upper and (self.feature.kind in _COUNTS or (self.feature.kind == "max" and interval.or_missing))

    def _test(self) -> FeatureTest:
        return FeatureTest(self.feature)

    def _tests(self, interval: Interval) -> Sequence[tuple[FeatureTest, bool]] | None:
        """Return the tests that say together that a number lies in an interval, each as it is or negated."""
        feature = self.feature
        is_count = feature.kind in _COUNTS
        low, high = _cuts(interval if is_count else self._shortened(interval), is_count=is_count)
        or_missing = interval.or_missing and not is_never_missing(feature)
        if feature.kind in _NAMED or low is None or high is None or (or_missing and low > -inf and high < inf):
            return None
        above, at_most = (FeatureTest(feature, ">", low), True), (FeatureTest(feature, "<=", high), True)
        if or_missing:  # a test is false of what is missing
            above, at_most = (FeatureTest(feature, "<=", low), False), (FeatureTest(feature, ">", high), False)
        return [*([above] if low > -inf else []), *([at_most] if high < inf else [])]

    def _shortened(self, interval: Interval) -> Interval:
        """Return an interval that people read and whose ends are cuts; the same where there is none."""
        printed = None if self.numbers is None else self.numbers.printed(interval)
        if printed is None or None in _cuts(printed.ends, is_count=False):
            return interval
        return printed.ends._replace(or_missing=interval.or_missing)


def _is_open(interval: Interval) -> bool:
    return interval.admits(0) == interval.admits(1)


def _cuts(interval: Interval, *, is_count: bool) -> tuple[float | None, float | None]:
    """Return the cuts above which, and up to which, an interval reaches; ``None`` where these are no such cuts."""
    low, high = interval.low, interval.high
    below = low if low == -inf or not interval.low_inclusive else ceil(low) - 0.5 if is_count else None
    up_to = high if high == inf or interval.high_inclusive else ceil(high) - 0.5 if is_count else None
    return below, up_to


def phrases_of(
    names: Iterable[str],
    columns: Iterable[Column],
    features: OpenFeatureSet | None,
    precision: Precision = np.float64,
    values: Mapping[str, Sequence[float]] | None = None,
    words: Mapping[str, ColumnWords] | None = None,
) -> Phrases:
    """Return the phrases of those columns that have some.

    Parameters
    ----------
    names
        The model's names of its features.
    columns
        The dataset's column of each.
    features
        The feature set that the dataset was made with; ``None`` where there is none.
    precision
        To which the model rounds numbers before it compares them.
    values
        By the model's names, measured numbers of reference rows next to the model's cuts, ascending. ``None``: what is
        printed are ends that are as short as rows allow, not the model's own.
    words
        By the model's names, what features are called; others are called by these names.
    """
    words = words or {}
    queries = {} if features is None else dict(zip(features.names, features.features, strict=True))
    phrases: dict[str, ColumnPhrases] = {}
    for name, column in zip(names, columns, strict=True):
        near = None if values is None else values.get(name, ())
        of_column = words.get(name, ColumnWords(name))
        known = NumberColumn.of(column.decimals, column.min, column.max, column.n_infinite)
        is_single, keeps_digits = column.is_single_precision, near is None
        numbers = NumberPhrases.of(
            of_column,
            replace(known, is_single=is_single, precision=precision, values=near or (), keeps_digits=keeps_digits),
        )
        if features is not None and column.name in queries and of_column.name == name:
            phrases[name] = FeaturePhrases(queries[column.name], features.schema, numbers)
        elif column.type == "boolean":
            phrases[name] = BooleanPhrases(of_column)
        elif column.type == "number":
            phrases[name] = numbers
        elif name in words:
            phrases[name] = CategoryPhrases(of_column)
    return phrases


def implications_of(phrases: Phrases, statements: Statements) -> Implications:
    """Return what follows among the tests of a model whose columns are queries of several tables."""
    tests: list[tuple[ColumnTest, FeatureTest]] = []
    never_missing = []
    for about in statements.features:
        words = phrases.get(about.name)
        if isinstance(words, FeaturePhrases) and about.is_number:
            tests += _tests_of(about, words.feature)
            never_missing += [about.name] if is_never_missing(words.feature) else []
    pairs = implied([test for _, test in tests])
    return Implications.of([(tests[premise][0], tests[then][0]) for premise, then in pairs], never_missing)


def _tests_of(about: FeatureStatements, feature: Feature) -> list[tuple[ColumnTest, FeatureTest]]:
    """Return the statements about a column as tests; of one cut those above it, where the column is never missing."""
    if feature.kind == "exists":
        inside = [cut for cut in about.cuts.tolist() if floor(cut) == 0]
        return [(ColumnTest(about.name, ">", cut), FeatureTest(feature)) for cut in inside]
    tests: dict[ColumnTest, FeatureTest] = {}
    for cut, missing_greater in zip(about.cuts.tolist(), about.missing_greater.tolist(), strict=True):
        operator: TestOperator = "<=" if missing_greater and not is_never_missing(feature) else ">"
        if cut < inf:
            tests[ColumnTest(about.name, operator, cut)] = FeatureTest(feature, operator, cut)
    return list(tests.items())


Answer = tuple[int, bool]  # a condition, by its index, and whether it holds


def implied_answers(conditions: Sequence[Condition | None], phrases: Phrases) -> list[tuple[Answer, Answer]]:
    """Return what follows from each condition's holding, or not, for others; equal ones imply each other.

    What follows in several steps is left to the reader.

    Parameters
    ----------
    conditions
        Of a tree's nodes; ``None`` at leaves.
    phrases
        By column.
    """
    tests: dict[FeatureTest, list[Answer]] = {}  # where the test holds, the conditions do or do not
    for index, condition in enumerate(conditions):
        tested = None if condition is None else _test_of(condition, phrases.get(condition.column))
        if tested is not None:
            tests.setdefault(tested[0], []).append((index, tested[1]))
    listed = list(tests)
    pairs = [(tests[listed[premise]][0], then) for premise, to in implied(listed) for then in tests[listed[to]]]
    for answers in tests.values():  # of several that ask the same, each follows from the first, and that from each
        pairs += [pair for other in answers[1:] for pair in ((answers[0], other), (other, answers[0]))]
    in_order = sorted(listed, key=lambda test: (str(test.feature), test.operator or "", _weakness(test)))
    for premise, then in pairwise(in_order):
        if premise.feature == then.feature and premise.operator == then.operator:
            pairs += [(tests[premise][0], other) for other in tests[then]]
    return pairs


def _test_of(condition: Condition, words: ColumnPhrases | None) -> tuple[FeatureTest, bool] | None:
    """Return the test that passes where a condition on a query holds, or where it does not."""
    interval = condition.interval
    if interval is None or not isinstance(words, FeaturePhrases):
        return None
    feature, operator, cut = words.feature, condition.operator, condition.value
    if words.is_boolean:
        return None if _is_open(interval) else (FeatureTest(feature), interval.admits(1))
    assert isinstance(cut, float)  # for the type checker: it has an interval
    or_missing = interval.or_missing and not is_never_missing(feature)
    if is_never_missing(feature):
        return FeatureTest(feature, ">", cut), operator == ">"
    own: TestOperator = ">" if (operator == ">") != or_missing else "<="  # x <= 3 or missing is not x > 3
    return FeatureTest(feature, own, cut), not or_missing


def _weakness(test: FeatureTest) -> float:
    """Return a number that is larger the more values of one feature pass a test by one operator."""
    cut = test.cut or 0.0
    return -cut if test.operator == ">" else cut
