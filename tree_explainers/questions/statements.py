"""Statements: the distinct splits of an ensemble, mapped back to raw features; they are the binary features of a row.

A number's statements are cuts, a category's are sets of categories. Values for which all statements about a feature
give the same answers share a bin.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..errors import MethodNotApplicable
from ..onnx_models.description import ModelColumn, ModelDescription
from .cut_points import Rounding, number_cuts
from .splits import ColumnSplits, base_of, model_value, splits_by_column

Answers = NDArray[np.bool_]

_OTHER = "\0"  # not a category: no text of rows or graphs is a lone zero byte


@dataclass(frozen=True, slots=True)
class FeatureStatements:
    """The statements about one raw feature, and the bins of values that they distinguish.

    **A number**: statement ``j`` is ``value > cuts[j]``; for a missing value it is true where ``missing_greater[j]``.
    The same cut may occur twice, once for each side of the missing value. Bin ``b`` in 0 to ``n_cuts`` holds the values
    for which exactly the first ``b`` statements are true (bins between equal cuts are empty); bin ``n_cuts + 1`` is the
    missing value. An infinite cut only separates the missing value from the rest.

    **A category**: ``answers[j, b]`` is the answer of statement ``j`` in bin ``b``. Bin ``b`` is ``categories[b]``,
    then comes one bin for all other categories, for which no statement is true, and one for the missing value. Trees
    that read one indicator per category make one statement per category, in their order.
    """

    name: str  # of the raw feature
    raw_index: int  # its index among the model's features
    cuts: NDArray[np.float64]  # (n_cuts,) ascending; empty for a category
    missing_greater: NDArray[np.bool_]  # (n_cuts,)
    categories: tuple[str, ...] = ()
    answers: Answers | None = None  # (n_statements, n_bins); None for a number
    missing_token: str | None = None  # a text that represents a missing category
    one_hot_category: tuple[str, str] | None = None  # feature and category of a column in a declared one-hot group

    @property
    def is_number(self) -> bool:
        """Whether values are compared with cuts."""
        return self.answers is None

    @property
    def n_statements(self) -> int:
        """Number of distinct statements about the feature."""
        return len(self.cuts) if self.answers is None else len(self.answers)

    @property
    def n_bins(self) -> int:
        """Number of bins, including that of the missing value."""
        return (len(self.cuts) if self.answers is None else len(self.categories)) + 2

    @property
    def missing_bin(self) -> int:
        """The bin of the missing value: the last."""
        return self.n_bins - 1

    def holds(self, statement: int, bins: NDArray[np.unsignedinteger[Any]]) -> Answers:
        """Return where a statement, by its index about the feature, is true, given the bins of some values."""
        if self.answers is not None:
            return np.asarray(self.answers[statement, bins], np.bool_)
        return np.asarray(
            np.where(bins == self.missing_bin, self.missing_greater[statement], bins > statement), np.bool_
        )


@dataclass(frozen=True, slots=True)
class Statements:
    """All statements of an ensemble, feature by feature; ``n_statements`` is L in the paper."""

    features: tuple[FeatureStatements, ...]  # those that some tree tests, by raw index
    precision: type[np.float32 | np.float64]  # to which a raw number is rounded before it is compared

    @property
    def n_statements(self) -> int:
        """Number of distinct statements."""
        return sum(feature.n_statements for feature in self.features)

    @property
    def missing_texts(self) -> dict[str, str]:
        """By feature: the text that represents a missing category."""
        return {each.name: each.missing_token for each in self.features if each.missing_token is not None}

    @property
    def statement_starts(self) -> NDArray[np.int64]:
        """Start of each feature's statements when they are concatenated, (n_features + 1,)."""
        return np.cumsum([0, *(feature.n_statements for feature in self.features)], dtype=np.int64)

    @property
    def bin_starts(self) -> NDArray[np.int64]:
        """Start of each feature's bins when they are concatenated, (n_features + 1,)."""
        return np.cumsum([0, *(feature.n_bins for feature in self.features)], dtype=np.int64)


