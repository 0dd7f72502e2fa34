from itertools import islice

import numpy as np
import pytest

from tests.support.naive_defrag import NaiveDefrag
from tests.support.rule_training import energy, of_model, of_pipeline, random_start, spambase
from tree_explainers.compute.progress import ignore_progress
from tree_explainers.rule_sets.em import EMSteps, iterations
from tree_explainers.rule_sets.fab import fit_em, fit_em_up_to

TRAINING_SETS = {
    "two classes": lambda: spambase(300, 5),
    "three classes": lambda: of_model("random_forest_multiclass"),
    "values": lambda: energy(5),
    "categories and missing values": lambda: of_pipeline("missing_kept"),
}


@pytest.mark.parametrize("name", TRAINING_SETS)
@pytest.mark.sampled("thirds")
def test_every_iteration_is_that_of_the_dense_matrix(name: str) -> None:
    data = TRAINING_SETS[name]()
    start = random_start(data.binned.n_rows, 4, np.random.default_rng(0))
    naive = NaiveDefrag(data.matrix, data.naive_targets).fit(start, 0, 10)

    fast = islice(iterations(EMSteps.of(data.labelled, 4, ignore_progress), start, 0), 10)

    for (model, bound), (naive_model, naive_bound) in zip(fast, naive, strict=True):
        np.testing.assert_allclose(model.eta, naive_model.eta, atol=1e-8)
        np.testing.assert_allclose(model.shares, naive_model.alpha, atol=1e-8)
        assert bound == pytest.approx(naive_bound, rel=1e-10)


@pytest.mark.parametrize("name", TRAINING_SETS)
def test_the_likelihood_never_decreases(name: str) -> None:
    data = TRAINING_SETS[name]()

    bounds = fit_em(data.labelled, 5, np.random.default_rng(0)).lower_bounds

    assert len(bounds) > 1
    assert (np.diff(bounds) >= -1e-12 * abs(bounds[-1])).all()


def test_a_restart_fits_each_number_of_regions_and_more_are_likelier() -> None:
    data = spambase(300, 5)

    fits = fit_em_up_to(data.labelled, 5, np.random.default_rng(0))

    assert [fit.model.n_regions for fit in fits] == [1, 2, 3, 4, 5]
    assert fits[4].lower_bounds[-1] > fits[1].lower_bounds[-1] > fits[0].lower_bounds[-1]


def test_one_region_holds_every_row() -> None:
    data = energy(5)

    model = fit_em(data.labelled, 1, np.random.default_rng(0)).model

    assert model.means == pytest.approx([data.values.mean()])
    np.testing.assert_allclose(model.eta[0], data.matrix.mean(axis=0), rtol=1e-12)
