import numpy as np
import pytest

from tests.support import naive, naive_prototype_bounds
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, RealLeaves, real_leaves
from tree_explainers.leaves import LeafTable, ProximityKind
from tree_explainers.prototypes.certificate import certify
from tree_explainers.prototypes.selection import Method, select_prototypes

METHODS: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "a_pete", "sg")


def a_few(real: RealLeaves, seed: int, n_rows: int) -> tuple[LeafTable, np.ndarray, np.ndarray]:
    """Some rows of a real dataset in its real ensemble, with 1 to 3 classes among them."""
    rng = np.random.default_rng(seed)
    rows = rng.choice(len(real.leaves), n_rows, replace=seed % 4 == 0)  # sometimes with rows twice
    classes = real.classes("target")[rows] % (1 + seed % 3)
    return real.table.among(rows), classes, real.leaves[rows]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.parametrize("method", METHODS)
def test_no_set_of_as_many_prototypes_exceeds_the_bound(method: Method, dataset: str, kind: ProximityKind) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    for seed in range(12):
        table, classes, leaves = a_few(real, seed, 14)
        if method == "sg" and len(np.unique(classes)) == 1:
            continue
        k = 1 + seed % 4
        selection = select_prototypes(table, classes, real.weights, method, n_prototypes=k)
        proximity = naive.proximity_matrix(leaves, real.weights)

        certificate = certify(table, classes, real.weights, selection.rows, method=method, is_greedy=True)

        best = naive_prototype_bounds.best_value(proximity, classes, selection.rows.tolist(), method)
        near = naive_prototype_bounds.near_matrix(proximity, classes, method)
        assert certificate.objective == naive_prototype_bounds.value(near, selection.rows.tolist())
        assert certificate.objective <= best <= certificate.upper_bound
        assert certificate.upper_bound <= naive_prototype_bounds.plain_bound(
            proximity, classes, selection.rows.tolist(), method
        )
        assert 0 < certificate.certificate <= 1
