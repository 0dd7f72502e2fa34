"""Contrasts: the nearest prototypes of other classes, and what would have to differ for trees to go with them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers import wording
from tree_explainers.prototype_sets.feature_reasons import TRANSFORMED, FeatureReason
from tree_explainers.prototype_sets.leaf_paths import LeafPaths
from tree_explainers.prototype_sets.partings import parting_reasons
from tree_explainers.prototype_sets.readable import ReasonReader

_LONGEST_VALUE = 60  # characters of a category that the caller sent


@dataclass(frozen=True, slots=True)
class Differences:
    """Writes what would have to differ for trees to go with another row where they part a row from it."""

    paths: LeafPaths
    weights: NDArray[np.integer[Any]]  # (n_trees,) what each tree counts
    reader: ReasonReader
    feature_indices: dict[str, int]  # of the model's features, by name
    shown: frozenset[str] | None  # features that callers may see; None: all of them, and transformed columns

    def of(
        self,
        row: tuple[NDArray[np.int32], Sequence[Any]],
        others: Sequence[tuple[NDArray[np.int32], Sequence[Any]]],
        n_features: int | None,
    ) -> list[list[dict[str, Any]]]:
        """Return the differences between a row and each of some others.

        Parameters
        ----------
        row, others
            Leaves, (n_trees,) int32, and values as callers send them, in the order of the features.
        n_features
            How many features to write at most for each of the others; ``None``: all.

        Returns
        -------
        list of len(others) lists
            ``feature``, ``text``, ``value``, ``prototype_value`` and ``share_of_trees``; the features at which most
            trees part the two first (by weight; ties: order of the model's columns). Both values are absent where the
            feature is not a raw one.
        """
        leaves = np.array([other_leaves for other_leaves, _ in others], dtype=np.int32)
        reasons = parting_reasons(self.paths, row[0], leaves, self.weights)
        return [
            [self._difference(reason, row[1], values) for reason in features if self._is_shown(reason)][:n_features]
            for features, (_, values) in zip(self.reader.read(reasons, len(others)), others, strict=True)
        ]

    def _is_shown(self, reason: FeatureReason) -> bool:
        return self.shown is None or (reason["feature"] in self.shown and not reason["transformed"])

    def _difference(self, reason: FeatureReason, values: Sequence[Any], others: Sequence[Any]) -> dict[str, Any]:
        name, share = reason["feature"], reason["share_of_trees"]
        index = None if reason["transformed"] else self.feature_indices.get(name)
        if index is None:
            return {"feature": name, "text": difference_text(reason), "share_of_trees": share}
        return {
            "feature": name,
            "text": difference_text(reason, _value_text(values[index])),
            "value": values[index],
            "prototype_value": others[index],
            "share_of_trees": share,
        }


def difference_text(reason: FeatureReason, value: str | None = None) -> str:
    """Return what would have to hold instead, such as ``income is 31,000 here and would have to be above 45,000``.

    ``value`` is the row's own as a text; ``None`` leaves it out.
    """
    subject = f"{reason['feature']}{TRANSFORMED if reason['transformed'] else ''}"
    predicate = reason["text"].removeprefix(f"{subject} is ")
    return f"{subject} {'' if value is None else f'is {value} here and '}would have to be {predicate}"


def _value_text(value: Any) -> str:  # noqa: ANN401  # a cell
    if value is None:
        return wording.MISSING
    if isinstance(value, str):
        return wording.value_text(value if len(value) <= _LONGEST_VALUE else f"{value[:_LONGEST_VALUE]}…")
    return str(value).lower() if isinstance(value, bool) else wording.number_text(value)
