"""What jobs are estimated to need, against what they held at most: memory, for each kind of job.

Forests are fitted on 4,000 rows, of which the datasets hold as many copies as needed, jittered. Each job runs in a
process forked for it, whose own memory in use (``RssAnon``) is looked at every two milliseconds; what it began with is
that of libraries, and counted as estimates count it. ``python -m benchmarks.job_estimates [sizes by number, 0,2]``
"""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import structlog
from sklearn.datasets import make_classification, make_regression
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from schemas.datasets import DatasetMetadata
from service.operations import artefacts, datasets
from service.operations.job_estimates import JobEstimate, refuse_beyond
from tests.support.models import onnx_of
from tests.support.workshop import Workshop, workshop_in

from .machine import describe_machine

N_FITTED = 4000


@dataclass(frozen=True)
class Size:
    """A model and a dataset."""

    n_rows: int
    n_features: int
    n_trees: int
    n_leaves: int | None  # of a tree at most
    n_classes: int = 2  # 1: regression


SIZES = (
    Size(20_000, 20, 100, 31),
    Size(5_000, 20, 100, None),
    Size(100_000, 10, 100, 31),
    Size(10_000, 100, 50, None, 5),
    Size(10_000, 20, 100, 200, 1),
    Size(20_000, 20, 400, 31),
)


class Measured(NamedTuple):
    """One job."""

    estimate: int
    own_bytes: int  # the most that it held, less what it began with
    seconds: float
    status: str


def main() -> None:
    """Measure and print."""
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))
    print(describe_machine())
    numbers = [int(number) for number in sys.argv[1].split(",")] if len(sys.argv) > 1 else range(len(SIZES))
    worker_bytes, ratios = JobEstimate(()).n_bytes, list[float]()
    for size in (SIZES[number] for number in numbers):
        what = "regression" if size.n_classes == 1 else f"{size.n_classes} classes"
        leaves = "unlimited" if size.n_leaves is None else f"{size.n_leaves}"
        print(f"\n{size.n_rows:,} rows x {size.n_features} features, {size.n_trees} trees of {leaves} leaves, {what}")
        print(f"  {'job':28s} {'held MB':>8s} {'estimate MB':>12s} {'ratio':>6s} {'seconds':>8s}")
        for name, found in _measure(size):
            held = found.own_bytes + worker_bytes
            ratios.append(found.estimate / held)
            figures = f"{held / 1e6:8.0f} {found.estimate / 1e6:12.0f} {ratios[-1]:6.2f} {found.seconds:8.1f}"
            print(f"  {name:28s} {figures}{'' if found.status == 'succeeded' else '  ' + found.status}", flush=True)
    print(f"\nratios {min(ratios):.2f} to {max(ratios):.2f} (to stay above: 1; under: 4)")


def _measure(size: Size) -> Iterator[tuple[str, Measured]]:
    with tempfile.TemporaryDirectory() as folder:
        files = Path(folder)
        # Elsewhere, so that nothing of it is left in the memory that jobs begin with.
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            pool.apply(_prepare, (size, files))
        with workshop_in(files / "data") as workshop:
            names = [f"f{position}" for position in range(size.n_features)]
            onnx = (files / "model.onnx").read_bytes()
            model = workshop.register_model(onnx, feature_names=names, ensemble="random_forest")
            with (files / "rows.parquet").open("rb") as file:
                dataset = datasets.register_dataset(workshop.context, file, DatasetMetadata(target="t"))[0].id
            yield from _measure_all(workshop, size, {"model": model, "dataset": dataset})


def _prepare(size: Size, folder: Path) -> None:
    """Write a model and its rows into the folder."""
    rng = np.random.default_rng(0)
    shape = {"n_samples": N_FITTED, "n_features": size.n_features, "random_state": 0, "n_informative": 8}
    settings = {"max_leaf_nodes": size.n_leaves, "random_state": 0, "n_jobs": 2}
    if size.n_classes == 1:
        features, target = make_regression(**shape)
        forest = RandomForestRegressor(size.n_trees, **settings)
    else:
        features, target = make_classification(n_classes=size.n_classes, n_clusters_per_class=1, **shape)
        forest = RandomForestClassifier(size.n_trees, **settings)
    features = features.astype(np.float32)
    forest.fit(features, target)
    (folder / "model.onnx").write_bytes(onnx_of(forest, features))
    drawn = rng.integers(0, N_FITTED, size.n_rows)
    jittered = features[drawn] + rng.normal(0, 0.1, (size.n_rows, size.n_features)).astype(np.float32)
    frame = pd.DataFrame(jittered, columns=[f"f{position}" for position in range(size.n_features)])
    frame["t"] = target[drawn] if size.n_classes == 1 else target[drawn].astype(str)
    frame.to_parquet(folder / "rows.parquet", index=False)


def _measure_all(workshop: Workshop, size: Size, both: dict[str, str]) -> Iterator[tuple[str, Measured]]:
    watch = _Watch(workshop)
    for name, make in _requests(workshop, size, both):
        made = make()
        yield name, watch.last
        if name == "prototypes by sm_a":
            prototype_set = made.id
    explainer = workshop.register_explainer(model=both["model"], prototype_set=prototype_set)
    workshop.explain(explainer=explainer, dataset=both["dataset"])
    yield "explanation set", watch.last


def _requests(workshop: Workshop, size: Size, both: dict[str, str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    def bound(make: Callable[..., Any], **request: Any) -> Callable[[], Any]:  # of the request
        return lambda: make(**both, **request)

    yield "proximities", bound(workshop.find_neighbors)
    yield "proximities, 100 each", bound(workshop.find_neighbors, n_neighbors=100)
    for kind in ("kernel", "graded"):
        yield f"proximities by {kind}", bound(workshop.find_neighbors, proximity_kind=kind)
    yield "prototypes by sm_a", bound(workshop.make, n_candidates=2000)
    yield "prototypes with swaps", bound(workshop.make, n_candidates=1000, refine="swap")
    yield "prototypes by a_pete", bound(workshop.make, n_candidates=1000, method="a_pete")
    for method in ("fab", "em"):
        yield f"rules by {method}", bound(workshop.find_rules, method=method, n_restarts=1, max_rules=5)
    for method, n in (("sta", 10_000), ("cart", 10_000), ("cart", 100_000), ("born_again", 30_000)):
        grow = bound(workshop.grow_tree, method=method, max_pseudo_samples=n, max_depth=4)
        yield f"tree by {method}, {n:,}", grow
    if size.n_classes > 1:
        yield "prototypes by sg", bound(workshop.make, n_candidates=500, method="sg")
        yield "label audit", bound(workshop.audit)
        yield "tree by ism", bound(workshop.grow_tree, method="ism", max_depth=4)


class _Watch:
    """Has a workshop do its jobs in processes of their own, and notes what they were estimated to need, and needed."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        self._estimate = 0
        self.last = Measured(0, 0, 0.0, "")
        workshop.run = self._run  # type: ignore[method-assign, assignment]
        artefacts.refuse_beyond = self._note  # type: ignore[attr-defined]

    def _note(self, limit_bytes: int, estimate: JobEstimate) -> None:
        refuse_beyond(limit_bytes, estimate)
        self._estimate = estimate.n_bytes

    def _run(self, job: str) -> None:
        claim = self._workshop.claim(job)
        began = time.perf_counter()
        taken = self._workshop.in_a_fork(lambda: self._workshop.work(claim))
        status = self._workshop.context.jobs.get(job).status
        self.last = Measured(self._estimate, taken.n_bytes, time.perf_counter() - began, status)


if __name__ == "__main__":
    main()
