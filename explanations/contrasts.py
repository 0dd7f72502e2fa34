"""Contrasts: the nearest prototypes of other classes, and what the trees ask that tell a row apart from them.

That a tree tells two rows apart at a feature is a fact about that tree. It claims neither that another value there
would change the prediction, nor that the prediction changes with no other feature. A feature that the dictionary fixes
may differ, too: it is named as one that cannot change, and so never as a change that could be made.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.column_words import ColumnPhrases, ColumnWords
from tree_explainers.printed_numbers import NumberPhrases
from tree_explainers.prototype_sets.separating_splits import parting_reasons
from tree_explainers.wording import Interval

from .reason_texts import Compared, ReasonTexts
from .warm_explainer import WarmExplainer

_VERBS = ("has", "is")  # with which sentences about columns of several tables begin


class ContrastedRow(NamedTuple):
    """A row whose contrasts are wanted."""

    label: int  # index of the class that the model predicts
    leaves: NDArray[np.int32]  # (n_trees,) by which it is compared with prototypes
    proximities: NDArray[np.int64]  # (n_prototypes,)
    values: Sequence[Any]  # as sent, in the order of the features


class ContrastLimits(NamedTuple):
    """How much of a row's contrasts is written."""

    n_contrasts: int  # classes
    n_differences: int | None  # of each; None: all
    with_intervals: bool  # what holds for the prototypes, in numbers, too


def contrasts(warm: WarmExplainer, row: ContrastedRow, limits: ContrastLimits) -> list[dict[str, Any]]:
    """Return the nearest prototype of each of the nearest classes other than the predicted one, nearest first.

    What the trees ask is absent where the explainer has no paths to leaves.
    """
    nearest = warm.index.of_other_classes(row.proximities, row.label, limits.n_contrasts)
    prototypes = [warm.prototypes[index] for index in nearest.tolist()]
    shares = (row.proximities[nearest] / warm.index.total_weight).tolist()
    entries = [{**prototype.head, "proximity": share} for prototype, share in zip(prototypes, shares, strict=True)]
    paths = warm.paths
    if paths is None:
        return entries
    reasons = parting_reasons(paths, row.leaves, warm.index.leaves[nearest], warm.index.weights)
    compared = Compared(row.values, [prototype.values for prototype in prototypes])
    written = write_differences(warm.reason_texts, reasons, compared, limits)
    for difference in (each for differences in written for each in differences):
        if difference["feature"] in warm.wording.bounds.fixed:
            difference |= {"text": _of_fixed(difference), "fixed": True}
    return [{**entry, "differences": differences} for entry, differences in zip(entries, written, strict=True)]


def write_differences(
    texts: ReasonTexts, reasons: NDArray[Any], compared: Compared, limits: ContrastLimits
) -> list[list[dict[str, Any]]]:
    """Return what the trees ask that tell a row apart from each of some others.

    Parameters
    ----------
    texts
        Of the model.
    reasons : (n_reasons,) REASON
        From ``parting_reasons``.
    compared
        The row and the others, whose order is that of the pairs.
    limits
        How much to write.

    Returns
    -------
    list of one list for each pair
        Entries as those of reasons are; what most of the trees ask comes first.
    """
    written = texts.write(
        reasons, compared, limits.n_differences, with_intervals=limits.with_intervals, hold_for_both=False
    )
    for entries in written:
        for entry in entries:
            entry["text"] = difference_text(entry, texts.phrases_of(entry["feature"]))
    return written


def difference_text(reason: Mapping[str, Any], phrases: ColumnPhrases | None = None) -> str:
    """Return what the trees ask that tell the two rows apart: ``whether income is above 45,000; it is 31,000 here``.

    The answer is yes for the prototype and no for the row. The row's own value is left out where the feature is not a
    raw one. A boolean column says what holds here instead.
    """
    text, words = reason["text"], _words_of(reason, phrases)
    value = reason.get("value")
    if isinstance(value, str) and text == f"{words.name} is {wording.none_of(words.labelled([value]))}":
        return f"whether {words.name} is other than {_value_text(value, words)}, which it is here"
    question = f"whether {'it ' if text.partition(' ')[0] in _VERBS else ''}{text}"
    return f"{question}; {_value_here(reason, phrases)} here" if "value" in reason else question


def _of_fixed(difference: Mapping[str, Any]) -> str:
    """Return the text of a difference at a feature that cannot change: ``…; it is 31 here, and cannot change``."""
    text = difference["text"]
    return f"{text}, and cannot change" if text.endswith(" here") else f"{text}; it cannot change"


def _value_here(reason: Mapping[str, Any], phrases: ColumnPhrases | None) -> str:
    """Return the row's own value as a sentence: ``it is 31,000``, or ``it has no account``."""
    words, value = _words_of(reason, phrases), reason["value"]
    if phrases is not None and phrases.is_boolean and value is not None:
        point = Interval(float(value), float(value), low_inclusive=True)
        sentence = phrases.sentence(point)
        if sentence is not None:
            return f"it {sentence.removeprefix(words.name).strip()}"
    subject = "it" if reason["text"].startswith(f"{words.name} ") else words.name
    if isinstance(phrases, NumberPhrases) and isinstance(value, int | float):
        return f"{subject} is {phrases.value_text(value)}"
    return f"{subject} is {_value_text(value, words)}"


def _words_of(reason: Mapping[str, Any], phrases: ColumnPhrases | None) -> ColumnWords:
    words = None if phrases is None else phrases.words
    return ColumnWords(reason["feature"]) if words is None else words


def _value_text(value: Any, words: ColumnWords) -> str:  # a cell
    """Return a value as in conditions, where texts that read like parts of these are quoted."""
    if isinstance(value, str):
        return wording.category_text(words.labels.get(value, value))
    return words.value(value)
