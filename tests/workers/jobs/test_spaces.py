"""Prototype sets and proximities by plain distance: as those by tree space are, without what only leaves can give."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics import balanced_accuracy_score

from schemas.prototype_sets import PrototypeMethod, PrototypeSet, PrototypeSetResult
from schemas.proximities import PROXIMITIES
from storage.errors import StorageError
from tests.support import naive, naive_euclidean
from tests.support.pipelines import PIPELINES, fitted_pipeline
from tests.support.real_jobs import N_TRAINING_ROWS, REGRESSION, RealCase
from tests.support.workshop import Workshop, result_of

from .conftest import FindCase

_WITHOUT_LEAVES = (
    *("min_leaf_rows", "n_trees_used", "row_coverage", "nearest_rows", "typicality"),
    *("all_rows_certificate", "all_rows_upper_bound", "certificate", "objective_upper_bound"),
    *("certificate_scope", "certificate_objective"),
)


@pytest.fixture
def case(real_case: FindCase) -> RealCase:
    return real_case("breast_cancer", "random_forest")


def _requested(case: RealCase, **request: object) -> dict[str, object]:
    return {"model": case.model, "dataset": case.dataset, "proximity_kind": "euclidean", "n_prototypes": 6, **request}


def _made(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    made = workshop.make(**_requested(case, **request))
    assert (made.status, made.problem) == ("ready", None)
    return made


def _distances(features: NDArray[Any], rows: slice) -> NDArray[np.float64]:
    """Return the distance of some rows to each training row, divided by its largest possible value."""
    columns = features.astype(np.float64).T
    known = [np.sort(column[:N_TRAINING_ROWS]) for column in columns]
    ranks = [(np.searchsorted(own, own) + np.searchsorted(own, own, "right")) / (2 * len(own)) for own in known]
    position = np.stack([np.interp(c, own, rank) for c, own, rank in zip(columns, known, ranks, strict=True)], axis=1)
    apart = position[rows, None] - position[None, :N_TRAINING_ROWS]
    return np.asarray(np.sqrt((apart**2).mean(axis=2)))


@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sg"])
@pytest.mark.parametrize("is_other", [True, False])
@pytest.mark.sampled("values")
def test_the_nearest_prototype_by_distance_is_scored_as_scikit_learn_does(
    workshop: Workshop,
    case: RealCase,
    method: PrototypeMethod,
    is_other: bool,  # a parameter
) -> None:
    rows = slice(N_TRAINING_ROWS, None) if is_other else case.training
    others = {"evaluation_dataset": case.evaluation_dataset} if is_other else {}

    result = result_of(_made(workshop, case, method=method, labels="target", **others))

    distances, target = _distances(case.real.features, rows), np.asarray(case.real.target)
    chosen = np.array([prototype.row for prototype in result.prototypes])
    given = target[chosen[distances[:, chosen].argmin(axis=1)]]
    assert result.evaluation[-1].balanced_accuracy == pytest.approx(balanced_accuracy_score(target[rows], given))
    mean_distance = distances[:, chosen].min(axis=1).mean()
    assert result.quality.mean_distance == pytest.approx(mean_distance, abs=1e-4)
    if is_other:
        nearest = target[distances.argmin(axis=1)]
        baseline = result.baseline.one_nearest_neighbor
        assert baseline.balanced_accuracy == pytest.approx(balanced_accuracy_score(target[rows], nearest))


def test_what_only_leaves_can_give_is_null(workshop: Workshop, case: RealCase) -> None:
    made = _made(workshop, case, n_prototypes=3)
    result = result_of(made)

    assert result.proximity_kind == "euclidean"
    assert {name for name in PrototypeSetResult.model_fields if getattr(result, name) is None} == {
        *_WITHOUT_LEAVES,
        "validation",
        "leaf_choice",
        "outcome_texts",
    }
    assert result.leaf_steps == []
    assert (result.n_selected, result.nested, result.n_candidates) == (3, True, N_TRAINING_ROWS)
    assert len(result.criticisms) == 10
    assert sum(prototype.coverage.n_rows for prototype in result.prototypes) == N_TRAINING_ROWS


def test_rows_of_all_types_are_compared_as_the_twin_does(workshop: Workshop) -> None:
    pipeline, (_, table) = fitted_pipeline("scaled_and_one_hot"), PIPELINES["scaled_and_one_hot"]()
    frame = table.features.head(120)
    model = workshop.register_model(pipeline.onnx, feature_names=list(pipeline.rows.names), ensemble="random_forest")
    dataset = workshop.register_dataset(frame.assign(t=table.target[:120]), target="t")

    made = workshop.make(
        model=model, dataset=dataset, n_prototypes=9, proximity_kind="euclidean", method="sm_wa", labels="target"
    )

    columns = [frame[name].astype(object).where(frame[name].notna(), None).tolist() for name in pipeline.rows.names]
    is_ranked = [not any(isinstance(value, str) for value in column) for column in columns]
    rows = [
        tuple(value if value is None or isinstance(value, str) else float(value) for value in row)
        for row in zip(*columns, strict=True)
    ]
    reference = [tuple(np.nan if value is None else value for value in row) for row in rows]
    proximity = naive_euclidean.proximity_matrix(reference, reference, reference, is_ranked)
    _, classes = np.unique(table.target[:120], return_inverse=True)
    twin = naive.sm_wa(proximity, classes, 9)
    result = result_of(made)
    assert [prototype.row for prototype in result.prototypes] == twin
    assert result.objective * 2**20 == naive.objective(proximity, classes, twin)


def test_the_number_can_be_validated(workshop: Workshop, case: RealCase) -> None:
    made = _made(workshop, case, n_prototypes="validate", evaluation_dataset=case.evaluation_dataset, labels="target")

    result = result_of(made)
    assert result.validation is not None
    assert result.n_selected <= result.validation.best_n_prototypes
    assert result.stopped_by.reason == "validate"


@pytest.mark.parametrize("method", ["a_pete", "k_medoids"])
def test_regressions_and_other_methods_have_sets_too(
    workshop: Workshop, real_case: FindCase, method: PrototypeMethod
) -> None:
    size = None if method == "a_pete" else 4

    made = _made(workshop, real_case(REGRESSION, "boosting"), method=method, n_prototypes=size)

    assert result_of(made).evaluation[-1].r2 is not None


def test_proximities_are_those_of_the_nearest_rows_by_distance(workshop: Workshop, case: RealCase) -> None:
    request = {"model": case.model, "dataset": case.dataset, "proximity_kind": "euclidean", "n_neighbors": 3}

    made = workshop.find_neighbors(**request)

    result, table = result_of(made), workshop.table_of(PROXIMITIES, made)
    distances = _distances(case.real.features, case.training)
    np.fill_diagonal(distances, np.inf)
    nearest = np.sort(distances, axis=1)[:, :3]
    assert table["proximity"].to_numpy().reshape(-1, 3) == pytest.approx(1 - nearest, abs=2e-5)
    assert np.abs(distances[table["row"].to_numpy(), table["neighbor_row"].to_numpy()] - nearest.ravel()).max() < 2e-5
    assert (result.proximity_kind, result.min_leaf_rows, result.n_trees_used) == ("euclidean", None, None)
    assert (result.n_pairs, result.share_without_neighbors) == (3 * N_TRAINING_ROWS, 0)
    with pytest.raises(StorageError, match="without leaves: leave it out"):
        workshop.find_neighbors(**request, min_leaf_rows=2)


def test_equal_requests_share_one_set(workshop: Workshop, case: RealCase) -> None:
    usual, of_papers = (_made(workshop, case, **request) for request in ({}, {"min_leaf_rows": 1}))

    assert usual.id == of_papers.id
    assert usual.request.min_leaf_rows == 1
    assert usual.id != _made(workshop, case, proximity_kind="auto").id


@pytest.mark.parametrize(
    ("changes", "pointer", "advice"),
    [
        ({"min_leaf_rows": 5}, "/min_leaf_rows", "leave it out"),
        ({"n_prototypes": None, "coverage": 0.9}, "/coverage", "give n_prototypes instead"),
        ({"refine": "swap"}, "/refine", "leave out refine"),
    ],
)
def test_what_is_about_leaves_is_refused(
    workshop: Workshop, case: RealCase, changes: dict[str, object], pointer: str, advice: str
) -> None:
    with pytest.raises(StorageError, match=advice) as refused:
        workshop.create(**_requested(case, **changes))

    assert (refused.value.code, refused.value.pointer) == ("method_not_applicable", pointer)


def test_rows_that_take_too_long_are_refused_with_a_number_that_does_not(
    workshop: Workshop, case: RealCase, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.operations.plain_distances.MOST_STEPS", N_TRAINING_ROWS * 80 * 40)

    with pytest.raises(StorageError, match="at most 40 candidates") as refused:
        workshop.create(**_requested(case, n_candidates=41, seed=9))

    assert (refused.value.code, refused.value.pointer) == ("resource_estimate_exceeds_limit", "/n_candidates")
    assert workshop.create(**_requested(case, n_candidates=40, seed=9)).status == "pending"
