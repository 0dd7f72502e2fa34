"""Warnings about single rows: what makes an explanation, or the prediction itself, less trustworthy than others.

What can be said without the row is prepared; a row then takes one comparison for each feature.
"""

from collections.abc import Iterable, Mapping, Sequence
from operator import lt
from typing import Any

import numpy as np
from leafspace_drawings.words import distinct_shares
from leafspace_drawings.words import share as percent
from numpy.typing import NDArray

from schemas.datasets import Column
from tree_explainers import wording
from tree_explainers.column_words import ColumnWords
from tree_explainers.onnx_models.description import ModelColumn, ModelDescription

from .dictionary_words import DictionaryWords

Warning_ = dict[str, str]  # as explanations have it: code, detail, and the feature where there is one

_MOST_OF_A_CODE = 10  # features; what is beyond is counted
_N_COLUMNS_NAMED = 3
_FEW_VALUES = 64  # for which arrays would take longer
_HIDDEN_RANGE = "no reference row has one as small or as large"


class RowWarnings:
    """Compares rows with the reference rows, those from which prototypes were chosen.

    Parameters
    ----------
    description
        Of the model.
    columns : (n_features,)
        The reference dataset's column of each feature.
    shown
        Features whose values in the reference rows callers may see; ``None``: all of them.
    words
        What features are called; nothing is said of hidden ones.
    """

    def __init__(
        self,
        description: ModelDescription,
        columns: Sequence[Column],
        shown: frozenset[str] | None = None,
        words: DictionaryWords | None = None,
    ) -> None:
        is_single = description.precision is np.float32
        self._names = description.feature_names
        words = words or DictionaryWords()
        self._words = [words.of(name) for name in self._names]
        not_hidden = [index for index, name in enumerate(self._names) if name not in words.hidden]
        with_range = {index: columns[index] for index in not_hidden if _has_range(columns[index])}
        self._ranges = [(index, *_widened(column, is_single=is_single)) for index, column in with_range.items()]
        self._range_texts = {
            index: _HIDDEN_RANGE
            if shown is not None and self._names[index] not in shown
            else _range_text(column, self._words[index], is_single=is_single)
            for index, column in with_range.items()
        }
        self._categories = [
            (index, frozenset([*known, description.missing_tokens[index]]))
            for index in not_hidden
            if columns[index].type == "category" and (known := columns[index].categories) is not None
        ]
        self._low, self._high = np.full(len(self._names), -np.inf), np.full(len(self._names), np.inf)
        for index, low, high in self._ranges:
            self._low[index], self._high[index] = low, high
        self._ends: tuple[list[float], list[float]] = self._low.tolist(), self._high.tolist()
        # What a hidden feature is transformed to may be called after it.
        self._of_model = () if words.hidden else _transformed(description.columns)

    def of_row(self, values: Sequence[Any]) -> list[Warning_]:
        """Return what is unusual about a row, feature by feature, and then what holds for all rows of the model.

        Parameters
        ----------
        values
            As callers send them, in the order of the features.

        Returns
        -------
        list of dict
            ``unseen_category``, ``outside_reference_range`` and ``transformed_features``, in this order; of the first
            two at most ten features each, and then one that counts the others. Missing values are neither.
        """
        unseen = [
            (index, value)
            for index, known in self._categories
            if (value := values[index]) is not None and (value if isinstance(value, str) else str(value)) not in known
        ]
        outside = [
            (index, value)
            for index, low, high in self._ranges
            if (value := values[index]) is not None and not low <= value <= high
        ]
        if not unseen and not outside:
            return list(self._of_model)
        return [
            *self._of_features("unseen_category", unseen, "have categories that no reference row has"),
            *self._of_features("outside_reference_range", outside, "are outside the ranges of the reference rows"),
            *self._of_model,
        ]

    def are_usual(self, rows: NDArray[np.float64]) -> list[bool]:
        """Return which rows surely miss nothing and are within all ranges: ``of_row`` has nothing to say of them.

        Parameters
        ----------
        rows : (n_rows, n_features)
            Of a model all of whose features are numbers; NaN where a value is missing.
        """
        if self._of_model:
            return [False] * len(rows)
        # An integer that a double rounds is on the same side of an end, if it is not at the end itself.
        if rows.size <= _FEW_VALUES:
            low, high = self._ends
            return [all(map(lt, low, row)) and all(map(lt, row, high)) for row in rows.tolist()]
        usual: list[bool] = np.all((rows > self._low) & (rows < self._high), axis=1).tolist()
        return usual

    def _of_features(self, code: str, cells: list[tuple[int, Any]], of_others: str) -> Iterable[Warning_]:
        for index, value in cells[:_MOST_OF_A_CODE]:
            yield {"code": code, "feature": self._names[index], "detail": self._detail(index, value)}
        if len(cells) > _MOST_OF_A_CODE:
            yield {"code": code, "detail": f"{len(cells) - _MOST_OF_A_CODE:,} more features {of_others}"}

    def _detail(self, index: int, value: Any) -> str:  # a cell
        text = self._range_texts.get(index)
        if text is None:
            return f"{self._words[index].name} is {wording.category_text(str(value))}, which no reference row has"
        number = self._words[index].with_unit(wording.number_text(wording.short(value)))
        return f"{self._words[index].name} is {number}; {text}"


