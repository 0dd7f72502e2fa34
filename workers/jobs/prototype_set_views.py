"""How the result of a prototype set shows what was chosen: the rows with their values, a certificate, why no more."""

import math
from fractions import Fraction
from typing import Any

from leafspace_drawings.words import tenths

from schemas.prototype_classifiers import ClassifierPrototype
from schemas.prototype_quality import PrototypeQuality
from schemas.prototype_sets import (
    CertificateObjective,
    Coverage,
    Criticism,
    Prototype,
    PrototypeSetRequest,
    RowCoverage,
    StopReason,
)
from storage.feature_matching import target_of_cell
from tree_explainers.prototype_sets.certificate import Certificate
from tree_explainers.prototype_sets.criticisms import Criticisms
from tree_explainers.prototype_sets.prototype_quality import Quality
from tree_explainers.prototype_sets.selection import StoppingImprovement

from .prototype_set_choice import Choice
from .prototype_set_evaluation import ChosenPrototypes, view_quality_of_each

Cells = list[dict[str, Any]]
"""Rows of a dataset, (n_rows,), as they are shown."""


def view_choice(request: PrototypeSetRequest, choice: Choice, row_coverage: RowCoverage | None) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` about what was chosen, from what, and why no more."""
    space, selection = choice.prototypes.space, choice.prototypes.selection
    return {
        "proximity_kind": space.kind,
        "task": space.model.view.task,
        "classes": space.model.view.classes,
        "n_rows": space.dataset.n_rows,
        "n_trees": space.model.view.n_trees,
        "min_leaf_rows": space.min_leaf_rows,
        "n_trees_used": space.n_trees_used,
        "leaf_steps": [] if choice.leaves is None else choice.leaves.steps,
        "leaf_choice": None if choice.leaves is None else choice.leaves.choice,
        "row_coverage": row_coverage,
        "validation": choice.validation,
        "n_candidates": selection.n_candidates,
        "n_selected": len(selection.rows),
        "n_swaps": selection.n_swaps,
        "nested": selection.nested,
        "objective": selection.objective / selection.total_weight,
        "objective_mean": selection.objective_mean,
        "stopped_by": _view_stop_reason(request, choice, row_coverage),
    }


# Certificate: how close the choice is to the best one, rounded such that every bound stays a bound.


def view_certificate(certificate: Certificate | None, total_weight: int) -> dict[str, Any]:
    """Return the fields of ``PrototypeSetResult`` about the best that this number of prototypes could reach."""
    if certificate is None:
        return _NO_CERTIFICATE
    # Coverage is given as the objective is, which is a sum over rows; the other objective as the mean that it is.
    unit = total_weight if certificate.objective_name == "coverage" else certificate.unit
    of_all_rows = (
        certificate.upper_bound if certificate.all_rows_upper_bound is None else certificate.all_rows_upper_bound
    )
    return {
        "all_rows_certificate": _rounded_down(Fraction(certificate.objective, of_all_rows)),
        "all_rows_upper_bound": _rounded_up(Fraction(of_all_rows, unit)),
        "certificate": _rounded_down(Fraction(certificate.objective, certificate.upper_bound)),
        "objective_upper_bound": _rounded_up(Fraction(certificate.upper_bound, unit)),
        "certificate_scope": certificate.scope,
        "certificate_objective": CertificateObjective(
            name=certificate.objective_name, value=certificate.objective / unit, constraint=certificate.constraint
        ),
    }


_NO_CERTIFICATE: dict[str, None] = dict.fromkeys(
    (
        *("all_rows_certificate", "all_rows_upper_bound", "certificate", "objective_upper_bound"),
        *("certificate_scope", "certificate_objective"),
    )
)


def _rounded_up(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def _rounded_down(exact: Fraction) -> float:
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


# Rows: the prototypes and the criticisms, with their values.


def view_rows(chosen: ChosenPrototypes, quality: Quality, criticisms: Criticisms, cells: Cells) -> dict[str, Any]:
    """Return the prototypes, whose cells come first, and the criticisms, as fields of ``PrototypeSetResult``."""
    qualities = enumerate(view_quality_of_each(quality))
    prototypes = [_view_prototype(chosen, index, cells[index], measures) for index, measures in qualities]
    return {"prototypes": prototypes, "criticisms": _view_criticisms(chosen, criticisms, cells[len(prototypes) :])}


def _view_prototype(
    chosen: ChosenPrototypes, index: int, cells: dict[str, object], quality: PrototypeQuality
) -> Prototype:
    selection, answer = chosen.selection, classifier_prototype(chosen, index, cells)
    return Prototype(
        rank=index + 1,
        row_id=answer.row_id,
        row=int(selection.rows[index]),
        label=answer.label,
        value=answer.value,
        **_view_outcome(chosen, int(selection.rows[index]), cells),
        gain=int(selection.gains[index]) / selection.total_weight,
        objective=int(selection.objectives[index]) / selection.total_weight,
        coverage=Coverage(n_rows=int(selection.n_covered[index]), share=float(selection.coverage_shares[index])),
        quality=quality,
        features=_cells(cells, chosen),
    )


def classifier_prototype(chosen: ChosenPrototypes, index: int, cells: dict[str, object]) -> ClassifierPrototype:
    """Return what a row gets whose nearest prototype this is."""
    view, is_regression = chosen.space.model.view, chosen.space.model.view.task == "regression"
    return ClassifierPrototype(
        row_id=str(cells["row_id"]),
        label=None if is_regression else view.classes[chosen.selection.classes[index]],
        value=float(str(chosen.space.dataset.scores[chosen.selection.rows[index], 0])) if is_regression else None,
    )


def _view_criticisms(chosen: ChosenPrototypes, criticisms: Criticisms, cells: Cells) -> list[Criticism]:
    space, view = chosen.space, chosen.space.model.view
    return [
        Criticism(
            rank=rank,
            row_id=str(row_cells["row_id"]),
            row=row,
            label=view.classes[chosen.classes[row]] if view.classes else None,
            value=None if view.classes else float(str(space.dataset.scores[row, 0])),
            **_view_outcome(chosen, row, row_cells),
            proximity=covered / chosen.selection.total_weight,
            features=_cells(row_cells, chosen),
        )
        for rank, (row, covered, row_cells) in enumerate(
            zip(criticisms.rows.tolist(), criticisms.covered.tolist(), cells, strict=True), 1
        )
    ]


def _view_outcome(chosen: ChosenPrototypes, row: int, cells: dict[str, object]) -> dict[str, Any]:
    """Return what the model predicts for a row, and what came of it."""
    dataset, model = chosen.space.dataset, chosen.space.model
    values = {cell["name"]: cell["value"] for cell in cells["values"]}  # type: ignore[attr-defined]  # cells as JSON
    return {
        "predicted": None if dataset.labels is None else model.view.classes[int(dataset.labels[row])],
        "target": target_of_cell(values.get(dataset.stored.view.target), model.description.classes),
    }


def _cells(row: dict[str, object], chosen: ChosenPrototypes) -> Any:
    """Return the features of a message, which makes cells of all at once: a call for each takes far longer."""
    by_name = {cell["name"]: cell["value"] for cell in row["values"]}  # type: ignore[attr-defined]  # cells as JSON
    named = zip(chosen.space.model.view.feature_names, chosen.space.dataset.columns, strict=True)
    return [{"name": feature, "value": by_name[column]} for feature, column in named]


# Why no more prototypes were chosen.


def _view_stop_reason(request: PrototypeSetRequest, choice: Choice, row_coverage: RowCoverage | None) -> StopReason:
    """Return why no more prototypes were chosen."""
    share = 0.0 if row_coverage is None else row_coverage.share
    selection = choice.prototypes.selection
    stopping = selection.stopping_improvement
    if stopping is not None:
        classes = choice.prototypes.space.model.view.classes
        detail = _describe_improvement(request, stopping, selection.total_weight, classes)
        return StopReason(reason="alpha", detail=detail)
    n_selected, reason = len(selection.rows), str(selection.stopped_by)
    if reason == "n_prototypes" and request.coverage is not None:
        reason = "max_prototypes"
    if reason == "n_prototypes" and choice.validation is not None:
        reason = "validate"
    details = {
        "n_prototypes": f"{n_selected} prototypes were chosen, as requested",
        "coverage": f"with {n_selected} prototypes {tenths(request.coverage or 0)} of rows have the minimum proximity",
        "max_prototypes": f"{n_selected} prototypes, the most there may be, reach {tenths(share)} of the rows",
        "validate": f"{n_selected} prototypes are within one standard error of the best number",
        "no_gain": "no further row would bring any row closer to a prototype",
        "no_improvement": f"no further row would raise the {request.metric.replace('_', ' ')}",
    }
    return StopReason(reason=reason, detail=details[reason])


def _describe_improvement(
    request: PrototypeSetRequest, stopping: StoppingImprovement, total_weight: int, classes: list[str]
) -> str:
    last = f"{stopping.improvement / total_weight:.6g}{_of_class(classes, stopping.prototype_class)}"
    before = f"{stopping.previous_improvement / total_weight:.6g}{_of_class(classes, stopping.previous_class)}"
    change = f"a relative change of {stopping.relative_change:.3g}, not above alpha {request.alpha:g}"
    return f"prototype {stopping.rank} improved the objective by {last}, the one before by {before}: {change}"


def _of_class(classes: list[str], index: int) -> str:
    return f" (class {classes[index]!r})" if classes else ""
