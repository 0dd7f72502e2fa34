import numpy as np
import pytest

from tests.support.naive_rules import admitted_bins
from tests.support.rule_training import TrainingSet, energy, of_model, of_pipeline, spambase
from tree_explainers.rule_sets.boxes import Box, boxes_of
from tree_explainers.rule_sets.fab import fit_fab
from tree_explainers.rule_sets.regions import RegionModel


def training_set(name: str) -> TrainingSet:
    if name in ("missing_kept", "scaled_and_one_hot", "ordinal_categories"):
        return of_pipeline(name)
    return {"energy": lambda: energy(5), "spambase": lambda: spambase(300, 5)}.get(name, lambda: of_model(name))()


def model_of(data: TrainingSet) -> RegionModel:
    return fit_fab(data.binned, data.targets, 4, np.random.default_rng(3)).model


SETS = ("energy", "spambase", "random_forest_multiclass", "missing_kept", "scaled_and_one_hot", "ordinal_categories")


@pytest.mark.parametrize("name", SETS)
def test_a_region_s_box_holds_the_bins_that_answer_what_it_is_certain_of(name: str) -> None:
    data = training_set(name)
    model = model_of(data)
    starts = data.statements.statement_starts

    boxes = boxes_of(model, data.statements, certainty=0.01)

    for box, eta in zip(boxes, model.eta, strict=True):
        admitted = dict(zip(box.features, box.admitted, strict=True))
        for at, feature in enumerate(data.statements.features):
            expected = admitted_bins(feature, eta[starts[at] : starts[at + 1]].tolist(), 0.01)
            assert admitted.get(at, np.ones(feature.n_bins, np.bool_)).tolist() == expected


def test_a_box_covers_the_rows_of_which_it_admits_every_bin() -> None:
    data = spambase(300, 5)
    box = boxes_of(model_of(data), data.statements)[0]

    covered = box.covers(data.binned)

    for row in range(300):
        pairs = zip(box.features, box.admitted, strict=True)
        assert covered[row] == all(bins[data.binned.bins[feature, row]] for feature, bins in pairs)
    assert 0 < covered.sum() < 300


def test_a_box_without_features_covers_every_row() -> None:
    data = energy(5)

    assert Box((), ()).covers(data.binned).all()


def test_a_region_that_is_certain_of_its_rows_covers_nearly_all_of_them() -> None:
    data = spambase(300, 5)
    model = model_of(data)
    regions = model.map_regions(data.binned)

    boxes = boxes_of(model, data.statements)

    for region, box in enumerate(boxes):
        assert box.covers(data.binned)[regions == region].mean() > 0.95
