"""How chosen prototypes are told: real rows with their values, what each brought, and why the choice ended."""

from schemas.datasets import Cell
from schemas.prototype_quality import PrototypeQuality
from schemas.prototype_sets import Coverage, Prototype, PrototypeSetRequest, StopReason
from storage.dataset_files import DatasetFile
from storage.object_store import ObjectStore
from tree_explainers.prototype_sets.quality import Quality
from tree_explainers.prototype_sets.selection import PrototypeSelection, StoppingImprovement

from .choosing import ChosenPrototypes
from .quality import view_of_each


def view_prototypes(objects: ObjectStore, chosen: ChosenPrototypes, quality: Quality) -> list[Prototype]:
    """Return the prototypes in the order in which they were chosen."""
    rows = chosen.selection.rows
    with DatasetFile(objects.path(chosen.seen.stored.content)) as file:
        found = file.take(rows)
    qualities = view_of_each(quality)
    return [_prototype(chosen, rank, found[rank], qualities[rank]) for rank in range(len(rows))]


def view_stop_reason(request: PrototypeSetRequest, selection: PrototypeSelection, classes: list[str]) -> StopReason:
    """Return why no more prototypes were chosen."""
    details = {
        "n_prototypes": f"{len(selection.rows)} prototypes were chosen, as asked for",
        "no_gain": "no further row would bring any row closer to a prototype",
        "no_improvement": "no further row would raise the balanced accuracy",
    }
    stopping = selection.stopping_improvement
    if stopping is None:
        return StopReason(reason=selection.stopped_by, detail=details[selection.stopped_by])
    return StopReason(reason="alpha", detail=_of_improvement(request, stopping, selection.total_weight, classes))


def _of_improvement(
    request: PrototypeSetRequest, stopping: StoppingImprovement, total_weight: int, classes: list[str]
) -> str:
    last = f"{stopping.improvement / total_weight:.6g}{_of_class(classes, stopping.prototype_class)}"
    before = f"{stopping.previous_improvement / total_weight:.6g}{_of_class(classes, stopping.previous_class)}"
    change = f"a relative change of {stopping.relative_change:.3g}, not above alpha {request.alpha:g}"
    return f"prototype {stopping.rank} improved the objective by {last}, the one before by {before}: {change}"


def _of_class(classes: list[str], index: int) -> str:
    return f" (class {classes[index]!r})" if classes else ""


def _cells(row: dict[str, object], chosen: ChosenPrototypes) -> list[Cell]:
    by_name = {cell["name"]: cell["value"] for cell in row["values"]}  # type: ignore[attr-defined]  # cells as JSON
    named = zip(chosen.model.view.feature_names, chosen.seen.columns, strict=True)
    return [Cell(name=feature, value=by_name[column]) for feature, column in named]


def _prototype(chosen: ChosenPrototypes, rank: int, found: dict[str, object], quality: PrototypeQuality) -> Prototype:
    selection, view = chosen.selection, chosen.model.view
    row = int(selection.rows[rank])
    is_regression = view.task == "regression"
    return Prototype(
        rank=rank + 1,
        row_id=str(found["row_id"]),
        row=row,
        label=None if is_regression else view.classes[selection.classes[rank]],
        value=float(str(chosen.seen.scores[row, 0])) if is_regression else None,
        gain=int(selection.gains[rank]) / selection.total_weight,
        objective=int(selection.objectives[rank]) / selection.total_weight,
        coverage=Coverage(n_rows=int(selection.n_covered[rank]), share=float(selection.coverage_shares[rank])),
        quality=quality,
        features=_cells(found, chosen),
    )
