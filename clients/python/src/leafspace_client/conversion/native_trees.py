"""Native trees: what a fitted model of a library consists of, read from the library's own document.

Trees, what is added to their sums, the link, the labels, and the codes of the categories that the trees test.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from ..errors import CannotConvert
from ..rows import plain_cell
from .double_precision import Nodes
from .tree_operators import MODES, TreeArrays

Category = float | str
LEQ, LT, GTE, GT, EQ, MEMBER = (MODES[f"BRANCH_{name}".encode()] for name in ("LEQ", "LT", "GTE", "GT", "EQ", "MEMBER"))
_LEAF = 255
MISSING_TEXTS = ("", "nan", "None", "NaN", "<NA>", "null")  # one that is no category represents a missing value
UNKNOWN = -1.0  # a code that is in no set
Operation = Callable[[Nodes, str], str]  # adds what makes one tensor of another


@dataclass(frozen=True, slots=True)
class Coding:
    """Which raw category of a column has which code in the trees."""

    codes: Mapping[Category, float]  # texts or numbers, not both; NaN: as a missing one
    unknown: float = UNKNOWN  # code of all others; NaN: as a missing one
    missing: float = nan

    @property
    def is_text(self) -> bool:
        """Whether the raw categories are texts."""
        return any(isinstance(category, str) for category in self.codes)


@dataclass(frozen=True, slots=True)
class TreeNode:
    """A node of one tree; children are positions in the list of its nodes, the root is the first."""

    left: int = -1  # where the test holds; -1 at a leaf
    right: int = -1
    feature: int = 0
    mode: int = LEQ
    threshold: float = 0.0
    members: tuple[int, ...] = ()  # with MEMBER
    missing_left: bool = False
    values: Mapping[int, float] = field(default_factory=dict)  # by output, of a leaf


@dataclass(frozen=True, slots=True)
class NativeTrees:
    """A fitted model as the library predicts with it.

    Where a classifier's trees have one output, the link gives the score of the second class. Leaves that hold linear
    models have, for each output, a constant and a coefficient of each column.
    """

    trees: TreeArrays
    labels: Any  # (n_classes,); None for regression
    is_single: bool  # the trees round numbers to single precision before they compare them
    link: Operation | None = None  # adds what makes scores, or values, of sums; None: the sums are these
    base: Any = 0.0  # (n_outputs,) float64 or one number, added to the sums of the trees
    divisor: float | None = None  # of the sums, before the base is added; None: they are not divided
    codings: Mapping[int, Coding] = field(default_factory=dict)  # by column
    missing: Operation | None = None  # adds what makes NaN of the numbers that the library takes for missing
    cut_off: float | None = None  # the second class is predicted above this score of it; None: the highest score's is
    n_coefficients: int = 0  # of the linear model of a leaf, as many as the trees read columns; 0: leaves hold numbers

    @property
    def n_outputs(self) -> int:
        """The number of sums of a row."""
        return int(self.trees.values.shape[1]) // (1 + self.n_coefficients)


def arrays_of_nodes(trees: Sequence[Sequence[TreeNode]], n_outputs: int) -> TreeArrays:
    """Return trees, node by node, as arrays; where there is none, a tree that adds nothing."""
    trees = trees or [[TreeNode()]]
    starts = np.cumsum([0, *map(len, trees)])
    nodes = [each for tree in trees for each in tree]
    of_tree = np.repeat(starts[:-1], np.diff(starts))
    own = np.arange(len(nodes))
    is_leaf = np.array([each.left < 0 for each in nodes])
    sets = [each.members for each in nodes if each.left >= 0 and each.mode == MEMBER]
    mode = np.where(is_leaf, _LEAF, [each.mode for each in nodes]).astype(np.uint8)
    threshold = np.where(is_leaf, 0, [each.threshold for each in nodes]).astype(np.float64)
    threshold[mode == MEMBER] = np.arange(len(sets))
    values = np.zeros((len(nodes), n_outputs))
    for at, node in enumerate(nodes):
        for output, value in node.values.items():
            values[at, output] = value
    return TreeArrays(
        roots=starts[:-1],
        feature=np.where(is_leaf, 0, [each.feature for each in nodes]),
        threshold=threshold,
        mode=mode,
        left=np.where(is_leaf, own, [each.left for each in nodes] + of_tree),
        right=np.where(is_leaf, own, [each.right for each in nodes] + of_tree),
        missing_left=np.array([each.missing_left for each in nodes]) & ~is_leaf,
        values=values,
        members=tuple(np.array(each, np.float64) for each in sets),
    )


def own_codes(trees: TreeArrays) -> dict[int, Coding]:
    """Return the coding of columns that hold codes themselves: each number in a set is its own code."""
    numbers: dict[int, set[float]] = {}
    for at in np.flatnonzero(trees.mode == MEMBER).tolist():
        numbers.setdefault(int(trees.feature[at]), set()).update(trees.members[int(trees.threshold[at])].tolist())
    return {column: Coding({number: number for number in sorted(known)}) for column, known in numbers.items()}


def raw_category(value: Any, column: str) -> Category:  # whatever is a category
    """Return a category as rows have it: a text or a number; booleans are 0 and 1.

    Raises
    ------
    CannotConvert
        For a category of another type.
    """
    cell = plain_cell(value, f"category {value!r} of {column!r}")
    if cell is None:
        raise CannotConvert("cannot_convert", f"column {column!r} has a missing value among its categories")
    return cell if isinstance(cell, str) else float(cell)


def checked_coding(coding: Coding, column: str) -> Coding:
    """Return a coding; refuse one of texts and numbers together, which no column of rows can hold."""
    if coding.is_text and not all(isinstance(category, str) for category in coding.codes):
        detail = f"the categories of {column!r} are texts and numbers; make them all texts before you fit the model"
        raise CannotConvert("cannot_convert", detail)
    return coding


def as_missing(nodes: Nodes, tensor: str, is_missing: str) -> str:
    """Add what makes NaN of numbers, and return the tensor; NaN is a logarithm, as constants have to be finite."""
    return nodes.add("Where", [is_missing, nodes.add("Log", [nodes.constant(-1.0)]), tensor])
