"""Contrasts: the nearest prototypes of other classes, and what would have to differ for trees to go with them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.prototype_sets.feature_reasons import TRANSFORMED
from tree_explainers.prototype_sets.partings import parting_reasons
from tree_explainers.wording import ColumnPhrases, Interval

from .reason_texts import Compared, ReasonTexts
from .warm_explainer import WarmExplainer

_INFINITIVES = {"has": "have", "is": "be"}


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
    with_intervals: bool  # what would have to hold in numbers, too


def contrasts(warm: WarmExplainer, row: ContrastedRow, limits: ContrastLimits) -> list[dict[str, Any]]:
    """Return the nearest prototype of each of the nearest classes other than the predicted one, nearest first.

    What would have to differ is absent where the explainer has no paths to leaves.
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
    found = write_differences(warm.reason_texts, reasons, compared, limits)
    return [{**entry, "differences": differences} for entry, differences in zip(entries, found, strict=True)]


def write_differences(
    texts: ReasonTexts, reasons: NDArray[Any], compared: Compared, limits: ContrastLimits
) -> list[list[dict[str, Any]]]:
    """Return what would have to differ for trees to go with each of some rows where they part a row from it.

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
        Entries as those of reasons are; the features at which most trees part the two come first.
    """
    found = texts.write(reasons, compared, limits.n_differences, with_intervals=limits.with_intervals)
    for entries in found:
        for entry in entries:
            entry["text"] = difference_text(entry, texts.phrases_of(entry["feature"]))
    return found


def difference_text(reason: Mapping[str, Any], phrases: ColumnPhrases | None = None) -> str:
    """Return what would have to hold instead: ``income is 31,000 here and would have to be above 45,000``.

    The row's own value is left out where the feature is not a raw one. A boolean column says what holds here instead.
    """
    if phrases is not None:
        return _difference_in_words(reason, phrases)
    subject = reason["feature"] + (TRANSFORMED if "value" not in reason else "")
    predicate = reason["text"].removeprefix(f"{subject} is ")
    here = f"is {_value_text(reason['value'])} here and " if "value" in reason else ""
    return f"{subject} {here}would have to be {predicate}"


def _difference_in_words(reason: Mapping[str, Any], phrases: ColumnPhrases) -> str:
    feature, text, value = reason["feature"], reason["text"], reason.get("value")
    point = (
        None if value is None or not phrases.is_boolean else Interval(float(value), float(value), low_inclusive=True)
    )
    here = (None if point is None else phrases.sentence(point)) or f"{feature} is {_value_text(value)}"
    infinitive = text.removeprefix(f"{feature} is ")
    if infinitive != text:
        return f"{here} here and would have to be {infinitive}"
    verb, _, rest = text.partition(" ")
    if verb in _INFINITIVES and here.partition(" ")[0] in _INFINITIVES:
        return f"{here} here and would have to {_INFINITIVES[verb]} {rest}"
    return f"{here} here, and needed is: {text}"


def _value_text(value: Any) -> str:  # noqa: ANN401  # a cell
    if value is None:
        return wording.MISSING
    if isinstance(value, str):
        return wording.category_text(value)
    return str(value).lower() if isinstance(value, bool) else wording.number_text(wording.short(value))
