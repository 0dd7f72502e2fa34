"""How close chosen prototypes are to the best there can be, told so that every bound stays a bound."""

import math
from fractions import Fraction
from typing import Any

from schemas.prototype_sets import CertificateObjective
from tree_explainers.prototype_sets.certificate import Certificate, certify

from ...runtime.context import JobContext
from ...runtime.progress import part_of
from .choosing import ChosenPrototypes
from .stages import CERTIFYING


def certificate_of(context: JobContext, chosen: ChosenPrototypes) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` that tell what as many prototypes could reach at most."""
    selection = chosen.selection
    found = certify(
        chosen.seen.table,
        chosen.classes,
        chosen.weights,
        selection.rows,
        method=selection.method,
        greedy_rows=selection.rows_before_swaps,
        candidates=None if selection.n_candidates == selection.n_rows else selection.candidates,
        report=part_of(context.report, *CERTIFYING),
    )
    return _view(found, selection.total_weight)


def _view(found: Certificate, total_weight: int) -> dict[str, Any]:
    # Coverage is told as the objective is, which is a sum over rows; the other objective as the mean that it is.
    unit = total_weight if found.objective_name == "coverage" else found.unit
    of_all_rows = found.upper_bound if found.all_rows_upper_bound is None else found.all_rows_upper_bound
    return {
        "all_rows_certificate": _rounded_down(Fraction(found.objective, of_all_rows)),
        "all_rows_upper_bound": _rounded_up(Fraction(of_all_rows, unit)),
        "certificate": _rounded_down(Fraction(found.objective, found.upper_bound)),
        "objective_upper_bound": _rounded_up(Fraction(found.upper_bound, unit)),
        "certificate_scope": found.scope,
        "certificate_objective": CertificateObjective(
            name=found.objective_name, value=found.objective / unit, constraint=found.constraint
        ),
    }


def _rounded_up(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _rounded_down(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)
