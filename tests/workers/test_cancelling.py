"""A real job in the midst of a large dataset: it reports progress, and stops when it is cancelled."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import ExtraTreesClassifier

from schemas.jobs import Progress
from storage.leaf_tables import LeafTableStore
from tests.support.job_farm import JobFarm
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in
from workers.jobs.leaf_tables import leaf_table_key

_N_TREES = 200


@dataclass(frozen=True)
class _Running:
    """A job that a worker has taken up."""

    farm: JobFarm
    workshop: Workshop
    model: str
    dataset: str
    job: str

    def progress(self) -> Progress:
        return self.workshop.context.jobs.get(self.job).progress

    def moves_on(self) -> None:
        before = self.progress()
        self.farm.wait_until(lambda: self.progress() != before)

    def cancel(self) -> None:
        self.workshop.context.jobs.request_cancel(self.job)
        # Two seconds by default, where a worker looks every second; this one looks every 0.2, so that the job is still
        # where it was when it is cancelled.
        self.farm.wait_until(lambda: self.workshop.context.jobs.get(self.job).status == "cancelled", seconds=1.2)


@contextmanager
def _running(farm: JobFarm, n_rows: int, **request: object) -> Iterator[_Running]:
    """Request prototypes of real rows, each a little different, in a forest fitted on the real ones."""
    features, target = load_breast_cancer(return_X_y=True)
    forest = ExtraTreesClassifier(_N_TREES, random_state=0).fit(features[:, :6], target)
    rng = np.random.default_rng(0)
    rows = features[rng.integers(0, len(features), n_rows), :6] * rng.normal(1, 0.1, (n_rows, 6))
    with workshop_in(farm.directory) as workshop:
        model = workshop.register_model(onnx_of(forest, features[:1, :6].astype(np.float32)))
        dataset = workshop.register_dataset(pd.DataFrame(rows).rename(columns="feature_{}".format))
        created = workshop.create(model=model, dataset=dataset, proximity_kind="random_forest", **request)
        assert created.job is not None
        farm.start_worker("workers")
        yield _Running(farm, workshop, model, dataset, created.job)


def test_a_job_that_reads_many_rows_moves_on_and_stops_within_two_seconds_leaving_nothing(farm: JobFarm) -> None:
    with _running(farm, 500_000, n_prototypes=3) as running:
        farm.wait_until(lambda: running.progress().stage == "reading leaves")
        for _ in range(2):
            running.moves_on()
        running.cancel()

        assert farm.workspaces() == []
        kept = LeafTableStore(running.workshop.context.database).find(leaf_table_key(running.model, running.dataset))
        assert kept is None


@pytest.mark.long
def test_a_job_in_the_midst_of_swaps_stops_within_two_seconds(farm: JobFarm) -> None:
    with _running(farm, 12_000, n_prototypes=60, refine="swap") as running:
        farm.wait_until(lambda: running.progress().stage == "swapping prototypes", seconds=120)
        running.moves_on()
        running.cancel()

        assert farm.workspaces() == []
