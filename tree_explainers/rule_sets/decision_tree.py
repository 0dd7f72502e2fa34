"""A small tree on the training rows themselves, as rules: one for each leaf. The baseline that knows no ensemble."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..onnx_models.description import ModelDescription
from ..prediction_scores import Targets
from ..questions.binned_rows import BinnedRows
from ..questions.statements import FeatureStatements, Statements
from ..rows import Rows
from .row_parts import RowParts
from .rule_counts import fit_rule_list
from .rule_lists import Box, RuleList

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


class RawSplit(NamedTuple):
    """A split of raw rows: numbers up to a threshold, or one category, go left, and missing values or not."""

    column: str
    threshold: float | None  # ``None``: by category
    category: str | None
    missing_left: bool


class TreeRules(NamedTuple):
    """The leaves of a tree as rules, and the training rows in the bins of its splits."""

    rules: RuleList
    binned: BinnedRows


def tree_rules(rows: Rows, targets: Targets, description: ModelDescription, max_depth: int = 2) -> TreeRules:
    """Grow CART down to a depth, and return its leaves from left to right.

    Each split has the least impurity, of all thresholds halfway between neighbouring values and of all single
    categories: Gini's index for classes, the squared error for values. Missing values go to the side that they suit
    better (ties: left). Ties between splits go to the first column and the least threshold. Where no training row
    misses a feature, missing values get the default: the commonest class, or the mean, of all rows.

    Parameters
    ----------
    rows
        The model's features, of the training rows.
    targets
        Of the same rows.
    description
        Of the model's features.
    max_depth
        2 in the paper.

    References
    ----------
    Hara, Hayashi (2018), section 7: DTree2.
    """
    pairs = zip(description.feature_names, description.missing_tokens, strict=True)
    table = _Table.of(rows, targets, {name: token for name, token in pairs if token is not None})
    leaves: list[tuple[tuple[RawSplit, bool], ...]] = []
    waiting: list[tuple[tuple[tuple[RawSplit, bool], ...], NDArray[np.int64]]] = [((), np.arange(len(rows)))]
    while waiting:
        path, at_node = waiting.pop()
        split = table.best_split(at_node) if len(path) < max_depth else None
        if split is None:
            leaves.append(path)
            continue
        values, missing = (each[at_node] for each in table.columns[split.column])
        with np.errstate(invalid="ignore"):
            left = values == split.category if split.threshold is None else values <= split.threshold
        left = np.where(missing, split.missing_left, left)
        waiting += [((*path, (split, False)), at_node[~left]), ((*path, (split, True)), at_node[left])]
    statements = _statements({split for path in leaves for split, _ in path}, description)
    binned = BinnedRows.of(statements, rows)
    boxes = [_box(path, statements) for path in leaves]
    return TreeRules(fit_rule_list(boxes, RowParts.here(binned, targets)), binned)


@dataclass(frozen=True, slots=True)
class _Table:
    """Columns with their missing values, and the targets as numbers whose sums determine the impurity."""

    columns: Mapping[str, tuple[NDArray[Any], Flags]]  # by name: values, and which are missing
    totals: Floats  # (n_rows, n_classes) one-hot, or (n_rows, 1) values less their mean

    @classmethod
    def of(cls, rows: Rows, targets: Targets, missing_texts: Mapping[str, str]) -> "_Table":
        columns = {}
        for name, values in zip(rows.names, rows.columns, strict=True):
            is_text = values.dtype == object
            texts: list[Any] = [None, missing_texts.get(name)]
            missing = np.isin(values, texts) if is_text else np.isnan(values)
            columns[name] = (values, missing)
        if targets.values is not None:
            return cls(columns, (targets.values - targets.values.mean())[:, None])
        return cls(columns, np.eye(targets.n_classes)[targets.classes])

    def best_split(self, rows: NDArray[np.int64]) -> RawSplit | None:
        """Return the split of some rows whose sides are purest; ``None`` where they are pure or all alike."""
        if (self.totals[rows] == self.totals[rows[0]]).all():
            return None
        best, best_purity = None, -np.inf
        for name, (values, missing) in self.columns.items():
            absent = missing[rows]
            without = _Side(self.totals[rows[absent]].sum(axis=0), int(absent.sum()))
            present = values[rows[~absent]]
            for purity, split in self._splits(name, present, rows[~absent], without):
                if purity > best_purity * (1 + np.sign(best_purity) * 1e-12):
                    best, best_purity = split, purity
        return best

    def _splits(
        self, name: str, present: NDArray[Any], rows: NDArray[np.int64], without: "_Side"
    ) -> list[tuple[float, RawSplit]]:
        """Return the best split of a column, with its purity, for missing values on each side."""
        if not len(present):
            return []
        if present.dtype == object:
            distinct, positions = _by_text(present)
            sums, counts = self._sums(positions, rows), np.bincount(positions)
        else:
            distinct, positions = np.unique(present, return_inverse=True)
            sums = np.cumsum(self._sums(positions, rows), axis=0)
            counts = np.cumsum(np.bincount(positions))
            if not without.n_rows:
                distinct, sums, counts = distinct[:-1], sums[:-1], counts[:-1]
        whole = self.totals[rows].sum(axis=0)
        splits = []
        for missing_left in (True, False) if without.n_rows else (False,):
            left, n_left = sums + without.total * missing_left, counts + without.n_rows * missing_left
            right, n_right = whole + without.total - left, len(rows) + without.n_rows - n_left
            purities = _purities(left, n_left) + _purities(right, n_right)
            purities[(n_left == 0) | (n_right == 0)] = -np.inf
            if len(purities) and purities.max() > -np.inf:
                at = int(purities.argmax())
                splits.append((float(purities[at]), _split_at(name, present, distinct, at, missing_left=missing_left)))
        return splits

    def _sums(self, positions: NDArray[np.int64], rows: NDArray[np.int64]) -> Floats:
        columns = self.totals[rows].T
        return np.array([np.bincount(positions, weights=each) for each in columns]).T


def _by_text(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the distinct texts in order, and which of them each value is; no array is as wide as its longest text."""
    texts = list(map(str, values))
    distinct = sorted(set(texts))
    positions = {text: index for index, text in enumerate(distinct)}
    return np.array(distinct, dtype=object), np.fromiter(map(positions.__getitem__, texts), np.int64, len(texts))


