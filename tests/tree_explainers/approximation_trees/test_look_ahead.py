"""Look-ahead: what it prefers, in which units it measures, and that it never prefers what the test has discarded."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.models import fitted
from tree_explainers.approximation_trees import split_choice
from tree_explainers.approximation_trees.look_ahead import N_ROWS, LookAhead
from tree_explainers.approximation_trees.oracle import SessionOracle, TargetTransform
from tree_explainers.approximation_trees.split_choice import Comparison, Prefer
from tree_explainers.approximation_trees.split_sums import SplitSums
from tree_explainers.approximation_trees.sta import StaSettings, grow_sta
from tree_explainers.approximation_trees.tree_growth import TreeLimits
from tree_explainers.questions.conditions import Condition
from tree_explainers.rows import Rows

_FIRST, _SECOND = (Condition(name, name, "<=", 0.5, or_missing=False) for name in ("first", "second"))


def _rows() -> Rows:
    """Return rows of which some that measure, and none from which trees are grown, are below the first split."""
    first = np.ones(2 * N_ROWS)
    first[-200:] = 0
    return Rows(("first", "second"), (first, np.random.default_rng(0).random(2 * N_ROWS)))


@pytest.mark.parametrize("unit", [1e-3, 1.0, 1e3])
def test_a_side_without_rows_counts_in_the_units_of_the_values(unit: float) -> None:
    """Neither split says anything of the values, so that the first stays, whatever their unit is."""
    values = unit * np.random.default_rng(1).normal(size=(2 * N_ROWS, 1))
    ahead = LookAhead(
        draw=lambda _n_rows, _rng: _rows(),
        predict=lambda _rows: values,
        transform=TargetTransform.of(values, is_classifier=False),
        missing_texts={},
        limits=TreeLimits(0),
        seed=np.random.SeedSequence(0),
    )

    assert ahead.prefer([_FIRST, _SECOND]) == 0
    assert ahead.prefer([_SECOND, _FIRST]) == 0


@dataclass
class _Choices:
    """What was chosen by fidelity, and what the test had discarded then."""

    chosen: list[Condition]
    n_others: int = 0  # chosen instead of the candidate of the largest gain

    def recording(
        self, preferred: Callable[..., tuple[SplitSums, Comparison]]
    ) -> Callable[..., tuple[SplitSums, Comparison]]:
        def record(
            search: split_choice._Search, compared: Comparison, level: float, prefer: Prefer
        ) -> tuple[SplitSums, Comparison]:
            known = search.sample.candidates
            own = range(known.n_candidates) if search._merged is None else None
            sums, found = preferred(search, compared, level, prefer)
            discarded: NDArray[np.bool_] = compared.discarded(level)
            assert not discarded[found.best]
            assert search.best is not None
            condition = known.condition(search.best)
            assert condition not in [known.condition(each) for each in own or () if discarded[each]]
            self.chosen.append(condition)
            self.n_others += found.best != compared.best
            return sums, found

        return record


def test_no_split_of_a_tree_is_one_that_the_test_has_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    choices, model = _Choices([]), fitted("random_forest_multiclass")
    monkeypatch.setattr(split_choice._Search, "preferred", choices.recording(split_choice._Search.preferred))
    settings = StaSettings(TreeLimits(4, 5), max_pseudo_samples=1_000, choose_by="fidelity")

    tree = grow_sta(model.rows, SessionOracle(model.session), settings, np.random.default_rng(0))

    at_cap = [node.condition for node in tree.nodes if node.confidence is not None and node.confidence.at_cap]
    assert len(at_cap) > 3
    assert set(map(str, at_cap)) == set(map(str, choices.chosen))
    assert choices.n_others > 0  # some are not those of the largest gain
