"""A real job in the midst of a large dataset: it tells how far it is, and stops when it is told to."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier

from schemas.jobs import Progress
from storage.leaf_tables import LeafTableStore
from tests.support.job_farm import JobFarm
from tests.support.models import onnx_of
from tests.support.workshop import workshop_in
from workers.leaf_tables import place_of

_N_ROWS, _N_TREES = 200_000, 400


@pytest.fixture
def farm(tmp_path: Path) -> Iterator[JobFarm]:
    farm = JobFarm(tmp_path)
    yield farm
    farm.stop()


def test_a_job_that_reads_many_rows_moves_on_and_stops_within_two_seconds_leaving_nothing(farm: JobFarm) -> None:
    features, target = load_breast_cancer(return_X_y=True)
    forest = ExtraTreesClassifier(_N_TREES, random_state=0).fit(features[:, :6], target)
    rng = np.random.default_rng(0)
    rows = features[rng.integers(0, len(features), _N_ROWS), :6] * rng.normal(1, 0.1, (_N_ROWS, 6))
    with workshop_in(farm.directory) as workshop:
        model = workshop.register_model(onnx_of(forest, features[:1, :6].astype(np.float32)))
        dataset = workshop.register_dataset(pd.DataFrame(rows).rename(columns="feature_{}".format))
        asked = workshop.ask(model=model, dataset=dataset, n_prototypes=3, kind="random_forest")
        assert asked.job is not None
        farm.start_worker("workers", LEAFSPACE_LOOK_SECONDS="1")
        job = asked.job

        def progress() -> Progress:
            return workshop.parts.jobs.get(job).progress

        farm.wait_until(lambda: progress().stage == "reading leaves")
        for _ in range(2):
            before = progress().fraction
            farm.wait_until(lambda before=before: progress().fraction > before)  # type: ignore[misc]  # a loop's value
        workshop.parts.jobs.request_cancel(job)
        farm.wait_until(lambda: workshop.parts.jobs.get(job).status == "cancelled", seconds=2)

        assert farm.workspaces() == []
        assert LeafTableStore(workshop.parts.database).find(place_of(model, dataset)) is None
