"""Jobs that would need too much memory are refused before they run, and estimates are about right."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from benchmarks.leaf_choice import timed
from schemas.approximation_trees import MAX_ROWS_HELD, ApproximationTreeRequest
from schemas.nouns import NOUNS
from schemas.proximities import ProximitiesRequest
from service.operations.artefacts import MadeFrom
from service.operations.job_estimates import JobEstimate, Need, estimate_job, estimated_kinds, refuse_beyond, sizes_of
from service.operations.row_kinds import refusal_of_row_kind
from service.operations.run_on import resolve_run_on
from storage.errors import StorageError
from storage.job_counts import is_short
from tests.support.models import onnx_of
from tests.support.nouns import EXAMPLES
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, workshop_in
from tree_explainers.compute.job_sizes import JobSizes
from tree_explainers.leaf_space.cost import list_bytes
from tree_explainers.prototype_sets.cost import leaf_choice_seconds
from workers.job_kinds import JOB_KINDS

GIB = 1 << 30
SOME = JobSizes(
    n_rows=1_000_000,
    n_trees=200,
    n_features=30,
    n_outputs=2,
    n_nodes=12_000,
    model_bytes=1_000_000,
    n_leaves=6_200,
    code_bytes=1,
    row_text_bytes=110,
    n_prototypes=50,
)


def _request(kind: str) -> dict[str, Any]:
    """Return the example of a kind of job, its defaults spelled out as operations do."""
    noun = NOUNS[kind]
    assert noun.request is not None
    ids = dict.fromkeys(noun.made_from, "id")
    request = noun.request.model_validate({**ids, **EXAMPLES[kind].numbered(10)}).model_dump(mode="json")
    return request | ({"fitted_on": "generator"} if kind == "approximation_trees" else {})


REQUESTS = {kind: _request(kind) for kind in estimated_kinds()}
MANY_PSEUDO_ROWS = REQUESTS["approximation_trees"] | {"max_pseudo_samples": 100_000}


def test_a_job_within_the_limit_is_let_through_and_one_beyond_says_by_how_much_and_what_to_change() -> None:
    estimate = JobEstimate((Need(GIB, "send fewer rows", "/dataset"), Need(9 * GIB, "request less", "/n_candidates")))
    refuse_beyond(estimate.n_bytes, estimate)

    with pytest.raises(StorageError) as refused:
        refuse_beyond(4 * GIB, estimate)

    assert (refused.value.code, refused.value.pointer) == ("resource_estimate_exceeds_limit", "/n_candidates")
    assert refused.value.detail == (
        "the job would need about 12.2 GiB of memory, 8.25 GiB more than the 4 GiB that a job may use; "
        "request less, or raise LEAFSPACE_JOB_MEMORY_BYTES"
    )


@pytest.mark.parametrize("kind", REQUESTS)
@pytest.mark.parametrize("what", ["n_rows", "n_trees", "n_features", "n_outputs", "n_nodes"])
def test_more_of_anything_is_never_estimated_to_need_less(kind: str, what: str) -> None:
    more = replace(SOME, **{what: 10 * getattr(SOME, what)})
    of_more, of_some = (estimate_job(kind, sizes, REQUESTS[kind]) for sizes in (more, SOME))
    assert of_more.n_bytes >= of_some.n_bytes
    assert of_more.seconds >= of_some.seconds


@pytest.mark.parametrize(
    ("kind", "less", "more", "pointer"),
    [
        ("prototype_sets", {"n_candidates": 10}, {"n_candidates": 10_000}, "/n_candidates"),
        ("prototype_sets", {"refine": "none"}, {"refine": "swap"}, "/n_candidates"),
        ("approximation_trees", {"max_pseudo_samples": 1000}, {"max_pseudo_samples": 10**7}, "/max_pseudo_samples"),
        (
            "approximation_trees",
            {"method": "born_again", "max_pseudo_samples": 1000},
            {"method": "born_again", "max_pseudo_samples": 10**7},
            "/max_pseudo_samples",
        ),
        ("rule_sets", {"max_rules": 10, "n_restarts": 20}, {"max_rules": 1000, "n_restarts": 20}, "/max_rules"),
    ],
)
def test_what_a_request_may_lower_counts_and_is_named(
    kind: str, less: dict[str, Any], more: dict[str, Any], pointer: str
) -> None:
    small, large = (estimate_job(kind, SOME, REQUESTS[kind] | changes) for changes in (less, more))
    assert small.n_bytes < large.n_bytes
    with pytest.raises(StorageError) as refused:
        refuse_beyond(GIB // 8, replace(large, needs=large.needs[-1:]))
    assert refused.value.pointer == pointer


def test_by_plain_distance_positions_are_held_instead_of_lists_and_features_take_time() -> None:
    sizes, wide = (replace(SOME, n_features=n_features) for n_features in (10, 1000))
    for kind in ("prototype_sets", "proximities"):
        request = REQUESTS[kind] | {"proximity_kind": "euclidean"}
        estimates = [estimate_job(kind, each, request) for each in (sizes, wide)]
        assert estimates[0].n_bytes < estimates[1].n_bytes
        assert estimates[0].seconds < estimates[1].seconds


def test_kinds_that_look_at_rows_of_leaves_or_above_them_have_costs_of_their_own() -> None:
    def estimate(kind: str, sizes: JobSizes = SOME) -> JobEstimate:
        return estimate_job("proximities", sizes, REQUESTS["proximities"] | {"proximity_kind": kind})

    large_leaves = replace(SOME, n_leaves=2 * SOME.n_trees)
    fewer_rows = replace(SOME, n_rows=SOME.n_rows // 2)
    for kind in ("gap", "oob", "kernel"):
        assert estimate(kind).n_bytes > estimate("random_forest").n_bytes + 3 * SOME.n_paths  # lists with counts
        assert estimate(kind, large_leaves).seconds > estimate(kind).seconds
    assert 3.5 < estimate("graded").seconds / estimate("graded", fewer_rows).seconds < 4.1


def test_prototype_sets_need_room_for_lists_of_uncut_and_of_coarser_leaves_and_for_those_that_they_file() -> None:
    def n_bytes(sizes: JobSizes, min_leaf_rows: object) -> float:
        request = REQUESTS["prototype_sets"] | {"min_leaf_rows": min_leaf_rows}
        return sum(need.n_bytes for need in estimate_job("prototype_sets", sizes, request).needs)

    deep = replace(SOME, n_leaves=100 * SOME.n_trees)
    too_many_to_file = replace(SOME, n_rows=10 * SOME.n_rows)

    assert n_bytes(deep, "auto") == n_bytes(deep, 2)
    assert list_bytes(deep) <= n_bytes(deep, 2) - n_bytes(deep, 1) < list_bytes(deep) + 3 * SOME.n_paths
    assert n_bytes(deep, 1) - n_bytes(SOME, 1) < SOME.n_paths
    listed = replace(too_many_to_file, n_leaves=deep.n_leaves)
    assert n_bytes(listed, 1) - n_bytes(too_many_to_file, 1) == 3 * too_many_to_file.n_paths


def test_every_kind_of_job_has_an_estimate() -> None:
    over_tables = {"datasets", "feature_sets", "relational_forests"}  # see test_relational_estimates.py
    assert set(REQUESTS) == set(JOB_KINDS) - over_tables
    for kind, request in REQUESTS.items():
        assert GIB / 8 < estimate_job(kind, SOME, request).n_bytes < 8 * GIB
    for method in ("sta", "ism", "cart", "born_again"):
        request = {"method": method, "max_pseudo_samples": 10, "fitted_on": "generator"}
        on_rows = estimate_job("approximation_trees", SOME, request | {"fitted_on": "dataset"})
        assert on_rows.seconds < estimate_job("approximation_trees", SOME, request).seconds


@pytest.mark.parametrize("kind", REQUESTS)
def test_a_job_on_a_small_table_is_short_and_one_on_many_rows_is_not(kind: str) -> None:
    request = REQUESTS[kind] | {"max_pseudo_samples": 1000}
    small = replace(SOME, n_rows=500, n_trees=100)

    assert is_short(estimate_job(kind, small, request).seconds)
    assert not is_short(estimate_job(kind, SOME, request).seconds)


def test_a_tree_of_an_oracle_takes_as_long_as_the_oracle_that_labels_its_rows() -> None:
    oracle = replace(SOME, n_trees=0, n_nodes=0, n_leaves=0, oracle_seconds=0.01)
    request = MANY_PSEUDO_ROWS

    quick, slow = (
        estimate_job("approximation_trees", replace(oracle, oracle_seconds=seconds), request).seconds
        for seconds in (0.01, 1.0)
    )

    assert slow - quick == pytest.approx(100 * 0.99)  # 100,000 pseudo rows, once
    assert estimate_job("approximation_trees", oracle, request | {"method": "sta"}).seconds > 10 * quick


@pytest.mark.parametrize("method", ["sta", "ism", "cart", "born_again"])
def test_the_time_of_a_tree_grows_with_features_and_classes(method: str) -> None:
    request = MANY_PSEUDO_ROWS | {"method": method}
    some = replace(SOME, n_rows=1000)
    tables = {"some": some, "features": replace(some, n_features=300), "classes": replace(some, n_outputs=30)}
    seconds = {name: estimate_job("approximation_trees", sizes, request).seconds for name, sizes in tables.items()}

    # Growing on ten times the features took 8 to 19 times as long with sta, cart and born_again, and 3 with ism.
    assert seconds["features"] > (2 if method == "ism" else 4) * seconds["some"]
    assert seconds["classes"] > 1.2 * seconds["some"]


@pytest.mark.parametrize("fitted_on", ["dataset", "generator"])
@pytest.mark.parametrize("method", ["sta", "ism", "cart", "born_again"])
def test_trees_of_any_number_of_rows_fit_a_job_whose_rows_are_on_a_cluster(method: str, fitted_on: str) -> None:
    request = {"method": method, "max_pseudo_samples": 100_000, "fitted_on": fitted_on}
    held = replace(SOME, n_rows=MAX_ROWS_HELD)
    many, more = (replace(SOME, n_rows=10**power, n_sampled_rows=MAX_ROWS_HELD) for power in (7, 9))

    there = [estimate_job("approximation_trees", sizes.on_cluster(), request) for sizes in (held, many, more)]
    here = [estimate_job("approximation_trees", sizes, request) for sizes in (held, many, more)]

    assert there[1].n_bytes == there[2].n_bytes < 1.25 * GIB
    assert there[0].n_bytes <= there[1].n_bytes < 1.1 * there[0].n_bytes
    assert here[0].n_bytes < here[1].n_bytes < here[2].n_bytes
    assert here[2].n_bytes > 16 * GIB


N_ROWS, N_FEATURES, N_TREES = 12_000, 20, 60


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    with workshop_in(tmp_path_factory.mktemp("estimates")) as opened:
        yield opened


@pytest.fixture(scope="module")
def both(workshop: Workshop) -> dict[str, str]:
    features, target = make_classification(N_ROWS, N_FEATURES, n_informative=8, random_state=0)
    forest = RandomForestClassifier(N_TREES, max_leaf_nodes=31, random_state=0, n_jobs=2)
    forest.fit(features[:3000], target[:3000])
    names = [f"f{position}" for position in range(N_FEATURES)]
    frame = pd.DataFrame(features.astype(np.float32), columns=names).assign(t=target.astype(str))
    model = workshop.register_model(
        onnx_of(forest, features[:10].astype(np.float32)), feature_names=names, ensemble="random_forest"
    )
    return {"model": model, "dataset": workshop.register_dataset(frame, target="t")}


@pytest.fixture
def small_limit(workshop: Workshop, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = workshop.context.settings.model_copy(update={"job_memory_bytes": GIB // 8})
    monkeypatch.setattr(workshop, "context", replace(workshop.context, settings=settings))


Changes = Callable[[Workshop, dict[str, str]], Any]


def _explain(workshop: Workshop, both: dict[str, str]) -> Any:  # any view
    made = workshop.make(**both, n_candidates=100)
    explainer = workshop.register_explainer(model=both["model"], prototype_set=made.id)
    return workshop.explain(explainer=explainer, dataset=both["dataset"])


JOBS: dict[str, Changes] = {
    "proximities": lambda workshop, both: workshop.find_neighbors(**both),
    "proximities by kernel": lambda workshop, both: workshop.find_neighbors(**both, proximity_kind="kernel"),
    "proximities by graded": lambda workshop, both: workshop.find_neighbors(**both, proximity_kind="graded"),
    "label audit": lambda workshop, both: workshop.audit(**both),
    "prototypes": lambda workshop, both: workshop.make(**both, n_candidates=1000),
    "prototypes, swaps": lambda workshop, both: workshop.make(**both, n_candidates=300, refine="swap"),
    "rules": lambda workshop, both: workshop.find_rules(**both, n_restarts=1, max_rules=3),
    "tree by sta": lambda workshop, both: workshop.grow_tree(**both, max_depth=2, max_pseudo_samples=10_000),
    "tree by cart": lambda workshop, both: workshop.grow_tree(**both, method="cart", max_pseudo_samples=50_000),
    "born-again tree": lambda workshop, both: workshop.grow_tree(
        **both, method="born_again", max_pseudo_samples=20_000
    ),
    "tree by ism": lambda workshop, both: workshop.grow_tree(**both, method="ism", max_depth=2),
    "explanation set": _explain,
}


@pytest.mark.usefixtures("small_limit")
@pytest.mark.parametrize("name", [name for name in JOBS if name != "explanation set"])
def test_a_job_of_each_kind_is_refused_and_leaves_nothing(name: str, workshop: Workshop, both: dict[str, str]) -> None:
    before = workshop.context.jobs.list(1000, None).data

    with pytest.raises(StorageError) as refused:
        JOBS[name](workshop, both)

    assert refused.value.code == "resource_estimate_exceeds_limit"
    assert "more than the 128 MiB that a job may use" in refused.value.detail
    assert workshop.context.jobs.list(1000, None).data == before


@pytest.mark.parametrize("name", mostly_long(JOBS, "prototypes", "tree by sta"))
def test_an_estimate_is_above_what_the_job_holds_and_below_four_times_that(
    name: str, workshop: Workshop, both: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[JobEstimate] = []
    monkeypatch.setattr("service.operations.artefacts.refuse_beyond", lambda _, estimate: limits.append(estimate))
    peaks: list[int] = []
    monkeypatch.setattr(workshop, "run", lambda job: peaks.append(_peak_of(workshop, job)))

    JOBS[name](workshop, both)

    worker_bytes = JobEstimate(()).n_bytes
    own_bytes = limits[-1].n_bytes - worker_bytes
    assert peaks[-1] < own_bytes
    assert limits[-1].n_bytes < 4 * (peaks[-1] + worker_bytes)


def test_choosing_leaves_takes_about_as_long_as_is_estimated(workshop: Workshop, both: dict[str, str]) -> None:
    request = {**both, "n_candidates": 500, "min_leaf_rows": "auto"}
    workshop.make(**request, seed=1)  # loops are compiled then

    with timed() as last:
        workshop.make(**request, seed=2)

    model, dataset = workshop.context.models.get(both["model"]).view, workshop.context.datasets.get(both["dataset"])
    estimate = leaf_choice_seconds(sizes_of(model, dataset.view), 500, 10, are_weighted=False)
    assert last.n_steps > 5
    assert last.processor_seconds / 4 < estimate < 8 * last.processor_seconds


def test_too_many_rows_to_be_compared_by_degrees_are_refused(workshop: Workshop, both: dict[str, str]) -> None:
    model, request = (
        workshop.context.models.get(both["model"]).view,
        ProximitiesRequest(**both, proximity_kind="graded"),
    )
    assert refusal_of_row_kind(request, model, 100_000) is None
    refusal = refusal_of_row_kind(request, model, 200_000)
    assert refusal is not None
    assert (refusal.code, refusal.pointer) == ("resource_estimate_exceeds_limit", "/dataset")
    assert f"in {N_TREES} trees, which would take too long; send fewer rows" in refusal.detail
    assert refusal_of_row_kind(request.model_copy(update={"proximity_kind": "kernel"}), model, 200_000) is None


def test_a_tree_that_outgrows_one_process_is_placed_on_the_cluster_where_it_fits(
    workshop: Workshop, both: dict[str, str]
) -> None:
    model, dataset = workshop.context.models.get(both["model"]), workshop.context.datasets.get(both["dataset"])
    many = replace(dataset, view=dataset.view.model_copy(update={"n_rows": 10**9}))
    settings = workshop.context.settings.model_copy(
        update={"job_memory_bytes": GIB, "dask_scheduler": "tcp://somewhere:8786"}
    )
    requested = ApproximationTreeRequest.model_validate({**both, "method": "sta", "fitted_on": "generator"})
    request, made_from = requested.model_dump(mode="json"), MadeFrom(model.view, many)

    here = made_from.estimate("approximation_trees", request)

    assert resolve_run_on(settings, here, "auto") == "cluster"
    refuse_beyond(GIB, made_from.estimate("approximation_trees", request, on_cluster=True))
    with pytest.raises(StorageError, match="would need"):
        refuse_beyond(GIB, here)


def _peak_of(workshop: Workshop, job: str) -> int:
    """Do the job in a process of its own; return the most that it held beyond what it began with."""
    claim = workshop.claim(job)
    taken = workshop.in_a_fork(lambda: workshop.work(claim))
    assert workshop.context.jobs.get(job).status == "succeeded"
    return taken.n_bytes


@pytest.mark.parametrize("method", ["rule_list", "fab", "em"])
def test_rules_that_are_added_up_on_a_cluster_take_any_number_of_rows(method: str) -> None:
    request = {"method": method, "max_rules": 10, "n_restarts": 20, "labels": "predicted"}
    many = replace(SOME, n_rows=400_000_000)

    on_cluster = estimate_job("rule_sets", many.on_cluster(), request)

    assert estimate_job("rule_sets", many, request).n_bytes > 100 * GIB
    assert on_cluster.n_bytes < 2 * GIB
    assert on_cluster.n_bytes == estimate_job("rule_sets", replace(many, n_rows=10**6).on_cluster(), request).n_bytes


@pytest.mark.parametrize(("method", "n_restarts", "n_fits"), [("fab", 1, 1), ("fab", 20, 4), ("rule_list", 20, 2)])
def test_rules_are_estimated_by_the_fits_that_run_at_once(
    method: str, n_restarts: int, n_fits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tree_explainers.compute.job_sizes.n_cores", lambda: 4)
    request = {"method": method, "max_rules": 10, "labels": "target"}
    one, some = (estimate_job("rule_sets", SOME, {**request, "n_restarts": each}) for each in (1, n_restarts))

    assert some.n_bytes - one.n_bytes == pytest.approx(1.2 * (n_fits - 1) * 24 * SOME.n_rows * 10, abs=2)


@pytest.mark.parametrize("method", ["in_trees", "node_harvest", "decision_tree"])
def test_rules_that_need_rows_in_one_piece_hold_them_on_a_cluster_too(method: str) -> None:
    request = {"method": method, method: None}
    many = replace(SOME, n_rows=10**7)

    few = estimate_job("rule_sets", replace(SOME, n_rows=10**6).on_cluster(), request)

    assert estimate_job("rule_sets", many.on_cluster(), request).n_bytes > 5 * few.n_bytes


@pytest.mark.parametrize("method", ["in_trees", "node_harvest", "decision_tree"])
def test_rules_of_other_methods_are_estimated_by_their_own_settings(method: str) -> None:
    request = {"method": method, method: None}

    of_some = estimate_job("rule_sets", SOME, request)

    for what in ("n_rows", "n_trees", "n_features", "n_outputs", "n_nodes"):
        of_more = estimate_job("rule_sets", replace(SOME, **{what: 10 * getattr(SOME, what)}), request)
        assert of_more.n_bytes >= of_some.n_bytes
        assert of_more.seconds >= of_some.seconds
    if method != "decision_tree":
        deeper = estimate_job("rule_sets", SOME, {**request, method: {"max_depth": 1}})
        assert deeper.n_bytes < of_some.n_bytes
