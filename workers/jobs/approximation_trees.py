"""Make an approximation tree: grow it, grow it again to measure its stability, evaluate it, write it as ONNX."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any, Literal

from explanations.feature_phrases import implied_answers
from schemas.approximation_trees import (
    MAX_IMPLICATIONS,
    AgainstTarget,
    ApproximationNode,
    ApproximationTreeEvaluation,
    ApproximationTreeRequest,
    ApproximationTreeResult,
    ConstantTreeScores,
    DepthValidation,
    ImpliedAnswer,
    Smoothing,
    StructureCount,
)
from schemas.cautions import Caution
from schemas.generators import DatasetGenerator
from schemas.models import Score
from schemas.rule_sets import RuleFeature
from tree_explainers.approximation_trees.fidelity import AgainstTarget as Measured
from tree_explainers.approximation_trees.fidelity import (
    ConstantScores,
    Fidelity,
    ModelPredictions,
    count_structures,
    measure_fidelity,
)
from tree_explainers.approximation_trees.generators import GeneratorSettings
from tree_explainers.approximation_trees.merging import merge_alike
from tree_explainers.approximation_trees.onnx_form import tree_onnx
from tree_explainers.approximation_trees.partitioned_fidelity import measure_in_partitions, with_counts
from tree_explainers.approximation_trees.tree_growth import RepeatableProgress
from tree_explainers.approximation_trees.trees import ApproximationTree, NodeFacts, TreeNode
from tree_explainers.column_words import Phrases
from tree_explainers.compute.progress import ReportProgress, ignore_progress, part_of
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.questions.conditions import Condition, condition_text, question_text

from ..runtime.context import JobContext, Produced
from .approximation_tree_growth import ApproximationTreeInputs, grow_trees, load_inputs, method_of, unusable_candidates
from .approximation_tree_rows import EvaluationRows, PartitionedRows
from .cautions import caution_of_agreement, caution_of_figures, known_cautions
from .row_targets import ConstantPredictions, constant_predictions, name_constants
from .surrogates import feature_type

_EvaluatedOn = Literal["dataset", "evaluation_dataset"]

_CHOSEN_BY = {"fidelity": "fidelity or, where that is about the same, by gain", "gain": "their gain"}
_SHOWN_CANDIDATES = 5
_CONDITION_FIELDS = ("feature", "column", "operator", "value", "or_missing", "text", "question", "left", "right")
# Shares of the job's progress, which goes from 0 to 1 and never back; reading comes first.
_GROWING = (0.08, 0.95)
_COUNTING = (0.95, 0.97)
_EVALUATING = (0.97, 1.0)  # a moment, unless rows are in partitions


def make_approximation_tree(context: JobContext) -> Produced:
    """Make the artefact that an ``ApproximationTreeRequest`` describes."""
    request = ApproximationTreeRequest(**context.request)
    progress = RepeatableProgress(context.report)
    context = replace(context, report=progress)
    inputs = load_inputs(context, request, progress.tick)
    trees = grow_trees(request, inputs, context.rng, part_of(context.report, *_GROWING))
    grown = trees[0]
    if _merges(request, inputs):
        trees = [merge_alike(tree) for tree in trees]
    trees[0], on_training = _counted(trees[0], inputs, part_of(context.report, *_COUNTING))
    report = part_of(context.report, *_EVALUATING)
    report(0, "evaluating the tree")
    elsewhere = None
    if inputs.evaluation is not None:
        classes = inputs.model.view.classes
        elsewhere = evaluate(trees[0], inputs.evaluation, classes, "evaluation_dataset", report)
    content = _content(request, inputs, trees, grown, (on_training, elsewhere))
    onnx = context.workspace / "tree.onnx"
    onnx.write_bytes(tree_onnx(trees[0], inputs.described))
    return Produced(content.model_dump_json().encode(), files={"onnx": onnx})


# Evaluation, on the training rows and on others if the request names any.


def _counted(
    tree: ApproximationTree, inputs: ApproximationTreeInputs, report: ReportProgress
) -> tuple[ApproximationTree, ApproximationTreeEvaluation]:
    """Return the tree with the number of all rows at its nodes, where it was grown on some, and its evaluation."""
    classes = inputs.model.view.classes
    if inputs.all_rows is None:
        return tree, evaluate(tree, inputs.training, classes, "dataset")
    figures = measure_in_partitions(tree, inputs.all_rows.parts, report)
    constants = name_constants(figures.constants, classes)
    of_all = _evaluation(figures.fidelity, constants, inputs.all_rows.n_rows, "dataset")
    return with_counts(tree, figures.n_rows), of_all


def evaluate(
    tree: ApproximationTree,
    rows: EvaluationRows | PartitionedRows,
    classes: Sequence[str],
    evaluated_on: _EvaluatedOn,
    report: ReportProgress = ignore_progress,
) -> ApproximationTreeEvaluation:
    """Compare the predictions of tree and model with each other and with the true targets."""
    if isinstance(rows, PartitionedRows):
        figures = measure_in_partitions(tree, rows.parts, report)
        return _evaluation(figures.fidelity, name_constants(figures.constants, classes), rows.n_rows, evaluated_on)
    constants = constant_predictions(rows.truth, rows.answers.targets, classes)
    return _evaluation(_measured(tree, rows), constants, len(rows.rows), evaluated_on)


def _evaluation(
    figures: Fidelity, constants: ConstantPredictions, n_rows: int, evaluated_on: _EvaluatedOn
) -> ApproximationTreeEvaluation:
    return ApproximationTreeEvaluation(
        n_rows=n_rows,
        evaluated_on=evaluated_on,
        fidelity=figures.fidelity,
        balanced_fidelity=figures.balanced_fidelity,
        probability_l1=figures.probability_l1,
        mean_questions=figures.mean_questions,
        model=None if figures.model is None else AgainstTarget(**asdict(figures.model)),
        constant=_constant(figures.constant, constants),
        **_against_target(figures.tree),
    )


def _measured(tree: ApproximationTree, rows: EvaluationRows) -> Fidelity:
    """Measure the tree on all rows, and against the target on those that have one."""
    if rows.labelled is None:
        return measure_fidelity(tree, rows.rows, rows.answers, rows.truth)
    answers, labelled = rows.answers, rows.labelled
    some = ModelPredictions(answers.scores[labelled], answers.targets.take(labelled))
    figures = measure_fidelity(tree, rows.rows, answers)
    known = measure_fidelity(tree, rows.rows.take(labelled), some, rows.truth)
    constant = replace(figures.constant, against_target=known.constant.against_target)
    return replace(figures, tree=known.tree, model=known.model, constant=constant)


def _constant(scores: ConstantScores, constants: ConstantPredictions) -> ConstantTreeScores:
    """Return the scores of always the same prediction."""
    return ConstantTreeScores(
        fidelity=scores.fidelity,
        balanced_fidelity=scores.balanced_fidelity,
        **_against_target(scores.against_target),
        **constants,
    )


def _against_target(scores: Measured | None) -> dict[str, float | None]:
    return {} if scores is None else asdict(scores)


def _cautions(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    tree: ApproximationTree,
    measured: ApproximationTreeEvaluation,
) -> list[Caution]:
    """Return all that speaks against relying on the tree or its figures."""
    return known_cautions(
        caution_of_agreement(measured, measured.constant),
        _caution_of_figures(measured, are_held_out=inputs.are_held_out),
        _caution_of_generator(request),
        caution_of_tests(request, tree),
        caution_of_candidates(unusable_candidates(request, inputs), request.min_samples_leaf, inputs.phrases),
    )


def _caution_of_generator(request: ApproximationTreeRequest) -> Caution | None:
    """Return a caution if the tree was grown from the rows that it is measured on."""
    generator = request.generator
    if not isinstance(generator, DatasetGenerator) or generator.dataset != request.evaluation_dataset:
        return None
    detail = "the pseudo-samples were the rows of these figures, which are better than those of other rows will be"
    return Caution(code="grown_from_its_evaluation_rows", detail=detail)


def _caution_of_figures(measured: ApproximationTreeEvaluation, *, are_held_out: bool) -> Caution | None:
    if measured.evaluated_on != "dataset":
        return None
    accuracy, r2 = (None, None) if measured.model is None else (measured.model.accuracy, measured.model.r2)
    return caution_of_figures(accuracy=accuracy, r2=r2, are_held_out=are_held_out)


# The result.


def _content(
    request: ApproximationTreeRequest,
    inputs: ApproximationTreeInputs,
    trees: Sequence[ApproximationTree],
    grown: ApproximationTree,  # the first, before leaves were merged
    evaluations: tuple[ApproximationTreeEvaluation, ApproximationTreeEvaluation | None],  # on training rows, elsewhere
) -> ApproximationTreeResult:
    tree, view, (on_training, elsewhere) = trees[0], inputs.model.view, evaluations
    knows_implications = inputs.is_relational and request.fitted_on == "generator"
    return ApproximationTreeResult(
        task=view.task,
        classes=view.classes,
        method=method_of(request),
        n_rows=inputs.n_rows,
        n_sampled_rows=None if inputs.all_rows is None else inputs.all_rows.n_sampled or None,
        n_trees=view.n_trees,
        n_features=view.n_features,
        **view_tree(tree, inputs.described, inputs.phrases),
        n_leaves_before_merging=grown.n_leaves if _merges(request, inputs) else None,
        smoothing=view_smoothing(request, inputs.generator),
        n_implications=len(inputs.implications.pairs) if knows_implications else None,
        implications=view_implications(tree, inputs.phrases),
        training_evaluation=on_training,
        evaluation=elsewhere or on_training,
        cautions=_cautions(request, inputs, grown, elsewhere or on_training),
        validation=view_validation(grown),
        stability=view_stability(trees),
        n_repeats=len(trees),
    )


def _merges(request: ApproximationTreeRequest, inputs: ApproximationTreeInputs) -> bool:
    """Return whether leaves that say the same are merged."""
    return inputs.is_relational and request.method == "ism"


# Views, as readers get them: nodes in words and numbers, features, stability, smoothing.


def view_tree(tree: ApproximationTree, description: ModelDescription, phrases: Phrases) -> dict[str, Any]:
    """Return the fields of ``ApproximationTreeResult`` that describe the tree; columns may have words of their own."""
    depths, classes = tree.depths.tolist(), description.classes
    return {
        "n_nodes": len(tree.nodes),
        "n_leaves": tree.n_leaves,
        "depth": tree.depth,
        "features": _features(tree, description, phrases),
        "nodes": [_node(index, depths[index], node, classes, phrases) for index, node in enumerate(tree.nodes)],
    }


def view_implications(tree: ApproximationTree, phrases: Phrases) -> list[ImpliedAnswer]:
    """Return what follows among the tree's conditions."""
    pairs = implied_answers([node.condition for node in tree.nodes], phrases)[:MAX_IMPLICATIONS]
    return [
        ImpliedAnswer(node=node, holds=holds, implied_node=then_node, implied_holds=then_holds)
        for (node, holds), (then_node, then_holds) in pairs
    ]


