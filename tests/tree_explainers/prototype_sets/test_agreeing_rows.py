"""Of rows that would do equally well, those whose own label is what the model predicts are chosen: it costs nothing."""

import numpy as np
import pytest

from tests.support import naive
from tests.support.real_leaves import real_leaves
from tree_explainers.leaf_space.leaves import LeafTable
from tree_explainers.prototype_sets.goal import Method
from tree_explainers.prototype_sets.selection import PrototypeSelection, select_prototypes

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete", "k_medoids")
_N = 7


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("method", METHODS)
def test_each_method_chooses_as_its_twin_does_where_many_rows_are_equal(method: Method, seed: int) -> None:
    rng = np.random.default_rng(seed)
    leaves = rng.integers(0, 3, (70, 3)).astype(np.int32)  # many rows are alike
    classes, agrees, weights = rng.integers(0, 3, 70), rng.random(70) < 0.5, np.ones(3, np.int64)
    table, proximity = LeafTable.from_leaves(leaves, np.full(3, 3)), naive.proximity_matrix(leaves, weights)
    candidates = np.sort(rng.choice(70, 50, replace=False))

    found = select_prototypes(
        table, classes, weights, method, n_prototypes=_N, alpha=0, candidates=candidates, agrees=agrees
    )

    size = 0 if method == "a_pete" else _N
    assert found.rows.tolist() == naive.SELECTIONS[method](proximity, classes, size, candidates.tolist(), agrees)


@pytest.mark.parametrize("refine", ["none", "swap"])
@pytest.mark.parametrize("method", [method for method in METHODS if method != "sg"])
def test_no_prototype_has_a_twin_that_agrees_where_it_does_not(method: Method, refine: str) -> None:
    chosen, plain, agrees, twins = _with_twins(method, refine)

    assert chosen.objectives.tolist() == plain.objectives.tolist()  # nothing is lost
    assert chosen.n_swaps == plain.n_swaps
    assert agrees[plain.rows].mean() < agrees[chosen.rows].mean() == 1
    assert all(row in {other, twins[other]} for row, other in zip(chosen.rows, plain.rows, strict=True))


def _with_twins(
    method: Method, refine: str
) -> tuple[PrototypeSelection, PrototypeSelection, np.ndarray, dict[int, int]]:
    """Return what is chosen with and without agreement among rows each of which has a twin that agrees instead.

    Trees count differently, so that only twins gain alike: of other equals, the first one decides what is chosen later.
    """
    real = real_leaves("spambase", "random_forest")
    leaves, n = real.leaves[:150], 150
    classes = np.tile(real.classes("predicted")[:150], 2)
    table = LeafTable.from_leaves(np.vstack([leaves, leaves]), np.diff(real.table.offsets))
    weights = np.random.default_rng(1).integers(2**20, 2**21, table.n_trees)
    agrees = np.concatenate([np.arange(n) % 2 == 0, np.arange(n) % 2 == 1])
    settings = {"n_prototypes": _N, "refine": refine}
    plain, chosen = (
        select_prototypes(table, classes, weights, method, agrees=each, **settings)  # type: ignore[arg-type]
        for each in (None, agrees)
    )
    return chosen, plain, agrees, {row: (row + n) % (2 * n) for row in range(2 * n)}
