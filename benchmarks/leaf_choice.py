"""How long ``min_leaf_rows`` ``auto`` chooses leaves, beside what its job is estimated to take for that.

Models are fitted on 4,000 rows, of which datasets hold as many jittered copies as needed. Each prototype set is made in
this process, and the choice of its leaves is timed by itself: seconds that pass, and those of a processor. A first
one, which is not shown, has the loops compiled. The estimate is for a slow core;
``tree_explainers/prototype_sets/cost.py`` has its constants.

``python -m benchmarks.leaf_choice [cases by number, 0,2]``
"""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import structlog
from sklearn.datasets import make_classification
from sklearn.ensemble import GradientBoostingClassifier, RandomForestClassifier

from service.operations.job_estimates import sizes_of
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.prototype_sets.cost import default_candidates_by_leaves, leaf_choice_seconds
from workers.jobs import prototype_set_choice

from .machine import describe_machine

N_FITTED, N_FEATURES, N_PROTOTYPES = 4_000, 20, 10
ENSEMBLES = {"random_forest": RandomForestClassifier, "boosting": GradientBoostingClassifier}


@dataclass(frozen=True)
class Case:
    """A model and a number of rows."""

    ensemble: str
    n_trees: int
    n_leaves: int | None  # of a tree at most
    n_rows: int


CASES = (
    Case("random_forest", 100, 31, 500),
    Case("boosting", 100, 8, 500),
    Case("random_forest", 50, 31, 4_000),
    Case("random_forest", 200, 31, 4_000),
    Case("random_forest", 200, None, 4_000),
    Case("random_forest", 50, 31, 20_000),
    Case("random_forest", 200, 31, 20_000),
    Case("random_forest", 200, None, 20_000),
    Case("random_forest", 800, 31, 20_000),
    Case("random_forest", 50, 31, 60_000),
    Case("boosting", 50, 8, 4_000),
    Case("boosting", 200, 8, 4_000),
    Case("boosting", 50, 8, 20_000),
    Case("boosting", 200, 8, 20_000),
    Case("boosting", 50, 31, 60_000),
)


class Timed:
    """What the last choice of leaves took."""

    seconds = processor_seconds = 0.0
    n_steps = 0


def main() -> None:
    """Measure and print."""
    print(describe_machine())
    print(f"{'model':14s} {'trees':>5s} {'leaves':>6s} {'rows':>8s} {'steps':>5s} {'s':>6s} {'CPU s':>6s}   estimate")
    numbers = [int(number) for number in sys.argv[1].split(",")] if len(sys.argv) > 1 else range(len(CASES))
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    _compile()
    for case in (CASES[number] for number in numbers):
        with TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop, timed() as last:
            sizes = _make(workshop, case)
        estimate = _estimate(sizes, case)
        print(
            f"{case.ensemble:14s} {case.n_trees:5d} {case.n_leaves or 'all':>6} {case.n_rows:8,d} {last.n_steps:5d} "
            f"{last.seconds:6.1f} {last.processor_seconds:6.1f} {estimate:8.1f}",
            flush=True,
        )


def _compile() -> None:
    for ensemble in ENSEMBLES:
        with TemporaryDirectory() as folder, workshop_in(Path(folder)) as workshop:
            _make(workshop, Case(ensemble, 5, 8, 300))


def _estimate(sizes: JobSizes, case: Case) -> float:
    n_candidates = default_candidates_by_leaves(case.n_rows, case.n_trees)
    return leaf_choice_seconds(sizes, n_candidates, N_PROTOTYPES, are_weighted=case.ensemble == "boosting")


def _make(workshop: Workshop, case: Case) -> JobSizes:
    """Make a prototype set, and return the sizes of its job."""
    features, target = make_classification(N_FITTED, N_FEATURES, n_informative=8, random_state=0)
    features = features.astype(np.float32)
    settings: dict[str, Any] = {"max_leaf_nodes": case.n_leaves, "random_state": 0}
    estimator = ENSEMBLES[case.ensemble](n_estimators=case.n_trees, **settings).fit(features, target)
    rng = np.random.default_rng(0)
    drawn = rng.integers(0, N_FITTED, case.n_rows)
    jittered = features[drawn] + rng.normal(0, 0.1, (case.n_rows, N_FEATURES)).astype(np.float32)
    names = [f"f{index}" for index in range(N_FEATURES)]
    frame = pd.DataFrame(jittered, columns=names).assign(t=target[drawn].astype(str))
    onnx = onnx_of(estimator, features[:10])
    model = workshop.register_model(onnx, feature_names=names, ensemble=case.ensemble)
    dataset = workshop.register_dataset(frame, target="t")
    workshop.make(model=model, dataset=dataset, min_leaf_rows="auto")
    context = workshop.context
    return sizes_of(context.models.get(model).view, context.datasets.get(dataset).view)


@contextmanager
def timed() -> Iterator[Timed]:
    """Yield what the choice of leaves takes, in jobs of this process."""
    job: Any = prototype_set_choice  # where its name is bound to a timed one meanwhile
    last, choose = Timed(), job.choose_leaves

    def choose_and_note(*arguments: Any) -> Any:  # as choose_leaves has them
        began, used = time.perf_counter(), time.process_time()
        chosen = choose(*arguments)
        last.seconds, last.processor_seconds = time.perf_counter() - began, time.process_time() - used
        last.n_steps = len(chosen.steps)
        return chosen

    job.choose_leaves = choose_and_note
    try:
        yield last
    finally:
        job.choose_leaves = choose


if __name__ == "__main__":
    main()
