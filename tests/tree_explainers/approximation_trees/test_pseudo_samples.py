"""The work of comparing grows with the pseudo rows, however many training rows there are, and can be cancelled."""

import numpy as np
import pandas as pd

from tests.support.shared import shared_path
from tree_explainers.approximation_trees.candidate_splits import candidates_of
from tree_explainers.approximation_trees.generators import Smoother
from tree_explainers.approximation_trees.node_boxes import NodeBox
from tree_explainers.approximation_trees.pseudo_samples import MergedCandidates
from tree_explainers.rows import Rows


def _rows() -> Rows:
    """Return 20,640 rows whose coordinates, incomes and averages are numbers of many values."""
    frame = pd.read_parquet(shared_path("data/california_housing.parquet"))
    return Rows(tuple(frame.columns), tuple(frame[column].to_numpy(np.float64) for column in frame.columns))


def test_no_more_is_compared_than_pseudo_rows_can_distinguish() -> None:
    rows, n_rows = _rows(), 300
    candidates = candidates_of(rows, {}, 5)
    drawn = Smoother.of(rows, {}).draw(rows, NodeBox({}), n_rows, np.random.default_rng(0))

    merged = MergedCandidates.of(candidates, [candidates.bins_of(drawn)]).candidates

    assert candidates.n_candidates > 60_000
    for before, after in zip(candidates.features, merged.features, strict=True):
        assert before.name == after.name
        assert after.n_candidates <= n_rows + 1
        assert after.n_bins <= n_rows + 2


def test_each_column_is_a_chance_to_stop() -> None:
    rows, reports = _rows(), list[tuple[float, str]]()

    def report(fraction: float, stage: str) -> None:
        reports.append((fraction, stage))

    candidates = candidates_of(rows, {}, 5, report)
    Smoother.of(rows, {}, report=report)
    drawn = rows.take(slice(0, 300))
    MergedCandidates.of(candidates, [candidates.bins_of(drawn)], report)

    n_columns = len(rows.names)
    stages = ("collecting candidates", "fitting the smoother", "merging candidates")
    assert reports == [(column / n_columns, stage) for stage in stages for column in range(n_columns)]