def statements_of(ensemble: TreeEnsemble, description: ModelDescription) -> Statements:
    """Return the distinct statements of all trees, mapped back to raw features.

    ``x <= b``, ``x > b``, ``x < b`` and ``x >= b`` become cuts such that a row is greater exactly where the model's own
    operator puts it there (``x < b`` cuts just below ``b``). A statement and its negation are one statement. Equality,
    membership and the indicator of a number become cuts around the values. Thresholds of scaled columns are computed
    back in float64, while the model itself rounds in between: such a cut is exact only up to that rounding. A missing
    value that the model imputes goes where the imputed value goes. If a number is read as ordinal codes, the values
    that have a code are separated by cuts halfway between them.

    Raises
    ------
    MethodNotApplicable
        Where a tree tests a column that cannot be mapped back to a raw feature, which is named.

    References
    ----------
    Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", section 4.1. The
    paper's L counts internal nodes; here, as in the authors' code, equal statements count once.
    """
    by_feature: dict[int, list[tuple[ModelColumn, ColumnSplits]]] = {}
    for index, splits in splits_by_column(ensemble).items():
        column = description.columns[index]
        by_feature.setdefault(_raw_index(column), []).append((column, splits))
    features = (_feature_statements(description, index, by_feature[index]) for index in sorted(by_feature))
    return Statements(tuple(feature for feature in features if feature.n_statements), description.precision)


def _raw_index(column: ModelColumn) -> int:
    if column.transformed or column.raw_index is None:
        msg = (
            f"The model's trees test {column.name!r}, which is computed from raw features in a form that cannot be "
            "mapped back to one of them: there are no rules in raw features."
        )
        raise MethodNotApplicable(msg)
    return column.raw_index


def _feature_statements(
    description: ModelDescription, raw_index: int, columns: Sequence[tuple[ModelColumn, ColumnSplits]]
) -> FeatureStatements:
    """Return the statements about one raw feature, which trees read through some model-side columns."""
    name, token = description.feature_names[raw_index], description.missing_tokens[raw_index]
    if token is not None:
        categories, answers = category_answers(columns)
        return FeatureStatements(
            name, raw_index, np.empty(0), np.empty(0, np.bool_), categories, answers, missing_token=token
        )
    cuts, missing_greater = number_cuts(columns, Rounding.of(description, raw_index))
    group = next(((column.name, column.category) for column, _ in columns if isinstance(column.category, str)), None)
    return FeatureStatements(name, raw_index, cuts, missing_greater, one_hot_category=group)


def category_answers(columns: Sequence[tuple[ModelColumn, ColumnSplits]]) -> tuple[tuple[str, ...], Answers]:
    """Return the categories that some statement distinguishes from the rest, and each distinct statement's answers.

    A statement is negated where needed, so that it is false for categories that no column names.

    Parameters
    ----------
    columns
        The model-side columns of one raw feature, indicators or ordinal codes, with their splits.

    Returns
    -------
    tuple of n_categories texts
        In the order in which the columns name them.
    (n_statements, n_categories + 2) bool
        The statement's answer for a row of each category, of any other one, and of a missing one. Statements come in
        the order of the first category they are true for, those true for more categories first.
    """
    named = (
        each
        for column, _ in columns
        for each in (column.categories if column.kind == "ordinal" else (column.category,))
    )
    known = list(dict.fromkeys(each for each in named if isinstance(each, str)))
    values: list[str | None] = [*known, _OTHER, None]
    statements = [each for column, splits in columns for each in _split_answers(column, splits, values)]
    true_somewhere = np.array([each for each in statements if each.any()]).reshape(-1, len(values))
    answers = np.unique(true_somewhere, axis=0)[::-1]
    is_kept = np.append(answers[:, : len(known)].any(axis=0), [True, True])
    return tuple(each for each, is_distinct in zip(known, is_kept, strict=False) if is_distinct), answers[:, is_kept]


def _split_answers(column: ModelColumn, splits: ColumnSplits, values: Sequence[str | None]) -> Answers:
    """Return each split's answers, (n_splits, n_values), negated where it is true for other categories."""
    answers = np.array([splits.answer(model_value(column, base_of(column, value))) for value in values]).T
    negated: Answers = answers != answers[:, -2:-1]
    return negated
