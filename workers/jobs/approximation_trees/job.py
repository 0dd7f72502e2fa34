"""Make an approximation tree: grow it, grow it again where its stability is asked for, judge it, write it as ONNX."""

from schemas.approximation_trees import (
    ApproximationTreeEvaluation,
    ApproximationTreeRequest,
    ApproximationTreeResult,
)
from tree_explainers.approximation_trees.onnx_form import tree_onnx

from ...runtime.cautions import caution_of_figures
from ...runtime.context import JobContext, Produced
from ...runtime.progress import part_of
from .growing import grow_trees
from .judging import judge
from .material import gather
from .stages import GROWING, JUDGING
from .views import SMOOTHING, view_stability, view_tree

_ONNX = "onnx"  # the name of the file among the artefact's files


def make_approximation_tree(context: JobContext) -> Produced:
    """Make what an ``ApproximationTreeRequest`` asks for."""
    request = ApproximationTreeRequest(**context.request)
    material = gather(context, request)
    trees = grow_trees(request, material, context.rng, part_of(context.report, *GROWING))
    context.report(JUDGING, "judging the tree")
    tree, model = trees[0], material.model
    classes, elsewhere = model.view.classes, None
    on_training = judge(tree, material.training, classes, "dataset")
    if material.evaluation is not None:
        elsewhere = judge(tree, material.evaluation, classes, "evaluation_dataset")
    content = ApproximationTreeResult(
        task=model.view.task,
        classes=classes,
        method=request.method,
        n_rows=len(material.training.rows),
        n_trees=model.view.n_trees,
        n_features=model.view.n_features,
        **view_tree(tree, model.description),
        smoothing=SMOOTHING[request.method],
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        caution=_caution(on_training) if elsewhere is None else None,
        stability=view_stability(trees),
        n_repeats=len(trees),
    )
    path = context.workspace / "tree.onnx"
    path.write_bytes(tree_onnx(tree, model.description))
    return Produced(content.model_dump_json().encode(), files={_ONNX: path})


def _caution(on_training: ApproximationTreeEvaluation) -> str | None:
    model = on_training.model
    return None if model is None else caution_of_figures(accuracy=model.accuracy, r2=model.r2)