def view_smoothing(request: ApproximationTreeRequest, generator: GeneratorSettings) -> Smoothing | None:
    """Return how pseudo-samples were smoothed; ``None`` if there were none, or rows were drawn as they are."""
    if request.method == "born_again":
        return Smoothing(swap_probability=request.smearing_probability)
    if request.fitted_on == "dataset" or generator.method in {"bootstrap", "dataset"}:
        return None
    is_kernel, is_ranks = generator.method == "kernel", generator.method == "ranks"
    return Smoothing(
        bandwidth=generator.bandwidth if is_kernel else None,
        rank_bandwidth=generator.bandwidth if is_ranks else None,
        move_probability=generator.neighbor_probability,
    )


def view_validation(tree: ApproximationTree) -> DepthValidation | None:
    """Return the errors by which the depth was chosen; ``None`` where it is the caller's."""
    choice = tree.depth_choice
    if choice is None:
        return None
    return DepthValidation(
        errors=choice.errors.tolist(), standard_errors=choice.standard_errors.tolist(), depth=choice.depth
    )


def caution_of_tests(request: ApproximationTreeRequest, tree: ApproximationTree) -> Caution | None:
    """Return how many of the tree's splits are significant, unless all are or none was tested."""
    tests = [node.confidence for node in tree.nodes if node.confidence is not None]
    n_significant = sum(not test.at_cap for test in tests)
    if n_significant == len(tests):
        return None
    return Caution(code="splits_not_significant", detail=_about_tests(request, n_significant, len(tests)))


