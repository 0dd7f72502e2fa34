"""SearchRows: training rows as the search for rules reads them, feature by feature in the order of their values."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..questions.binned_rows import BinnedRows


class SearchRows(NamedTuple):
    """The distinct bins of each feature that some row is in, called groups, and the rows of each.

    The groups of all features are laid one after the other; those of feature ``d`` are ``group_starts[d]`` to
    ``group_starts[d + 1]``, ascending by bin, so that of missing values, if some row has one, comes last. Arrays alone:
    compiled loops read this.
    """

    groups: NDArray[np.int64]  # (n_features, n_rows) group of each row, counted within the feature
    order: NDArray[np.int32]  # (n_features, n_rows) rows by group; ties: the lower row first
    group_starts: NDArray[np.int64]  # (n_features + 1,)
    row_starts: NDArray[np.int64]  # (n_groups + n_features,) where each group's rows begin in ``order``, and an end
    has_missing: NDArray[np.bool_]  # (n_features,) the last group is that of missing values
    is_number: NDArray[np.bool_]  # (n_features,)
    bins: NDArray[np.int64]  # (n_groups,) the bin of each group

    @property
    def n_features(self) -> int:
        """Number of features that trees ask about."""
        return len(self.groups)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.groups.shape[1])

    def slice_of(self, feature: int) -> slice:
        """Return where the feature's groups are among all."""
        return slice(self.group_starts[feature], self.group_starts[feature + 1])


def search_rows(binned: BinnedRows) -> SearchRows:
    """Return the rows, grouped and sorted by each feature."""
    features = binned.statements.features
    found = [np.unique(own, return_inverse=True) for own in binned.bins]
    groups = np.array([inverse for _, inverse in found], dtype=np.int64).reshape(binned.bins.shape)
    sizes = [np.bincount(own, minlength=len(bins)) for (bins, _), own in zip(found, groups, strict=True)]
    return SearchRows(
        groups=groups,
        order=np.argsort(groups, axis=1, kind="stable").astype(np.int32),
        group_starts=np.cumsum([0, *map(len, sizes)], dtype=np.int64),
        row_starts=_concatenated([np.cumsum([0, *each]) for each in sizes]),
        has_missing=np.array(
            [feature.missing_bin in bins[-1:] for feature, (bins, _) in zip(features, found, strict=True)], np.bool_
        ),
        is_number=np.array([feature.is_number for feature in features], dtype=np.bool_),
        bins=_concatenated([bins for bins, _ in found]),
    )


def _concatenated(parts: list[NDArray[np.integer]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *parts]).astype(np.int64)