def near_tie(scores: Iterable[tuple[str, float]]) -> Warning_:
    """Return the warning that rounding may have decided between the two best of at least two classes and scores."""
    (first, _), (second, _) = sorted(scores, key=lambda each: -each[1])[:2]
    detail = (
        f"the scores of {wording.label_text(first)} and {wording.label_text(second)} differ by no more than "
        "rounding, which may have decided the label"
    )
    return {"code": "near_tie", "detail": detail}


def outcomes_disagree(evidence: Mapping[str, Any], words: DictionaryWords) -> Warning_ | None:
    """Return the warning that evidence, as explanations have it, contradicts the score; ``None`` where it does not."""
    if evidence.get("agrees", True):
        return None
    share = next(share for share in evidence["shares"] if share["label"] == evidence["score_of"])
    label, score = wording.label_text(words.outcome(share["label"])), evidence["score"]
    if score < share["low"]:
        said, low = distinct_shares(score, share["low"])
        interval = f"{low} to {percent(share['high'])}"
    else:
        said, high = distinct_shares(score, share["high"])
        interval = f"{percent(share['low'])} to {high}"
    by_others = evidence["out_of_bag"] and evidence.get("is_reference_row", False)
    whose = (
        f"the score of {label} by the trees that did not learn from this row"
        if by_others
        else f"the model's score of {label}"
    )
    detail = (
        f"{whose} is {said}, outside of what became of the reference rows most like it: "
        f"{interval} of such rows have this label"
    )
    return {"code": "outcomes_disagree", "detail": detail}


def _has_range(column: Column) -> bool:
    return column.type == "boolean" or (column.min is not None and column.max is not None)


def _range_of(column: Column) -> tuple[float, float]:
    return (0.0, 1.0) if column.min is None or column.max is None else (column.min, column.max)


def _widened(column: Column, *, is_single: bool) -> tuple[float, float]:
    """Return a range with all numbers in it that the model cannot distinguish from its ends."""
    low, high = _range_of(column)
    if not is_single:
        return low, high
    with np.errstate(over="ignore"):
        below, above = (
            np.nextafter(np.float32(low), np.float32(-np.inf)),
            np.nextafter(np.float32(high), np.float32(np.inf)),
        )
        return (float(below) + float(np.float32(low))) / 2, (float(above) + float(np.float32(high))) / 2


def _range_text(column: Column, words: ColumnWords, *, is_single: bool) -> str:
    if column.type == "boolean":
        return "the reference rows have yes and no"
    # In single precision .1 is kept as .10000000149.
    ends = [float(str(np.float32(end))) if is_single else end for end in _range_of(column)]
    low, high = map(wording.number_text, ends)
    if words.plain_digits:
        low, high = map(wording.without_commas, (low, high))
    return f"all reference rows have {low}" if low == high else f"the reference rows have {low} to {high}"


def _transformed(columns: Sequence[ModelColumn]) -> tuple[Warning_, ...]:
    """Return the warning that some of the columns that trees test are not raw features, where it is so."""
    names = [column.name for column in columns if column.transformed]
    if not names:
        return ()
    more = len(names) - _N_COLUMNS_NAMED
    named = ", ".join(names[:_N_COLUMNS_NAMED]) + (f" and {more:,} more" if more > 0 else "")
    detail = f"reasons name columns of the model that cannot be mapped back to raw features: {named}"
    return ({"code": "transformed_features", "detail": detail},)
