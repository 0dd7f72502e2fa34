"""Where columns imply each other, the model labels no row that cannot be."""

import numpy as np
import pytest

from tests.support.implied_columns import implications_of_case, implied_case
from tree_explainers.approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import Floats, SessionOracle
from tree_explainers.approximation_trees.possible_rows import PossibleRows
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree
from tree_explainers.questions.conditions import Condition
from tree_explainers.questions.implications import Implications
from tree_explainers.rows import Rows

LIMITS = TreeLimits(3, 5)


class _Recording(SessionOracle):
    """A real model that remembers whether it labelled rows that break an implication."""

    n_rows = n_impossible = 0

    def predict(self, rows: Rows) -> Floats:
        self.n_rows += len(rows)
        self.n_impossible += int((~implications_of_case().hold_in(rows)).sum())
        return super().predict(rows)


def _grown(method: str, oracle: SessionOracle, implications: Implications) -> ApproximationTree:
    rows, rng = implied_case().rows, np.random.default_rng(0)
    if method == "sta":
        return grow_sta(rows, oracle, StaSettings(LIMITS, 0.1, 2_000, implications), rng)
    grow = {"cart": grow_cart, "born_again": grow_born_again}[method]
    return grow(rows, oracle, ControlSettings(LIMITS, 2_000, implications), rng)


@pytest.mark.parametrize("method", ["sta", "cart", "born_again"])
def test_the_model_is_asked_of_possible_rows_alone(method: str) -> None:
    plain, repairing = _Recording(implied_case().session), _Recording(implied_case().session)

    _grown(method, plain, Implications())
    tree = _grown(method, repairing, implications_of_case())

    assert plain.n_impossible > plain.n_rows / 10
    assert repairing.n_rows > 2_000
    assert repairing.n_impossible == 0
    assert (tree.labels_of(implied_case().rows) == implied_case().training.labels).mean() > 0.85


def test_pseudo_rows_of_a_node_stay_in_its_box() -> None:
    case, implications = implied_case(), implications_of_case()
    box = NodeBox({})
    for column, is_true in (("f3", True), ("f12", False)):  # f3 implies f2, f0 and f1; f13 implies f12
        box = box.below(Condition(column, column, "<=", 0.5, or_missing=False), holds=not is_true)
    at_node = case.rows.take(np.flatnonzero(box.contains(case.rows)))
    smoother = Smoother.of(case.rows, {})

    drawn, again = (
        PossibleRows(smoother, implications).at_node(at_node, box)(3_000, np.random.default_rng(0)) for _ in range(2)
    )
    bare = smoother.draw(at_node, box, 3_000, np.random.default_rng(0))

    assert box.contains(drawn).all()
    assert implications.hold_in(drawn).all()
    assert not implications.hold_in(bare).all()
    possible = implications.hold_in(bare)
    for one, other, before in zip(drawn.columns, again.columns, bare.columns, strict=True):
        np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(one[possible], before[possible])
    unbound = PossibleRows(smoother).at_node(at_node, box)(3_000, np.random.default_rng(0))
    assert all((one == other).all() for one, other in zip(unbound.columns, bare.columns, strict=True))
