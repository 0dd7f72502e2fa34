"""The certificate of a prototype set holds: no set of as many prototypes is better than its bound says."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from schemas.prototype_sets import CertificateObjective, PrototypeMethod, PrototypeSet, PrototypeSetResult
from tests.support import naive_prototype_bounds as twin
from tests.support.naive import proximity_matrix
from tests.support.real_jobs import REGRESSION, RealCase
from tests.support.real_leaves import KINDS
from tests.support.sampling import mostly_long
from tests.support.workshop import Workshop, result_of
from tree_explainers.leaf_space.leaves import ProximityKind
from tree_explainers.prototype_sets.selection import sample_candidates
from workers.jobs import prototype_set_views

from .conftest import FindCase

_METHODS: tuple[PrototypeMethod, ...] = ("sm_u", "sm_a", "sm_wa", "sg", "a_pete")
_N_ROWS, _N_PROTOTYPES = 14, 3


def _of_a_few(workshop: Workshop, case: RealCase, **request: object) -> PrototypeSet:
    """Make a set of a few rows only, for which all sets can be tried."""
    content = pd.read_parquet(workshop.context.objects.path(workshop.context.datasets.get(case.dataset).content))
    dataset = workshop.register_dataset(content.head(_N_ROWS), target="t", row_id="id")
    size = {} if request.get("method") == "a_pete" else {"n_prototypes": _N_PROTOTYPES}
    usual = {"model": case.model, "dataset": dataset, "proximity_kind": "random_forest", "min_leaf_rows": 1}
    made = workshop.make(**usual, **size, **request)
    assert (made.status, made.problem) == ("ready", None)
    return made


def _best(case: RealCase, made: PrototypeSet, candidates: list[int] | None = None) -> tuple[float, float]:
    """Return what the set reaches of its objective, and the best that is possible, in the units of the certificate."""
    classes, chosen = (
        case.classes("predicted")[:_N_ROWS],
        [prototype.row for prototype in result_of(made).prototypes],
    )
    method = made.request.method
    proximity = proximity_matrix(case.real.leaves[:_N_ROWS], np.ones(case.real.leaves.shape[1], dtype=np.int64))
    near = twin.near_matrix(proximity, classes, method)
    unit = case.real.leaves.shape[1]
    if method == "sm_wa":
        # The mean over the classes: each row counts the common multiple over the size of its class.
        unit *= int(twin.worth_of_rows(classes, method).sum())
    best = twin.best_value(proximity, classes, chosen, method, candidates)
    return twin.value(near, chosen) / unit, best / unit


def _objective(made: PrototypeSet) -> CertificateObjective:
    found = result_of(made).certificate_objective
    assert found is not None
    return found


def _known(bound: float | None) -> float:
    """Return a bound, which all sets have that are chosen by leaves."""
    assert bound is not None
    return bound


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("method", _METHODS)
@pytest.mark.sampled("values")
def test_no_set_of_as_many_rows_is_better_than_the_bound(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind, method: PrototypeMethod
) -> None:
    case = real_case("titanic", kind)

    made = _of_a_few(workshop, case, method=method)

    reached, best = _best(case, made)
    assert _objective(made).value == pytest.approx(reached, rel=1e-12)
    result = result_of(made)
    assert best <= _known(result.objective_upper_bound)
    assert _known(result.certificate) == pytest.approx(
        _objective(made).value / _known(result.objective_upper_bound), rel=1e-12
    )
    assert 0.5 < _known(result.certificate) <= 1
    assert result.certificate_scope == "all_rows"
    assert (result.all_rows_upper_bound, _known(result.all_rows_certificate)) == (
        _known(result.objective_upper_bound),
        _known(result.certificate),
    )


@pytest.mark.parametrize("refine", ["none", "swap"])
@pytest.mark.parametrize("method", ["sm_u", "sm_a", "sm_wa"])
@pytest.mark.sampled("values")
def test_of_a_sample_one_bound_speaks_of_the_candidates_and_a_looser_one_of_all_rows(
    workshop: Workshop, real_case: FindCase, method: PrototypeMethod, refine: str
) -> None:
    case = real_case("titanic", "random_forest")
    sample = sample_candidates(case.classes("predicted")[:_N_ROWS], 6, np.random.default_rng(0))

    made = _of_a_few(workshop, case, method=method, refine=refine, n_candidates=6)

    result = result_of(made)
    assert result.certificate_scope == "candidates"
    assert _best(case, made, [int(row) for row in sample])[1] <= _known(result.objective_upper_bound)
    assert _best(case, made)[1] <= _known(result.all_rows_upper_bound)
    assert _known(result.objective_upper_bound) <= _known(result.all_rows_upper_bound)
    assert _known(result.all_rows_certificate) <= _known(result.certificate)


@pytest.mark.parametrize("candidates", [None, 40])
@pytest.mark.parametrize("method", mostly_long(["sm_u", "sm_a", "sm_wa", "a_pete"], "sm_a", "a_pete"))
@pytest.mark.sampled("values")
def test_swaps_lower_no_certificate(
    workshop: Workshop, real_case: FindCase, method: PrototypeMethod, candidates: int | None
) -> None:
    case = real_case("breast_cancer", "boosting")
    size = {} if method == "a_pete" else {"n_prototypes": 8}
    requested = {"model": case.model, "dataset": case.dataset, "method": method, "n_candidates": candidates, **size}

    before, after = (result_of(workshop.make(refine=refine, **requested)) for refine in ("none", "swap"))

    assert after.n_swaps > 0 or _known(after.certificate) == _known(before.certificate)
    assert _known(after.certificate) >= _known(before.certificate)
    assert _known(after.all_rows_certificate) >= _known(before.all_rows_certificate)


def test_the_bound_for_sets_of_any_rows_is_reported_first() -> None:
    names = [name for name in PrototypeSetResult.model_fields if "certificate" in name or "upper_bound" in name]
    assert names[:2] == ["all_rows_certificate", "all_rows_upper_bound"]


def test_what_the_bound_covers_is_reported(workshop: Workshop, real_case: FindCase) -> None:
    case = real_case("breast_cancer", "boosting")
    spoken_of = {
        method: _objective(
            workshop.make(model=case.model, dataset=case.dataset, method=method, n_prototypes=4, min_leaf_rows=1)
        )
        for method in ("sm_u", "sm_a", "sm_wa", "sg")
    }

    assert {method: (each.name, each.constraint) for method, each in spoken_of.items()} == {
        "sm_u": ("coverage", "n_prototypes_per_class"),
        "sm_a": ("coverage", "n_prototypes"),
        "sm_wa": ("class_weighted_coverage", "n_prototypes"),
        "sg": ("coverage", "n_prototypes"),
    }
    assert 0 < spoken_of["sm_wa"].value <= 1


@pytest.mark.parametrize("kind", KINDS)
def test_regression_has_a_certificate_of_its_objective(
    workshop: Workshop, real_case: FindCase, kind: ProximityKind
) -> None:
    case = real_case(REGRESSION, kind)

    made = workshop.make(model=case.model, dataset=case.dataset, n_prototypes=5)

    result = result_of(made)
    assert _objective(made).value == result.objective
    assert result.objective <= _known(result.objective_upper_bound)
    assert 0.5 < _known(result.certificate) <= 1


@pytest.mark.parametrize("exact", [Fraction(1, 3), Fraction(2, 3), Fraction(10**17 + 1, 10**16), Fraction(7)])
def test_a_bound_that_is_rounded_is_still_one(exact: Fraction) -> None:
    up, down = Fraction(prototype_set_views._rounded_up(exact)), Fraction(prototype_set_views._rounded_down(exact))

    assert down <= exact <= up
    assert float(up - down) <= 2**-52 * float(exact)
