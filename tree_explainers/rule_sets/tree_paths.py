"""The shallow parts of an ensemble's trees: their distinct splits in bins, and the paths down to their nodes."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..ensemble import Operator, TreeEnsemble
from ..onnx_models.description import ModelDescription
from ..questions.binned_rows import BinnedRows
from ..questions.node_conditions import NodeConditions, node_conditions
from ..questions.statements import Statements
from .rule_lists import Box

Flags = NDArray[np.bool_]
Side = tuple[int, bool]  # of a split: its index, and whether the rows that go left are meant
Path = tuple[Side, ...]  # from the root down


@dataclass(frozen=True, slots=True)
class TreeSplit:
    """A distinct split: the bins of one feature that go left, the missing value's among them or not."""

    feature: int  # among the statements' features
    goes_left: Flags  # (n_bins,)


@dataclass(frozen=True, slots=True)
class TreePaths:
    """The distinct splits above some depth of an ensemble's trees, and the trees as references to them."""

    ensemble: TreeEnsemble
    statements: Statements
    splits: tuple[TreeSplit, ...]
    split_of: Mapping[int, int]  # by inner node: its index among the splits

    @classmethod
    def of(
        cls,
        ensemble: TreeEnsemble,
        description: ModelDescription,
        statements: Statements,
        max_depth: int,
        n_trees: int | None = None,
    ) -> "TreePaths":
        """Return the splits of all nodes that are nearer to the root than ``max_depth``.

        Parameters
        ----------
        ensemble, description, statements
            The model's trees, columns and statements.
        max_depth
            Number of splits on the longest path.
        n_trees
            Trees to read, from the first; by default all.

        Raises
        ------
        MethodNotApplicable
            Where a tree tests a column that cannot be mapped back to a raw feature.
        """
        shown = ensemble if n_trees is None else ensemble.trees(0, min(n_trees, ensemble.n_trees))
        conditions = node_conditions(shown, description, statements)
        rows_of_split: dict[tuple[int, bytes], int] = {}
        splits: list[TreeSplit] = []
        split_of: dict[int, int] = {}
        for node in _inner_nodes(shown, max_depth):
            split = _split_in_bins(conditions, statements, node)
            key = (split.feature, split.goes_left.tobytes())
            if key not in rows_of_split:
                rows_of_split[key] = len(splits)
                splits.append(split)
            split_of[node] = rows_of_split[key]
        return cls(shown, statements, tuple(splits), split_of)

    def rules(self) -> Iterator[Path]:
        """Yield the paths to the leaves, and to the nodes at the greatest depth, each tree from left to right."""
        for path, node in self._visited():
            if node not in self.split_of and path:
                yield path

    def nodes(self) -> Iterator[Path]:
        """Yield the paths to all nodes but the roots, each tree from the top, left before right."""
        for path, _ in self._visited():
            if path:
                yield path

    def _visited(self) -> Iterator[tuple[Path, int]]:
        for root in self.ensemble.offsets[:-1].tolist():
            waiting: list[tuple[Path, int]] = [((), root)]
            while waiting:
                path, node = waiting.pop()
                yield path, node
                split = self.split_of.get(node)
                if split is not None:
                    waiting.append(((*path, (split, False)), int(self.ensemble.right[node])))
                    waiting.append(((*path, (split, True)), int(self.ensemble.left[node])))

    def box(self, path: Path) -> Box:
        """Return the box of rows that follow a path, or fulfil some of its conditions."""
        admitted: dict[int, Flags] = {}
        for index, is_left in path:
            split = self.splits[index]
            side = split.goes_left if is_left else ~split.goes_left
            admitted[split.feature] = admitted[split.feature] & side if split.feature in admitted else side
        restricted = sorted(feature for feature, bins in admitted.items() if not bins.all())
        return Box(tuple(restricted), tuple(admitted[feature] for feature in restricted))

    def left_rows(self, binned: BinnedRows) -> NDArray[np.uint64]:
        """Return for each split the rows that go left, 64 to a word, (n_splits, n_words); see ``packed``."""
        rows = np.zeros((len(self.splits), n_words(binned.n_rows)), np.uint64)
        for bits, split in zip(rows, self.splits, strict=True):
            bits[:] = packed(split.goes_left[binned.bins[split.feature]])
        return rows


def n_words(n_rows: int) -> int:
    """Return the number of words that hold a bit for each row."""
    return -(-n_rows // 64)


def packed(flags: Flags) -> NDArray[np.uint64]:
    """Return flags (n_rows,) as bits, 64 to a word, (n_words,); bits beyond the last row are 0."""
    n_bytes = 8 * n_words(len(flags))
    bytes_ = np.zeros(n_bytes, np.uint8)
    bits = np.packbits(flags, bitorder="little")
    bytes_[: len(bits)] = bits
    return bytes_.view(np.uint64)


def unpacked(words: NDArray[np.uint64], n_rows: int) -> Flags:
    """Return the flags that ``packed`` packed, (…, n_rows)."""
    flags: Flags = np.unpackbits(words.view(np.uint8), axis=-1, count=n_rows, bitorder="little").astype(np.bool_)
    return flags


def _inner_nodes(ensemble: TreeEnsemble, max_depth: int) -> Iterator[int]:
    """Yield the inner nodes nearer to their root than ``max_depth``, level by level."""
    level = ensemble.offsets[:-1].astype(np.int64)
    for _ in range(max_depth):
        level = level[ensemble.operator[level] != Operator.LEAF]
        yield from level.tolist()
        level = np.concatenate([ensemble.left[level], ensemble.right[level]]).astype(np.int64)


def _split_in_bins(conditions: NodeConditions, statements: Statements, node: int) -> TreeSplit:
    feature, cut = int(conditions.feature[node]), int(conditions.cut[node])
    n_bins = statements.features[feature].n_bins
    if cut < 0:
        return TreeSplit(feature, conditions.goes_left[-1 - cut : -1 - cut + n_bins])
    goes_left: Flags = (np.arange(n_bins) < cut) == bool(conditions.low_left[node])
    goes_left[-1] = conditions.missing_left[node]
    return TreeSplit(feature, goes_left)
