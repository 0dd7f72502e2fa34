"""Statements: the distinct yes-or-no questions that an ensemble asks of raw features, the binary features of a row."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import TreeEnsemble
from ..errors import MethodNotApplicable
from ..onnx_models.description import ModelColumn, ModelDescription
from .cuts import Rounding, number_cuts
from .splits import Questions, base_of, model_value, questions_of

Answers = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class FeatureStatements:
    """The statements about one raw feature, and the bins of values that they tell apart.

    **A number**: statement ``j`` is ``value > cuts[j]``; of a missing value it is true where ``missing_greater[j]``.
    The same cut may be there twice, once for each side of the missing. Bin ``b`` in 0 to ``n_cuts`` holds the values
    of which exactly the first ``b`` statements are true (bins between equal cuts stay empty); bin ``n_cuts + 1`` is
    the missing value. A cut of infinity tells nothing but the missing from the rest.

    **A category**: ``answers[j, b]`` says whether statement ``j`` is true in bin ``b``. Bin ``b`` is ``categories[b]``,
    then comes one bin for every other category, of which no statement is true, and one for the missing value. Trees
    that read one indicator per category make one statement per category, in their order.
    """

    name: str  # the raw feature's
    raw_index: int  # its position among the model's features
    cuts: NDArray[np.float64]  # (n_cuts,) ascending; of a category: none
    missing_greater: NDArray[np.bool_]  # (n_cuts,)
    categories: tuple[str, ...] = ()
    answers: NDArray[np.bool_] | None = None  # (n_statements, n_bins); None for a number
    missing_token: str | None = None  # a text that stands for a missing category
    stands_for: tuple[str, str] | None = None  # feature and category, where the column is one of a declared group

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
        """Number of bins, that of the missing value included."""
        return (len(self.cuts) if self.answers is None else len(self.categories)) + 2

    @property
    def missing_bin(self) -> int:
        """The bin of the missing value: the last."""
        return self.n_bins - 1


@dataclass(frozen=True, slots=True)
class Statements:
    """All statements of an ensemble, feature by feature; ``n_statements`` is L in the paper."""

    features: tuple[FeatureStatements, ...]  # those that some tree asks about, by raw index
    precision: type[np.float32 | np.float64]  # in which a raw number is rounded before it is compared

    @property
    def n_statements(self) -> int:
        """Number of distinct statements."""
        return sum(feature.n_statements for feature in self.features)

    @property
    def statement_starts(self) -> NDArray[np.int64]:
        """Where each feature's statements begin, (n_features + 1,)."""
        return np.cumsum([0, *(feature.n_statements for feature in self.features)], dtype=np.int64)

    @property
    def bin_starts(self) -> NDArray[np.int64]:
        """Where each feature's bins begin when they are laid one after the other, (n_features + 1,)."""
        return np.cumsum([0, *(feature.n_bins for feature in self.features)], dtype=np.int64)


def statements_of(ensemble: TreeEnsemble, description: ModelDescription) -> Statements:
    """Return the distinct statements of all trees, led back to raw features.

    ``x <= b``, ``x > b``, ``x < b`` and ``x >= b`` become cuts such that a row is greater exactly where the model's own
    operator says so (``x < b`` cuts just below ``b``). A statement and its opposite are one, and so are those that
    differ in the order of their sides only. Equality, membership and the indicator of a number become cuts around the
    values. Thresholds of scaled columns are calculated back in float64, while the model itself rounds on the way: such
    a cut is exact to that rounding only. A missing value that the model fills in goes where the filling goes. Of a
    number read as ordinal codes, the values that have a code are told apart, by cuts halfway between them.

    Raises
    ------
    MethodNotApplicable
        Where a tree asks about a column that cannot be led back to a raw feature, which is named.

    References
    ----------
    Hara, Hayashi (2018), "Making Tree Ensembles Interpretable: A Bayesian Model Selection Approach", section 4.1. The
    paper's L counts internal nodes; here, as in the authors' code, equal statements count once.
    """
    asked = questions_of(ensemble)
    by_feature: dict[int, list[int]] = {}
    for column in asked:
        by_feature.setdefault(_raw_index(description.columns[column]), []).append(column)
    features = (_FeatureReader(description, at, asked).read(by_feature[at]) for at in sorted(by_feature))
    return Statements(tuple(feature for feature in features if feature.n_statements), description.precision)


