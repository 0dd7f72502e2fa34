"""Trees that approximate a forest, by each method, with the time that they take."""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tree_explainers.approximation_trees.controls import ControlSettings, grow_born_again, grow_cart
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.approximation_trees.trees import ApproximationTree

from .among_candidates import grow_among_candidates
from .authors_rules import grow_by_authors_rules
from .oracles import OracleCase
from .records import GENERATOR, PAPER, Who

SIGNIFICANCE = PAPER.significance  # alpha in the paper
STA, AUTHORS_RULES, CART_ON_PSEUDO_ROWS, CART_AMONG_CANDIDATES, BORN_AGAIN = (
    "STA",
    "STA by the rules of the published program",
    "CART on pseudo rows",
    "the same, among STA's candidates",
    "born again",
)


@dataclass(frozen=True, slots=True)
class Made:
    """A tree and how long it took."""

    tree: ApproximationTree
    seconds: float


def make(who: Who, case: OracleCase, max_depth: int, seed: int) -> Made:
    """Make a tree with pseudo rows of its own."""
    begun = time.perf_counter()
    tree = _WAYS[who.name](case, TreeLimits(max_depth=max_depth), who.n_pseudo, np.random.default_rng([seed, 7]))
    return Made(tree, time.perf_counter() - begun)


def _sta(case: OracleCase, limits: TreeLimits, n_pseudo: int, rng: np.random.Generator) -> ApproximationTree:
    settings = StaSettings(limits, SIGNIFICANCE, n_pseudo, generator=GENERATOR, choose_by=PAPER.choose_by)
    return grow_sta(case.rows, case.oracle, settings, rng)


def _authors(case: OracleCase, limits: TreeLimits, n_pseudo: int, rng: np.random.Generator) -> ApproximationTree:
    return grow_by_authors_rules(case, limits, Smoother.of(case.rows, {}, GENERATOR), SIGNIFICANCE, n_pseudo, rng)


def _cart(case: OracleCase, limits: TreeLimits, n_pseudo: int, rng: np.random.Generator) -> ApproximationTree:
    return grow_cart(case.rows, case.oracle, ControlSettings(limits, n_pseudo, generator=GENERATOR), rng)


def _born_again(case: OracleCase, limits: TreeLimits, n_pseudo: int, rng: np.random.Generator) -> ApproximationTree:
    return grow_born_again(case.rows, case.oracle, ControlSettings(limits, n_pseudo), rng)


_WAYS: dict[str, Callable[[OracleCase, TreeLimits, int, np.random.Generator], ApproximationTree]] = {
    STA: _sta,
    AUTHORS_RULES: _authors,
    CART_ON_PSEUDO_ROWS: _cart,
    CART_AMONG_CANDIDATES: grow_among_candidates,
    BORN_AGAIN: _born_again,
}
