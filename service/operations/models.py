"""Register, read and delete models; predict rows by them, and read one of their trees."""

import asyncio
from collections.abc import Generator, Iterator
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from explanations.decisions import decisions_of
from explanations.documents import decimals
from explanations.instances import Features, ReadInstances, read_instances, row_ids_of, run_readable
from schemas.models import (
    ClassPrediction,
    FeatureUsage,
    FeatureUsageList,
    Model,
    ModelMetadata,
    PredictionList,
    PredictionRequest,
    PredictionRow,
    Score,
    Tree,
    TreeNode,
    ValuePrediction,
)
from schemas.problems import problem_for
from storage.array_files import read_arrays
from storage.errors import NotFound
from storage.models import NewModel
from tree_explainers.compute.progress import Tick
from tree_explainers.ensemble import Operator, TreeEnsemble, count_questions
from tree_explainers.onnx_models.description import InputType, ModelColumn, ModelDescription
from tree_explainers.onnx_models.label_index import near_ties
from tree_explainers.onnx_models.session import ModelSession, Outcome
from tree_explainers.onnx_models.sniffing import HEAD_BYTES, sniff_model
from tree_explainers.questions.splits import raw_split, raw_types, split_of

from ..admission.batches import Cost
from ..app_context import AppContext
from .deletion import delete_with_objects
from .explanations import run_rows
from .model_requirements import refuse_without_leaves
from .prediction_costs import prediction_seconds
from .uploads import Upload, received

_NODE_BYTES, _VALUE_BYTES = 120, 16  # as stored and as arrays
_NODES_TOGETHER = 256
# Of an answer with predictions, as JSON.
_PREDICTION_BYTES, _SCORE_BYTES, _LEAF_BYTES, _SECONDS_PER_LEAF = 512, 100, 8, 1e-7
_LEFT_OUT_OF_IDS = {"oracle_only", "finite_only", "decision", "bags"}  # where they say nothing


def register_model(
    context: AppContext, file: BinaryIO, metadata: ModelMetadata, sha256: str | None = None
) -> tuple[Model, bool]:
    """Check and keep a model; return it, and whether it is new. ``sha256`` is that of the file, if known.

    Raises
    ------
    ModelRefused
        What is wrong with it; nothing is kept then.
    """
    sniff_model(file.read(HEAD_BYTES))
    file.seek(0)
    left_out = {name for name in _LEFT_OUT_OF_IDS if not getattr(metadata, name)}
    with received(context.objects, file, "models", metadata, sha256, left_out) as upload:
        known = context.models.find(upload.id)
        return (known, False) if known else _check_and_keep(context, upload)


def delete_model(context: AppContext, model_id: str) -> None:
    """Delete a model that nothing depends on."""
    delete_with_objects(context, lambda: context.models.delete(model_id))
    context.sessions.forget(model_id)


def _check_and_keep(context: AppContext, upload: Upload) -> tuple[Model, bool]:
    checked = context.upload_reader.read_model(upload.path, upload.metadata)
    size_bytes = upload.size_bytes
    with context.objects.keeping():
        model = NewModel(
            id=upload.id,
            name=upload.metadata["name"],
            sha256=context.objects.put_file(upload.path),
            size_bytes=size_bytes,
            leaf_graph=context.objects.put_file(checked.leaf_graph),
            ensemble=context.objects.put_file(checked.ensemble),
            description=checked.description,
            metadata=upload.metadata | {"parity": None, "bags": None},  # which are not kept twice
            parity=checked.parity,
        )
        context.loops.load_soon()  # what is made of the model needs them
        return context.models.add(model)


async def predict(context: AppContext, model_id: str, request: PredictionRequest) -> bytes:
    """Return the predictions for the instances, in their order, as JSON: a ``PredictionList``.

    Raises
    ------
    StorageError
        ``too_many_rows``, ``validation_failed`` where ``row_ids`` are not one for each instance or not distinct, or
        ``unavailable`` where too many rows wait already.
    """
    names = row_ids_of(request.row_ids, len(request.instances))
    model, session = await asyncio.to_thread(_model_to_run, context, model_id)
    if "leaves" in request.include:
        refuse_without_leaves(model, "leaves in the answer", "/include")

    def predicted(tick: Tick) -> bytes:
        read = read_instances(request.instances, Features.of(model), tick)
        rows = _prediction_rows(model, session, read, has_leaves="leaves" in request.include)
        data = [PredictionRow(row_id=name, **rows[index]) for index, name in enumerate(names)]
        answer = PredictionList(model=model_id, data=data, ignored_columns=list(read.ignored) or None)
        return answer.model_dump_json().encode()

    cost = _cost_of_predicting(model, request)
    if model.oracle_only:  # its operators are hardly known, and so is how long a row takes
        return await context.batches.run(cost, predicted)
    return await run_rows(context, len(names), cost, predicted)


def _model_to_run(context: AppContext, model_id: str) -> tuple[Model, ModelSession]:
    return context.models.get(model_id).view, context.sessions.get(model_id)


def _cost_of_predicting(model: Model, request: PredictionRequest) -> Cost:
    n_rows, n_leaves = len(request.instances), model.n_trees if "leaves" in request.include else 0
    seconds = prediction_seconds(model, n_rows) + _SECONDS_PER_LEAF * n_rows * n_leaves
    row_bytes = _PREDICTION_BYTES + _SCORE_BYTES * len(model.classes or ()) + _LEAF_BYTES * n_leaves
    return Cost(seconds, n_rows * row_bytes)