def _about_tests(request: ApproximationTreeRequest, n_significant: int, n_tests: int) -> str:
    within, by = f"significant within {request.max_pseudo_samples:,} pseudo-samples", _CHOSEN_BY[request.choose_by]
    if n_tests == 1:
        return f"the only split of the tree is not {within}; it was chosen by {by}"
    shown, others = (f"{n_significant:,}", "the others") if n_significant else ("none", "they")
    verb = "is" if n_significant == 1 else "are"
    return f"{shown} of the {n_tests:,} splits of the tree {verb} {within}; {others} were chosen by {by}"


def caution_of_candidates(
    unusable: Sequence[Condition | str], min_samples_leaf: int, phrases: Phrases
) -> Caution | None:
    """Return which of the request's own candidates can split nothing, unless all can."""
    if not unusable:
        return None
    texts = [each if isinstance(each, str) else condition_text(each, phrases) for each in unusable[:_SHOWN_CANDIDATES]]
    listed = "; ".join([*texts, "..."] if len(unusable) > len(texts) else texts)
    rows = "no row of the dataset" if min_samples_leaf == 1 else f"fewer than {min_samples_leaf:,} rows of the dataset"
    those = "it leaves" if len(unusable) == 1 else "they leave"
    effect = f"of the given candidates, {len(unusable):,} can split nothing, as {those} {rows} on one side"
    return Caution(code="candidates_split_nothing", detail=f"{effect}, or no known value: {listed}")