class _Side(NamedTuple):
    total: Floats
    n_rows: int


def _purities(sums: Floats, counts: NDArray[np.int64]) -> Floats:
    """Return the squared sums over the counts: the greater, the purer."""
    purities: Floats = (sums**2).sum(axis=1) / np.maximum(counts, 1)
    return purities


def _split_at(name: str, present: NDArray[Any], distinct: NDArray[Any], at: int, *, missing_left: bool) -> RawSplit:
    if present.dtype == object:
        return RawSplit(name, None, str(distinct[at]), missing_left)
    above = present[present > distinct[at]]
    threshold = np.inf if not len(above) else float(distinct[at] / 2 + above.min() / 2)
    return RawSplit(name, threshold, None, missing_left)


def _statements(splits: set[RawSplit], description: ModelDescription) -> Statements:
    """Return the statements that the splits make about raw features, which are compared in double precision."""
    features = []
    for index, name in enumerate(description.feature_names):
        of_column = sorted((split for split in splits if split.column == name), key=lambda each: each[1:3])
        if of_column:
            features.append(_feature_statements(name, index, of_column, description))
    return Statements(tuple(features), np.float64)


def _feature_statements(
    name: str, index: int, splits: list[RawSplit], description: ModelDescription
) -> FeatureStatements:
    if splits[0].threshold is None:
        categories = tuple(dict.fromkeys(str(split.category) for split in splits))
        answers = np.hstack([np.eye(len(categories), dtype=np.bool_), np.zeros((len(categories), 2), np.bool_)])
        token = description.missing_tokens[index]
        return FeatureStatements(
            name, index, np.empty(0), np.empty(0, np.bool_), categories, answers, missing_token=token
        )
    cuts = np.unique([split.threshold for split in splits if split.threshold is not None])
    groups = (column for column in description.columns if column.raw_index == index)
    group = next(((each.name, each.category) for each in groups if isinstance(each.category, str)), None)
    return FeatureStatements(name, index, cuts, np.zeros(len(cuts), np.bool_), one_hot_category=group)


def _box(path: tuple[tuple[RawSplit, bool], ...], statements: Statements) -> Box:
    positions = {feature.name: index for index, feature in enumerate(statements.features)}
    admitted: dict[int, Flags] = {}
    for split, is_left in path:
        index = positions[split.column]
        feature = statements.features[index]
        if split.threshold is None:
            left = np.arange(feature.n_bins) == feature.categories.index(str(split.category))
        else:
            left = np.arange(feature.n_bins) <= np.searchsorted(feature.cuts, split.threshold)
        left[-1] = split.missing_left
        side = left == is_left
        admitted[index] = admitted[index] & side if index in admitted else side
    restricted = sorted(index for index, bins in admitted.items() if not bins.all())
    return Box(tuple(restricted), tuple(admitted[index] for index in restricted))