def _prediction_rows(
    model: Model, session: ModelSession, read: ReadInstances, *, has_leaves: bool
) -> dict[int, dict[str, Any]]:
    """Return what there is to say of each row but its id, by its index."""
    outcome, indices, refused = run_readable(session, read)
    are_near = near_ties(outcome.scores, session.description).tolist()
    decided = None if model.decision is None else decisions_of(session.description, outcome)
    rows: dict[int, dict[str, Any]] = {}
    for row, index in enumerate(indices):
        prediction = prediction_of(model, outcome, row, near_tie=are_near[row])
        leaves = outcome.leaves[row].tolist() if has_leaves else None
        rows[index] = {"status": "ok", "prediction": prediction, "leaves": leaves}
        if decided is not None:
            rows[index]["decision"] = decided[row]
    for index, error in refused.items():
        rows[index] = {"status": "error", "problem": problem_for(error.code, error.detail)}
    return rows


def prediction_of(model: Model, outcome: Outcome, row: int, *, near_tie: bool) -> ClassPrediction | ValuePrediction:
    """Return one row's prediction."""
    scores = decimals(outcome.scores[row])
    if outcome.labels is None:
        return ValuePrediction(task="regression", value=scores[0])
    label = model.classes[outcome.labels[row]]
    return ClassPrediction(
        task="classification",
        label=label,
        scores=[Score(label=label, value=value) for label, value in zip(model.classes, scores, strict=True)],
        near_tie=near_tie or None,
    )


def write_tree(context: AppContext, model_id: str, tree: int) -> Generator[bytes]:
    """Return tree number ``tree``, from 0, as JSON in blocks: a ``Tree``; ``NotFound`` where the model has none."""
    n_trees = context.models.summary(model_id).n_trees
    if not 0 <= tree < n_trees:
        raise NotFound("tree", str(tree), f"model {model_id!r} has trees 0 to {n_trees - 1}")
    model = context.models.get(model_id)
    ensemble = TreeEnsemble.from_arrays(read_arrays(context.objects.get(model.ensemble)))
    start, stop = int(ensemble.offsets[tree]), int(ensemble.offsets[tree + 1])
    description = ModelDescription.from_json(model.description)
    columns = list(zip(description.columns, raw_types(description), strict=True))
    head = Tree(model=model_id, tree=tree, nodes=[]).model_dump_json().encode()
    nodes = (_node(ensemble, columns, start, node) for node in range(start, stop))
    return _tree_blocks(head, nodes)


def feature_usage(context: AppContext, model_id: str) -> FeatureUsageList:
    """Return how often the trees of a model test each feature, those that most test first."""
    model = context.models.get(model_id)
    ensemble = TreeEnsemble.from_arrays(read_arrays(context.objects.get(model.ensemble)))
    columns = ModelDescription.from_json(model.description).columns
    # Transformed columns are beside the features: several may have been made of one, and one of several.
    names = {(name, False): index for index, name in enumerate(model.view.feature_names)}
    features = [names.setdefault((column.name, column.transformed), len(names)) for column in columns]
    usage = count_questions(ensemble, features, len(names))
    n_questions = int(usage.n_questions.sum())
    rows = [
        FeatureUsage(
            feature=name,
            transformed=is_transformed,
            share_of_trees=int(usage.n_trees[index]) / max(1, ensemble.n_trees),
            share_of_questions=int(usage.n_questions[index]) / max(1, n_questions),
        )
        for (name, is_transformed), index in names.items()
    ]
    rows.sort(key=lambda row: (-row.share_of_trees, -row.share_of_questions))
    return FeatureUsageList(model=model_id, n_trees=ensemble.n_trees, n_questions=n_questions, data=rows)


def tree_bytes(context: AppContext, model_id: str) -> int:
    """Return about how much memory a model's trees take while one is read."""
    model = context.models.summary(model_id)
    return model.n_nodes * _NODE_BYTES + model.n_leaves * max(1, model.n_classes) * _VALUE_BYTES


def _tree_blocks(head: bytes, nodes: Iterator[TreeNode]) -> Generator[bytes]:
    """Yield a tree as JSON; ``head`` is one without nodes."""
    yield head.removesuffix(b"]}")
    separator = b""
    while some := list(islice(nodes, _NODES_TOGETHER)):
        yield separator + b",".join(node.model_dump_json().encode() for node in some)
        separator = b","
    yield b"]}"


def _node(ensemble: TreeEnsemble, columns: list[tuple[ModelColumn, InputType]], start: int, node: int) -> TreeNode:
    if ensemble.operator[node] == Operator.LEAF:
        return _leaf(ensemble, start, node)
    column, input_type = columns[ensemble.column[node]]
    split = raw_split(column, split_of(ensemble, node), input_type)
    return TreeNode(
        id=node - start,
        feature=column.name,
        **split._asdict(),
        left=int(ensemble.left[node]) - start,
        right=int(ensemble.right[node]) - start,
        leaf=None,
        values=None,
    )


def _leaf(ensemble: TreeEnsemble, start: int, node: int) -> TreeNode:
    leaf = int(np.searchsorted(ensemble.leaf_nodes, node))
    tree = int(np.searchsorted(ensemble.offsets, start))
    return TreeNode(
        id=node - start,
        feature=None,
        operator=None,
        value=None,
        or_missing=None,
        left=None,
        right=None,
        leaf=leaf - int(ensemble.leaf_offsets[tree]),
        values=ensemble.leaf_values[leaf].tolist(),
    )
