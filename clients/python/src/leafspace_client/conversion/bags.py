"""Bags: which rows each tree of a forest of scikit-learn was trained on, as the seeds that draw them again."""

from hashlib import sha256
from typing import Any

from .unwrapping import class_names, final_step

_MOST_TREES = 10_000
_END_OF_TREE = 2**32 - 1


def bags_of(estimator: Any) -> dict[str, Any] | None:  # an estimator
    """Return how a forest drew the rows of its trees, as it is sent; ``None`` where that is not known.

    It is known of the forests of scikit-learn that drew rows for each tree, alone or as the last step of a pipeline.
    The service checks that the rows of a dataset are those of the forest, in their order, before it draws them again.
    """
    forest = final_step(estimator)
    if "BaseForest" not in class_names(forest) or not getattr(forest, "bootstrap", False):
        return None
    trees, n_rows = forest.estimators_, getattr(forest, "_n_samples", None)
    n_drawn = getattr(forest, "_n_samples_bootstrap", None)
    seeds = [tree.random_state for tree in trees]
    if not n_rows or not n_drawn or n_drawn > n_rows or len(seeds) > _MOST_TREES or hasattr(forest, "samplers_"):
        return None
    if not _are_drawn_so(forest, seeds[0], n_rows, n_drawn):
        return None
    return {"seeds": seeds, "n_rows": n_rows, "n_drawn": n_drawn, "leaf_rows_sha256": _hash_of_leaf_rows(trees)}


def _are_drawn_so(forest: Any, seed: Any, n_rows: int, n_drawn: int) -> bool:  # a forest
    """Whether the forest's own library draws the rows of its first tree as the service does."""
    import numpy as np  # an extra

    if not isinstance(seed, int) or not hasattr(type(forest), "estimators_samples_"):
        return False
    first = next(iter(forest._get_estimators_indices()))  # noqa: SLF001  # the property draws those of all trees
    return np.array_equal(first, np.random.RandomState(seed).randint(0, n_rows, n_drawn, np.int64))


def _hash_of_leaf_rows(trees: Any) -> str:  # fitted trees
    """Return the SHA-256 of how many rows of its bag lie in each leaf of each tree, as the service counts them."""
    import numpy as np  # an extra

    digest = sha256()
    for tree in (each.tree_ for each in trees):
        ascending = np.sort(tree.n_node_samples[tree.children_left < 0])
        digest.update(np.append(ascending, _END_OF_TREE).astype("<u4").tobytes())
    return digest.hexdigest()