def _raw_index(column: ModelColumn) -> int:
    if column.transformed or column.raw_index is None:
        msg = (
            f"The model's trees ask about {column.name!r}, which is made of raw features in a way that cannot be led "
            "back to one of them: there are no rules in raw features."
        )
        raise MethodNotApplicable(msg)
    return column.raw_index


@dataclass(frozen=True, slots=True)
class _FeatureReader:
    """Reads what trees ask about one raw feature through some of its columns."""

    description: ModelDescription
    raw_index: int
    asked: dict[int, Questions]  # by column

    def read(self, columns: list[int]) -> FeatureStatements:
        name = self.description.feature_names[self.raw_index]
        token = self.description.missing_tokens[self.raw_index]
        pairs = [(self.description.columns[column], self.asked[column]) for column in columns]
        if token is not None:
            categories, answers = category_answers(pairs)
            nothing = np.empty(0), np.empty(0, np.bool_)
            return FeatureStatements(name, self.raw_index, *nothing, categories, answers, token)
        cuts, missing_greater = number_cuts(pairs, self._rounding())
        group = next(((column.name, column.category) for column, _ in pairs if isinstance(column.category, str)), None)
        return FeatureStatements(name, self.raw_index, cuts, missing_greater, stands_for=group)

    def _rounding(self) -> Rounding:
        types = list(self._types())
        return Rounding(
            reads=np.float32 if types[self.raw_index] == "float" else np.float64, kept=self.description.precision
        )

    def _types(self) -> Iterator[str]:
        for spec in self.description.inputs:
            yield from [spec.type] * spec.width


def category_answers(asked: Sequence[tuple[ModelColumn, Questions]]) -> tuple[tuple[str, ...], Answers]:
    """Return the categories that some statement tells from the rest, and each distinct statement's answers.

    A statement is turned so that it is false of categories that no column names.

    Parameters
    ----------
    asked
        The columns of one raw feature that trees read, indicators or ordinal codes, with what is asked of them.

    Returns
    -------
    tuple of n_categories texts
        In the order in which the columns name them.
    (n_statements, n_categories + 2) bool
        True where a row of the category, of any other one, of a missing one is told by the statement. Statements come
        in the order of the first category they are true of, those true of more categories first.
    """
    known = list(dict.fromkeys(each for column, _ in asked for each in _named(column) if isinstance(each, str)))
    values: list[str | None] = [*known, _OTHER, None]
    lines = [line for column, questions in asked for line in _lines(column, questions, values)]
    answers = np.unique(np.array([line for line in lines if line.any()]).reshape(-1, len(values)), axis=0)[::-1]
    told = np.append(answers[:, : len(known)].any(axis=0), [True, True])
    return tuple(each for each, is_told in zip(known, told, strict=False) if is_told), answers[:, told]


_OTHER = "\0"  # no category: texts of rows and of graphs hold no zero bytes that mean anything


def _named(column: ModelColumn) -> tuple[float | str | None, ...]:
    return column.categories if column.kind == "ordinal" else (column.category,)


def _lines(column: ModelColumn, questions: Questions, values: Sequence[str | None]) -> Answers:
    """Return each question's answers, (n_questions, n_values), turned so that other categories say no."""
    answers = np.array([questions.answer(model_value(column, base_of(column, value))) for value in values]).T
    turned: Answers = answers != answers[:, -2:-1]
    return turned