def view_stability(trees: Sequence[ApproximationTree]) -> list[StructureCount] | None:
    """Return the number of different trees down to each depth; ``None`` for a single tree."""
    if len(trees) == 1:
        return None
    counts = count_structures(trees).tolist()
    return [StructureCount(depth=level + 1, n_structures=count) for level, count in enumerate(counts)]


def _features(tree: ApproximationTree, description: ModelDescription, phrases: Phrases) -> list[RuleFeature]:
    """Return the features that some node tests, in the model's order."""
    used = {node.condition.column for node in tree.nodes if node.condition is not None}
    pairs = zip(description.feature_names, description.missing_tokens, strict=True)
    return [
        RuleFeature(name=name, type=feature_type(name, phrases, is_number=token is None), missing_text=token)
        for name, token in pairs
        if name in used
    ]


def _node(index: int, depth: int, node: TreeNode, classes: Sequence[str], phrases: Phrases) -> ApproximationNode:
    split: dict[str, Any] = dict.fromkeys(_CONDITION_FIELDS)
    if node.condition is not None:
        split = {**_condition(node.condition, phrases), "left": node.left, "right": node.right}
    return ApproximationNode(
        id=index,
        depth=depth,
        **split,
        **_prediction(node.facts, classes),
        n_samples=node.facts.n_samples,
        n_pseudo_samples=node.facts.n_pseudo_samples,
        p_value=None if node.confidence is None else node.confidence.p_value,
        at_cap=None if node.confidence is None else node.confidence.at_cap,
        settled=node.facts.is_settled if node.is_leaf else None,
    )


def _condition(condition: Condition, phrases: Phrases) -> dict[str, Any]:
    return {
        "feature": condition.feature,
        "column": condition.column,
        "operator": condition.operator,
        "value": list(condition.value) if isinstance(condition.value, tuple) else condition.value,
        "or_missing": condition.or_missing,
        "text": condition_text(condition, phrases),
        "question": question_text(condition, phrases),
    }


def _prediction(facts: NodeFacts, classes: Sequence[str]) -> dict[str, Any]:
    if facts.label is None:
        return {"prediction": float(facts.scores[0]), "scores": []}
    pairs = zip(classes, facts.scores.tolist(), strict=True)
    return {"prediction": classes[facts.label], "scores": [Score(label=label, value=value) for label, value in pairs]}
