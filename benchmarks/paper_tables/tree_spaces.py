"""The output of a fitted ensemble for the rows of a split: leaves, tree weights and predictions; kept on disk.

Leaves are those of the estimator's own ``apply``. The service takes its leaves from onnxruntime; for scikit-learn's
ensembles the two are equal for every row and tree, as tests of ``tree_explainers/onnx_models`` show.
"""

import functools
import hashlib
import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tree_explainers.leaf_space.leaves import LeafTable, ProximityKind, tree_weights

from .rows import Split


@dataclass(frozen=True)
class TreeSpace:
    """Leaves and predictions of the training, validation and test rows, in this order."""

    kind: ProximityKind
    leaves: tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]  # (n_rows, n_trees) each
    predicted: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]  # (n_rows,) each, classes
    n_leaves: NDArray[np.int64]  # (n_trees,)
    leaf_values: NDArray[np.float64]  # (n_leaves.sum(), n_outputs)
    settings: dict[str, Any]  # what tuning chose

    @functools.cached_property
    def train(self) -> LeafTable:
        """The training rows: all prototypes come from them."""
        return LeafTable.from_leaves(self.leaves[0], self.n_leaves)

    @functools.cached_property
    def valid(self) -> LeafTable:
        """The validation rows."""
        return LeafTable.from_leaves(self.leaves[1], self.n_leaves)

    @functools.cached_property
    def test(self) -> LeafTable:
        """The test rows."""
        return LeafTable.from_leaves(self.leaves[2], self.n_leaves)

    @functools.cached_property
    def weights(self) -> NDArray[np.int64]:
        """What each tree counts: definition 1 or 3 of Tan et al., the variance taken over the training rows."""
        return tree_weights(self.kind, self.train, self.leaf_values)


def kept(name: str, settings: dict[str, Any], make: Callable[[], TreeSpace]) -> TreeSpace:
    """Return what was made before under the same name, settings and versions, or make it."""
    key = json.dumps([name, settings, version("scikit-learn"), version("numpy")], sort_keys=True)
    folder = Path(tempfile.gettempdir()) / "leafspace-paper-tables"
    path = folder / f"{name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.npz"
    if path.exists():
        return _load(path)
    space = make()
    folder.mkdir(exist_ok=True)
    _save(path, space)
    return space


def leaves_within_trees(
    trees: list[Any], nodes: NDArray[Any]
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.float64]]:
    """Return leaves numbered 0, 1, … within their trees, how many each tree has, and their values.

    ``nodes`` (n_rows, n_trees) are those that ``apply`` returns.
    """
    own = [np.flatnonzero(tree.tree_.children_left < 0) for tree in trees]
    leaves = np.empty(nodes.shape, dtype=np.int32)
    for number, leaf_nodes in enumerate(own):
        leaves[:, number] = np.searchsorted(leaf_nodes, nodes[:, number])
    values = [tree.tree_.value[nodes].reshape(len(nodes), -1) for tree, nodes in zip(trees, own, strict=True)]
    return leaves, np.array([len(leaf_nodes) for leaf_nodes in own], dtype=np.int64), np.concatenate(values)


def all_features(split: Split) -> NDArray[np.float32]:
    """Return the features of training, validation and test rows, one below the other."""
    return np.concatenate([split.train.features, split.valid.features, split.test.features])


def by_part(split: Split, values: NDArray[Any]) -> tuple[Any, Any, Any]:
    """Cut what belongs to the rows of ``all_features`` into the three parts again."""
    ends = np.cumsum([len(split.train.classes), len(split.valid.classes)])
    train, valid, test = np.split(values, ends)
    return train, valid, test


def _save(path: Path, space: TreeSpace) -> None:
    arrays: dict[str, Any] = {"n_leaves": space.n_leaves, "leaf_values": space.leaf_values}
    for number in range(3):
        arrays[f"leaves_{number}"] = space.leaves[number].astype(np.uint16)  # no tree here has as many leaves
        arrays[f"predicted_{number}"] = space.predicted[number]
    assert space.n_leaves.max() <= np.iinfo(np.uint16).max
    about = np.frombuffer(json.dumps([space.kind, space.settings]).encode(), dtype=np.uint8)
    partial = path.with_suffix(".part.npz")
    np.savez(partial, about=about, **arrays)
    partial.rename(path)


def _load(path: Path) -> TreeSpace:
    with np.load(path, allow_pickle=False) as arrays:
        kind, settings = json.loads(arrays["about"].tobytes())
        leaves = tuple(arrays[f"leaves_{number}"].astype(np.int32) for number in range(3))
        predicted = tuple(arrays[f"predicted_{number}"] for number in range(3))
        return TreeSpace(kind, leaves, predicted, arrays["n_leaves"], arrays["leaf_values"], settings)
