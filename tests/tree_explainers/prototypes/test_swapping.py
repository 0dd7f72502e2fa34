import pytest

from tests.support import naive, naive_prototype_bounds
from tests.support.real_leaves import CLASSIFICATIONS, KINDS, real_leaves
from tree_explainers.leaves import ProximityKind
from tree_explainers.prototypes.candidate_pairs import gather_pairs
from tree_explainers.prototypes.selection import Method, select_prototypes
from tree_explainers.prototypes.swapping import refine_by_swaps

SWAPPABLE: tuple[Method, ...] = ("sm_u", "sm_a", "sm_wa", "a_pete")


@pytest.mark.parametrize("max_pairs", [None, 2_000, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dataset", CLASSIFICATIONS)
@pytest.mark.parametrize("method", SWAPPABLE)
def test_swaps_are_those_of_the_slow_twin_however_many_pairs_are_known(
    method: Method, dataset: str, kind: ProximityKind, max_pairs: int | None
) -> None:
    real = real_leaves(dataset, kind, n_rows=150)
    classes = real.classes("target")
    chosen = select_prototypes(real.table, classes, real.weights, method, n_prototypes=7).rows
    proximity = naive.proximity_matrix(real.leaves, real.weights)
    pairs = gather_pairs(real.table, classes, real.weights, chosen, max_pairs=max_pairs)

    refined = refine_by_swaps(real.table, classes, real.weights, chosen, method=method, pairs=pairs)

    expected, n_swaps = naive_prototype_bounds.swapped(proximity, classes, chosen.tolist(), method)
    assert refined.rows.tolist() == expected
    assert refined.n_swaps == n_swaps
