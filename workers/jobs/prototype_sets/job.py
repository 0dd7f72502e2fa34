"""Make a prototype set: choose rows that stand for others, and judge how well they predict."""

from typing import Any

from numpy.typing import NDArray

from schemas.prototype_sets import PrototypeSetRequest, PrototypeSetResult
from storage.array_files import write_arrays
from tree_explainers.prototype_sets.leaf_boxes import leaf_boxes
from tree_explainers.prototype_sets.readable import feature_numbers

from ...runtime.context import JobContext, Produced
from .certifying import certificate_of
from .choosing import ChosenPrototypes, choose, gather
from .evaluation import evaluate
from .judged import rows_to_judge
from .quality import measure, view_of_all
from .views import view_prototypes, view_stop_reason


def make_prototype_set(context: JobContext) -> Produced:
    """Make what a ``PrototypeSetRequest`` asks for."""
    request = PrototypeSetRequest(**context.request)
    material = gather(context, request)
    judged = rows_to_judge(context, request, material)  # first: what cannot be judged is not worth the choosing
    chosen = choose(context, request, material)
    selection, view = chosen.selection, chosen.model.view
    certificate = certificate_of(context, chosen)
    quality = measure(context, chosen, judged)
    content = PrototypeSetResult(
        kind=chosen.kind,
        task=view.task,
        classes=view.classes,
        n_rows=chosen.seen.n_rows,
        n_trees=view.n_trees,
        n_candidates=selection.n_candidates,
        n_selected=len(selection.rows),
        n_swaps=selection.n_swaps,
        nested=selection.nested,
        objective=selection.objective / selection.total_weight,
        objective_mean=selection.objective_mean,
        **certificate,
        stopped_by=view_stop_reason(request, selection, view.classes),
        prototypes=view_prototypes(context.objects, chosen, quality),
        quality=view_of_all(quality, chosen, judged),
        **evaluate(context, chosen, judged),
    )
    return Produced(content.model_dump_json().encode(), _arrays(chosen))


def _arrays(chosen: ChosenPrototypes) -> bytes:
    """Return what explainers need: the prototypes' leaves, and the boxes of those leaves."""
    features = feature_numbers(chosen.model.description.columns)
    boxes = leaf_boxes(chosen.model.ensemble, chosen.leaves, features).to_arrays()
    own: dict[str, NDArray[Any]] = {
        "leaves": chosen.leaves,
        "weights": chosen.weights,
        "classes": chosen.selection.classes,
    }
    return write_arrays(own | {f"boxes_{name}": array for name, array in boxes.items()})
