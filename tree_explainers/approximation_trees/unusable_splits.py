"""Unusable splits: those that a caller allows, and that part too few training rows to be candidates anywhere."""

from collections.abc import Mapping

from ..questions.conditions import Condition
from ..rows import Rows
from .candidate_splits import FeatureCandidates, GivenSplits, candidates_of


def unusable_splits(
    rows: Rows, missing_texts: Mapping[str, str], min_samples_leaf: int, given: Mapping[str, GivenSplits]
) -> list[Condition | str]:
    """Return the given splits that leave fewer than ``min_samples_leaf`` training rows on one side, or no number there.

    What has too few rows at the root has too few at every node. A column that is given without splits of its own is
    returned by its name, if it has no candidate.

    Parameters
    ----------
    rows
        All training rows.
    missing_texts
        By column: a text that represents a missing category.
    min_samples_leaf
        At least 1.
    given
        The caller's own splits by column.
    """
    features = {each.name: each for each in candidates_of(rows, missing_texts, min_samples_leaf, given=given).features}
    unusable: list[Condition | str] = []
    for name, splits in given.items():
        if splits.are_free:
            unusable += [] if name in features else [name]
            continue
        usable = _usable(features[name]) if name in features else set()
        unusable += [each for each in _conditions(name, splits) if (each.operator, each.value) not in usable]
    return unusable


def _usable(feature: FeatureCandidates) -> set[tuple[str, object]]:
    """Return operator and value of each candidate of a column."""
    conditions = map(feature.condition, range(feature.n_candidates))
    return {(condition.operator, condition.value) for condition in conditions}


def _conditions(name: str, splits: GivenSplits) -> list[Condition]:
    """Return the splits of a column as conditions."""
    return [
        *(Condition(name, name, "<=", float(threshold), or_missing=False) for threshold in splits.thresholds),
        *(Condition(name, name, "is", category, or_missing=False) for category in splits.categories),
        *([Condition(name, name, "is missing", None, or_missing=False)] if splits.missing else ()),
    ]
