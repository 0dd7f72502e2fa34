import json
import tempfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_wine

from benchmarks.paper_tables.apete_data import STAND_IN, apete_rows
from benchmarks.paper_tables.curves import curve
from benchmarks.paper_tables.published import APETE_DATASETS, tan
from benchmarks.paper_tables.reasons import Compared, why
from benchmarks.paper_tables.rows import split_at_random
from benchmarks.paper_tables.spread import Divisions, Spread
from benchmarks.paper_tables.tan_data import tan_split
from benchmarks.paper_tables.tree_spaces import all_features
from benchmarks.paper_tables.tuning import forest
from tests.support.naive import balanced_accuracy, nearest_prototype_classes, proximity_matrix, sm_u, sm_wa
from tests.support.shared import shared_path
from tree_explainers.prototype_sets.selection import Method

_NAMES = {"diabetes": "pima_diabetes", "compas": "compas_two_years"}


@pytest.mark.parametrize("dataset", [dataset for dataset in APETE_DATASETS if dataset != STAND_IN])
def test_the_rows_of_a_pete_are_as_many_as_its_authors_files_have(dataset: str) -> None:
    rows = json.loads(shared_path("data/splits.json").read_text(encoding="utf-8"))["a-pete"]["rows"]

    assert [len(part) for part in apete_rows(dataset)] == rows[_NAMES.get(dataset, dataset)]


@pytest.mark.parametrize("dataset", ["breast_cancer", "diabetes", "compas", "rhc", "caltech"])
def test_there_are_as_many_training_rows_as_one_nearest_neighbour_has_prototypes_in_tan_et_al(dataset: str) -> None:
    split = tan_split(dataset, 0)

    assert len(split.train.classes) == tan(dataset, "random_forest", "1-nn").n_prototypes
    assert abs(len(split.valid.classes) - len(split.test.classes)) <= 1


@pytest.mark.parametrize("method", ["sm_u", "sm_wa"])
def test_each_size_is_evaluated_as_if_it_had_been_requested_alone(
    method: Method, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    features, classes = load_wine(return_X_y=True)
    split = split_at_random("wine", features, classes.astype(np.int64), 0)
    space = forest(split, "sqrt", 0, n_trees=20)
    n_train, n_valid = len(split.train.classes), len(split.valid.classes)
    proximity = proximity_matrix(np.concatenate(space.leaves), space.weights)
    assert len(proximity) == len(all_features(split))

    every_class = np.concatenate([split.train.classes, split.valid.classes, split.test.classes])

    tested = curve(space, split, method, 12)

    choose = {"sm_u": sm_u, "sm_wa": sm_wa}[method]
    for one in tested:
        assert one.n_prototypes is not None
        prototypes = choose(proximity[:n_train, :n_train], split.train.classes, one.n_prototypes)
        given = nearest_prototype_classes(proximity, every_class, prototypes)[n_train + n_valid :]
        assert one.test.balanced_accuracy == pytest.approx(float(balanced_accuracy(given, split.test.classes)))
    assert [one.n_prototypes for one in tested] == list(range(3, 13, 3) if method == "sm_u" else range(1, 13))


@pytest.mark.parametrize(("n_as_low", "is_explained"), [(12, True), (5, True), (4, False)])
def test_a_low_figure_that_is_not_rare_needs_no_reason(n_as_low: int, is_explained: bool) -> None:
    scores = [0.92] * n_as_low + [0.96] * (100 - n_as_low)
    ten = Spread.of([0.94, 0.95, 0.96, 0.97, 0.98])

    alone = why(Compared(0.92, ten, 0.015, None, ""))
    reason = why(Compared(0.92, ten, 0.015, None, "", Divisions(scores)))

    assert "not explained" not in alone  # five divisions do not say how rare it is
    assert alone.endswith("was not counted in more divisions: **open**")
    assert "open" not in reason
    assert f"of 100 divisions {n_as_low}% are that far off" in reason
    assert reason.endswith("**not explained**") != is_explained


def test_the_share_of_divisions_counts_what_would_be_printed_alike_and_what_is_farther() -> None:
    scores = [0.90, 0.924, 0.926, 0.95]

    assert Divisions(scores).share_beyond(0.92, mean=0.95) == 0.5
    assert Divisions(scores).share_beyond(0.93, mean=0.90) == 0.5
