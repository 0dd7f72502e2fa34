"""How many pseudo rows a node takes, on real forests, against equation (5) and against testing without discarding."""

from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from tests.support import naive_sta
from tests.support.naive_sta import choose, parts_alike
from tests.support.pseudo_rows import FORESTS, pseudo_rows, training
from tree_explainers.approximation_trees.candidates import Candidates, candidates_of
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.oracle import SessionOracle
from tree_explainers.approximation_trees.pseudo_samples import PseudoSample
from tree_explainers.approximation_trees.smoothing import Smoother
from tree_explainers.approximation_trees.split_choice import FIRST_SIZE, Choice, choose_split, compare_splits, next_size
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

MOST_ROWS = 3_000


@pytest.mark.parametrize("significance", [0.01, 0.1, 0.3])
@pytest.mark.parametrize("most", [1_500, 100_000])
def test_the_next_size_is_that_of_equation_5(significance: float, most: int) -> None:
    for p_value in np.linspace(significance + 0.001, 1, 97).tolist():
        expected = naive_sta.next_size(1_000, p_value, significance, most)
        assert next_size(1_000, p_value, significance, most) == expected


def test_with_as_many_rows_as_equation_5_asks_for_the_same_gains_are_sure() -> None:
    drawn = pseudo_rows("random_forest_multiclass", 1_000)
    found = compare_splits(drawn.answers, drawn.bins, drawn.candidates)
    significance, n_tried = 0.01, 0
    for number in np.flatnonzero((found.p_values > 0.02) & (found.p_values < 0.2)):
        asked = next_size(found.n_rows, float(found.p_values[number]), significance, 10**9)
        ahead = found.gains[found.best] - found.gains[number]
        n_tried += 1
        assert ndtr(-ahead / np.sqrt(2 * found.variances[number] / asked)) == pytest.approx(significance, rel=0.01)
    assert n_tried > 0


@pytest.mark.parametrize("significance", [0.05, 0.35])
@pytest.mark.parametrize("name", FORESTS)
def test_discarding_changes_neither_the_choice_nor_the_rows_and_little_of_the_sum(
    name: str, significance: float
) -> None:
    node = Node.of(name, n_rows=5)

    chosen, sample = node.chosen(significance)

    labels, splits = node.told_of(sample)
    best, p_value, n_rows = choose(labels, splits, FIRST_SIZE, significance)
    assert sample.n_rows == n_rows
    assert chosen.candidate is not None
    fast = node.conditions.index(sample.candidates.condition(chosen.candidate))
    assert parts_alike(splits[fast], splits[best])
    assert abs(chosen.confidence.p_value - p_value) <= 0.1 * significance
    assert chosen.confidence.at_cap == (p_value > significance)


@dataclass(frozen=True, slots=True)
class Node:
    """A few training rows of a forest."""

    rows: Rows
    smoother: Smoother
    oracle: SessionOracle
    candidates: Candidates

    @classmethod
    def of(cls, name: str, n_rows: int) -> "Node":
        rows, session = training(name)
        few = rows.take(slice(0, None, len(rows) // n_rows))
        return cls(few, Smoother.of(rows, {}), SessionOracle(session), candidates_of(few, {}, 2))

    def draw(self, n_rows: int, rng: np.random.Generator) -> Rows:
        return self.smoother.draw(self.rows, NodeBox({}), n_rows, rng)

    def ask(self, rows: Rows) -> NDArray[np.float32]:
        return self.oracle.ask(rows).astype(np.float32)

    def chosen(self, significance: float) -> tuple[Choice, PseudoSample]:
        seed = np.random.SeedSequence(3)
        sample = PseudoSample(self.draw, self.ask, self.candidates, seed, beat=lambda: None)
        n_targets = self.oracle.ask(self.rows).shape[1]
        return choose_split(sample, n_targets, significance, MOST_ROWS), sample

    def told_of(self, sample: PseudoSample) -> tuple[NDArray[np.float64], list[NDArray[np.bool_]]]:
        """Return the answers for the rows of a sample, drawn again from its seeds, and how candidates part them."""
        drawn = [self.draw(block.n_rows, np.random.default_rng(block.seed)) for block in sample._blocks]
        bins = [self.candidates.bins_of(rows) for rows in drawn]
        splits = [
            np.concatenate([self.candidates.sends_left(each, own) for own in bins])
            for each in range(self.candidates.n_candidates)
        ]
        return np.concatenate([self.ask(rows) for rows in drawn]).astype(np.float64), splits

    @property
    def conditions(self) -> list[Condition]:
        return [self.candidates.condition(each) for each in range(self.candidates.n_candidates)]
