"""The simulated study is drawn as the paper says, and its trees are counted and kept as they are."""

import json
from math import exp

import numpy as np

from benchmarks.approximation_tables.making import CART_AMONG_CANDIDATES, STA, make
from benchmarks.approximation_tables.mimicry import NewRows
from benchmarks.approximation_tables.oracles import fitted_forest, rows_of
from benchmarks.approximation_tables.records import Found, Who, as_json, from_json, structures
from benchmarks.approximation_tables.simulation import NAMES, draw
from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.questions.conditions import ConditionReader


def logit(row: list[float]) -> float:
    """Return the display of section 4.1 for one row."""
    x1, x2, x3, x4, x5 = row
    if x1 > 0.5:
        if x2 > 0.7:
            return 2
        return -3 if x2 > 0.2 else -4
    if x5 > 0.5:
        return 2
    curved = x3 + x4**2
    if curved >= 1.4:
        return 3
    return 2 if curved >= 0.5 else -2


def test_classes_are_drawn_by_the_probabilities_of_section_4_1() -> None:
    drawn = draw(50_000, np.random.default_rng(0))

    logits = np.array([logit(row) for row in drawn.features.tolist()])

    for each in np.unique(logits):
        own = drawn.target[logits == each]
        expected = 1 / (1 + exp(-each))
        assert abs(own.mean() - expected) < 4 * np.sqrt(expected * (1 - expected) / len(own))
    assert len(np.unique(logits)) == 5


def test_different_trees_are_counted_level_by_level_and_kept_as_json() -> None:
    train = draw(120, np.random.default_rng(1))
    forest = fitted_forest(NAMES, train.features, train.target, seed=1)
    others = draw(300, np.random.default_rng(2))
    new = NewRows.of(forest, rows_of(NAMES, others.features), others.target)
    who = Who(STA, 1_000)
    made = [make(who, forest, 4, seed) for seed in (0, 1, 2, 0)]
    trees = [each.tree for each in made]

    counted = structures("simulation", who, trees)

    assert counted.n_replications == 4
    for level, of_level in enumerate(counted.occurrences, 1):
        different = {tuple(tree.structure(level)) for tree in trees}
        assert len(of_level) == len(different)
        assert max(of_level) >= 2  # the first and the last are the same tree
        assert 1 <= counted.n_by_features[level - 1] <= len(of_level)
    found = Found((new.of_tree("simulation", 0, who, made[0]),), (counted,), ())
    assert from_json(json.loads(json.dumps(as_json(found)))) == found


def test_cart_among_candidates_splits_where_training_rows_suggest() -> None:
    train = draw(120, np.random.default_rng(1))
    forest = fitted_forest(NAMES, train.features, train.target, seed=1)

    tree = make(Who(CART_AMONG_CANDIDATES, 2_000), forest, 3, 0).tree

    reached = {0: forest.rows}
    for at, node in enumerate(tree.nodes):  # parents come first
        if node.condition is not None:
            suggested = candidates_of(reached[at], {}, min_samples_leaf=5)
            assert node.condition in [suggested.condition(each) for each in range(suggested.n_candidates)]
            holds = ConditionReader(np.float64, {}).holds(node.condition, reached[at])
            reached[node.left] = reached[at].take(np.flatnonzero(holds))
            reached[node.right] = reached[at].take(np.flatnonzero(~holds))
    assert len(reached) > 1
