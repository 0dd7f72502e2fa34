"""Reasons grouped by feature: those of each pair that are wanted, by falling share of trees, beside a plain sort."""

import numpy as np
import pytest

from tree_explainers.onnx_models.description import ModelColumn
from tree_explainers.prototype_sets.raw_units import Wanted
from tree_explainers.prototype_sets.readable import ReasonReader
from tree_explainers.prototype_sets.reasons import REASON

N_PAIRS = 5


@pytest.mark.parametrize("n_features", [1, 7, 200])
@pytest.mark.parametrize("n_most", [0, 1, 4, 1000])
def test_the_wanted_reasons_are_those_of_a_stable_sort(n_features: int, n_most: int) -> None:
    rng = np.random.default_rng(n_features)
    reasons = np.zeros(N_PAIRS * n_features, REASON)
    reasons["pair"] = np.repeat(np.arange(N_PAIRS), n_features)
    reasons["feature"] = reasons["column"] = np.tile(np.arange(n_features), N_PAIRS)
    reasons["share_of_trees"] = rng.integers(1, 10, len(reasons)) / 10  # with many ties
    reasons = reasons[(rng.random(len(reasons)) < 0.8) & (reasons["pair"] != 3)]  # one pair has none
    is_shown = rng.random(n_features) < 0.7

    grouped = _reader(n_features).group(reasons, N_PAIRS, wanted=Wanted(is_shown, n_most))

    expected = []
    for pair in range(N_PAIRS):
        shown = [reason for reason in reasons if reason["pair"] == pair and is_shown[reason["column"]]]
        expected.append(sorted(shown, key=lambda reason: -reason["share_of_trees"])[:n_most])
    assert np.diff(grouped.bounds).tolist() == [len(of_pair) for of_pair in expected]
    assert grouped.reasons["column"].tolist() == [reason["column"] for of_pair in expected for reason in of_pair]


def _reader(n_features: int) -> ReasonReader:
    columns = [ModelColumn(f"x{index}", "identity", f"x{index}", index) for index in range(n_features)]
    return ReasonReader.build(columns, np.float32)
