"""Make an approximation tree: grow it, grow it again where its stability is asked for, judge it, write it as ONNX."""

from schemas.approximation_trees import ApproximationTreeContent, ApproximationTreeRequest
from tree_explainers.approximation.onnx_form import tree_onnx

from ...context import JobContext, Produced
from ...progress import part_of
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
    on_training = judge(tree, material.training, "dataset")
    elsewhere = None if material.evaluation is None else judge(tree, material.evaluation, "evaluation_dataset")
    content = ApproximationTreeContent(
        task=model.view.task,
        classes=model.view.classes,
        method=request.method,
        n_rows=len(material.training.rows),
        n_trees=model.view.n_trees,
        n_features=model.view.n_features,
        **view_tree(tree, model.description),
        smoothing=SMOOTHING[request.method],
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        stability=view_stability(trees),
        n_repeats=len(trees),
    )
    path = context.workspace / "tree.onnx"
    path.write_bytes(tree_onnx(tree, model.description))
    return Produced(content.model_dump_json().encode(), files={_ONNX: path})
