"""read_model: bytes from a stranger to a description, flat arrays and the graph that gives leaves."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, NodeProto

from ..ensemble import Operator, TreeEnsemble, TreeTensor, empty_ensemble, join_ensembles
from ..errors import ModelRefused
from ..walker.node_conditions import can_be_walked
from .allowed_operators import ORACLE_OPERATORS, TREE_OPERATORS
from .checking import check_model, parse_model
from .column_map import ColumnMap, group_columns, map_columns
from .description import (
    NOT_COMPARED,
    DeclaredModel,
    Engine,
    Ensemble,
    InputSpec,
    ModelColumn,
    ModelDescription,
    ModelLimits,
    ScoreKind,
    Scoring,
    Sums,
)
from .ensemble_kind import infer_ensemble
from .ensemble_shares import EnsembleGraph
from .fixed_batch import FixedRows, free_rows
from .graph import first_that_computes, in_reading_order, makers_of, matrices_behind
from .interface import Outputs, find_inputs, find_outputs, name_features
from .leaf_dependence import check_leaf_dependence, connected_trees
from .leaf_graph import LEAF_OUTPUT, TreesOfTensor, build_graphs, build_prediction_graph
from .leaf_scores import adds_alone, are_shares, scoring_of
from .model_sizes import check_size, refuse_large_description, refuse_long_names
from .model_warnings import of_transformed_columns, of_unused_ensembles
from .monotone_functions import thresholds_in_raw_units
from .raw_scores import TreeOperator, raw_scores_of
from .runtime_differences import AsSent
from .runtime_order import is_in_runtime_order, put_in_runtime_order
from .score_tail import score_tail
from .tree_attributes import read_node_table
from .tree_attributes_5 import read_node_table_5
from .tree_nodes import OrderedTrees, adds_up_exactly, order_trees
from .walked_parts import ScoreTail, WalkedParts

_OF_ORACLES = Engine("onnxruntime", "Only the model's predictions are used.")
_OF_SETS = Engine("onnxruntime", "Trees test membership in sets, which is left to onnxruntime.")
_ROUNDING_OF_ORACLES = 2.0**-20  # some single-precision operations deep


@dataclass(frozen=True, slots=True)
class ForTrial:
    """Graphs that are tried at registration, and not kept; ``None`` where there is nothing to be tried."""

    of_fixed_rows: FixedRows | None = None  # the graph as it came, where that is for a fixed number of rows
    of_ensembles: EnsembleGraph | None = None  # where shares of ensembles are to be measured
    as_sent: AsSent | None = None  # of which onnxruntime makes other predictions


@dataclass(frozen=True, slots=True)
class ReadModel:
    """All that is kept of a model's file."""

    description: ModelDescription
    ensemble: TreeEnsemble  # without trees of an oracle
    leaf_graph: bytes  # of an oracle, the graph of its predictions alone
    for_walker: WalkedParts
    example_texts: tuple[str | None, ...] = ()  # of an oracle: (n_features,) a category that an encoder knows
    for_trial: ForTrial = ForTrial()

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that are kept: those of the ensemble, and those for the walker."""
        return {**self.ensemble.to_arrays(), **self.for_walker.to_arrays()}


@dataclass(frozen=True, slots=True)
class _Front:
    """What rows go into, and what predictions are read from."""

    inputs: tuple[InputSpec, ...]
    feature_names: tuple[str, ...]
    column_map: ColumnMap
    outputs: Outputs


@dataclass(frozen=True, slots=True)
class _ReadOperator:
    """One tree operator of the graph."""

    node: NodeProto
    trees: OrderedTrees
    is_double: bool
    answers_in_double: bool  # sums are not rounded to single precision on their way out
    is_in_order: bool  # of onnxruntime

    @property
    def tensor(self) -> str:
        return str(self.node.input[0])


def read_model(data: bytes, declared: DeclaredModel, limits: ModelLimits) -> ReadModel:
    """Return what is known of an ONNX model, its trees as arrays, and the graph that gives leaves with predictions.

    Parameters
    ----------
    data
        A whole ONNX file.
    declared
        What the caller states about the model; it goes before what the graph states, and must agree with it in numbers.
    limits
        How large the model may be.

    Raises
    ------
    ModelRefused
        With the code of the first thing that is wrong: see ``checking``, ``interface`` and ``tree_nodes``;
        ``model_not_a_tree_ensemble`` where the graph has no tree operator, or trees do not decide;
        ``model_unsupported_input`` where trees read text or predict several values at once; ``validation_failed`` where
        facts about trees are declared of an oracle.
    """
    model = parse_model(data)
    if declared.oracle_only:
        return _read_oracle(model, declared, limits)
    check_model(model, limits)
    tree_nodes = _tree_nodes(model.graph, limits)
    of_fixed_rows = free_rows(model)
    front = _read_front(model.graph, declared, limits)
    names = [name for name in (front.outputs.label, front.outputs.score) if name]
    connected = connected_trees(model.graph, names, tree_nodes)
    past_trees = check_leaf_dependence(model.graph, names, connected)
    operators = _read_operators(model.graph, connected, front, limits)
    as_sent = _as_sent(model, operators, front.outputs)
    _check_outputs(operators, front.outputs, limits)
    parts = _parts(operators, front.column_map)
    scoring = _scoring(model.graph, operators, front.outputs)
    of_trees = [TreeOperator(operator.node, operator.trees.ensemble) for operator in operators]
    as_read, columns, tensors = _join(parts, front)
    ensemble, columns = thresholds_in_raw_units(as_read, columns)
    columns = group_columns(columns, declared.feature_groups)

    kind = infer_ensemble(model, front.outputs.score, [(operator.node, operator.trees) for operator in operators])
    description = replace(
        _describe(front, declared, kind),
        score_kind=_score_kind(model.graph, operators, front.outputs),
        **_facts_of_trees(operators, ensemble),
        operators=_op_types(model.graph),
        columns=columns,
        warnings=of_unused_ensembles(len(tree_nodes) - len(connected)) + of_transformed_columns(ensemble, columns),
        tensors=tensors,
        scoring=scoring,
        raw_scores=raw_scores_of(model.graph, of_trees, front.outputs),
        engine=NOT_COMPARED if can_be_walked(as_read) else _OF_SETS,
    )
    refuse_large_description(description, limits)

    trees = [(operator.node.output, operator.trees.ensemble.n_trees) for operator in operators]
    of_ensembles = EnsembleGraph.of(model, trees, names, past_trees)
    tail = None if scoring is not None else _tail(model, operators, names)
    graphs = build_graphs(model, parts, names, with_predictions=scoring is None)
    for_walker = WalkedParts.of(graphs.front_graph, graphs.prediction_graph, as_read, ensemble)
    for_trial = ForTrial(of_fixed_rows, of_ensembles, as_sent)
    return ReadModel(description, ensemble, graphs.leaf_graph, replace(for_walker, tail=tail), for_trial=for_trial)


def _op_types(graph: GraphProto) -> tuple[str, ...]:
    return tuple(sorted({node.op_type for node in graph.node}))


def _facts_of_trees(operators: Sequence[_ReadOperator], ensemble: TreeEnsemble) -> dict[str, Any]:
    """Return the fields of the description that are numbers of the trees."""
    return {
        "rounding": _rounding(operators),
        "n_trees": ensemble.n_trees,
        "n_nodes": ensemble.n_nodes,
        "n_leaves": len(ensemble.leaf_nodes),
        "max_depth": max(operator.trees.depth for operator in operators),
    }


def _read_oracle(model: ModelProto, declared: DeclaredModel, limits: ModelLimits) -> ReadModel:
    """Return what is known of a model of which predictions alone are used; trees in it are checked, and not kept.

    Scores that could be probabilities are taken for such until the model has been tried (``oracle_trial``).
    """
    if declared.ensemble or declared.feature_groups:
        detail = "`ensemble` and `feature_groups` are about trees, which `oracle_only` leaves unread; leave them out."
        raise ModelRefused("validation_failed", detail)
    check_model(model, limits, ORACLE_OPERATORS)
    of_fixed_rows = free_rows(model)
    front = _read_front(model.graph, declared, limits)
    trees = [node for node in model.graph.node if node.op_type in TREE_OPERATORS]
    operators = [_read_operator(node, front.column_map, limits, None) for node in trees]
    as_sent = _as_sent(model, operators, front.outputs)
    description = replace(
        _describe(front, declared, None),
        rounding=_ROUNDING_OF_ORACLES,
        operators=_op_types(model.graph),
        leaf_output="",
        oracle_only=True,
        engine=_OF_ORACLES,
    )
    refuse_large_description(description, limits)
    graph = build_prediction_graph(model, [name for name in (front.outputs.label, front.outputs.score) if name])
    parts = WalkedParts(b"", b"")
    return ReadModel(
        description,
        empty_ensemble(),
        graph,
        parts,
        front.column_map.example_texts,
        ForTrial(of_fixed_rows, None, as_sent),
    )


def _read_front(graph: GraphProto, declared: DeclaredModel, limits: ModelLimits) -> _Front:
    inputs = find_inputs(graph, declared.feature_names, limits)
    names = name_features(inputs, declared.feature_names)
    outputs = find_outputs(graph, declared)
    refuse_long_names(names, outputs.classes, limits)
    return _Front(inputs, names, map_columns(graph, inputs, names), outputs)


def _describe(front: _Front, declared: DeclaredModel, kind: Ensemble | None) -> ModelDescription:
    """Return the description, but for the trees."""
    outputs = front.outputs
    return ModelDescription(
        task=outputs.task,
        classes=outputs.classes,
        label_values=outputs.label_values,
        inputs=front.inputs,
        feature_names=front.feature_names,
        missing_tokens=front.column_map.missing_tokens,
        n_trees=0,
        n_nodes=0,
        n_leaves=0,
        max_depth=0,
        operators=(),
        ensemble=declared.ensemble or kind,
        ensemble_inferred=declared.ensemble is None and kind is not None,
        label_output=outputs.label,
        score_output=outputs.score,
        score_kind=outputs.score_kind,
        labels_are_highest=outputs.labels_are_highest,
        finite_only=declared.finite_only,
        leaf_output=LEAF_OUTPUT,
        columns=(),
        closed_features=front.column_map.closed_features,
    )


def _tree_nodes(graph: GraphProto, limits: ModelLimits) -> list[NodeProto]:
    nodes = [node for node in graph.node if node.op_type in TREE_OPERATORS]
    if not nodes:
        detail = (
            "The graph has no tree-ensemble operator; only tree ensembles can be explained in full. Send `oracle_only` "
            "to register another classifier or regressor, which approximation trees can be made of."
        )
        code = "model_not_a_tree_ensemble"
        raise ModelRefused(code, detail)
    n_nodes = sum(
        max((len(attribute.ints) for attribute in node.attribute if attribute.name.startswith("nodes_")), default=0)
        for node in nodes
    )
    check_size("nodes", n_nodes, limits.max_nodes)
    return nodes


def _read_operators(
    graph: GraphProto, tree_nodes: Sequence[NodeProto], front: _Front, limits: ModelLimits
) -> list[_ReadOperator]:
    """Return the tree operators, in the order in which the scores read them."""
    ordered = in_reading_order(tree_nodes, front.outputs.score, makers_of(graph))
    return [
        _read_operator(node, front.column_map, limits, matrix)
        for node, matrix in zip(ordered, matrices_behind(graph, ordered), strict=True)
    ]


def _read_operator(
    node: NodeProto, column_map: ColumnMap, limits: ModelLimits, matrix: NDArray[np.float64] | None
) -> _ReadOperator:
    tensor = column_map.tensors[node.input[0]]
    if tensor.element == "string":
        detail = "The trees read a matrix of strings; categories must be encoded in the graph before the trees."
        raise ModelRefused("model_unsupported_input", detail)
    is_opset_5 = node.op_type == "TreeEnsemble"
    table = read_node_table_5(node, limits) if is_opset_5 else read_node_table(node)
    # Leaves in parts have several values for each class, which the matrix behind them puts together.
    n_outputs = table.n_outputs if matrix is None or matrix.shape[:-1] != (table.n_outputs,) else matrix.shape[-1]
    check_size("classes or targets", n_outputs, limits.max_outputs)
    n_leaf_values = int((table.operator == Operator.LEAF).sum()) * max(n_outputs, table.n_outputs)
    check_size("leaf values", n_leaf_values, limits.max_leaf_values)
    trees = order_trees(table, tensor.width, limits)
    check_size("trees", trees.ensemble.n_trees, limits.max_trees)
    is_in_order = is_opset_5 or is_in_runtime_order(table, trees)
    is_in_parts = matrix is not None and matrix.shape[:-1] == (trees.ensemble.leaf_values.shape[1],)
    if matrix is not None and is_in_parts:
        trees = replace(trees, ensemble=replace(trees.ensemble, leaf_values=trees.ensemble.leaf_values @ matrix))
    answers_in_double = table.is_double and (is_opset_5 or is_in_parts)
    return _ReadOperator(node, trees, table.is_double, answers_in_double, is_in_order)


def _as_sent(model: ModelProto, operators: Sequence[_ReadOperator], outputs: Outputs) -> AsSent | None:
    """Return a copy of the graph where onnxruntime makes other predictions of it, and put its trees into order."""
    is_out_of_order = not all(operator.is_in_order for operator in operators)
    label = outputs.misread_label or outputs.label
    is_other = is_out_of_order or outputs.misread_label is not None
    sent = AsSent.of(model, label, outputs.score, is_out_of_order=is_out_of_order) if is_other else None
    for operator in operators:
        if not operator.is_in_order:
            put_in_runtime_order(operator.node, operator.trees)
    return sent


def _rounding(operators: Sequence[_ReadOperator]) -> float:
    """Return how far two scores may be apart that rounding may have put into their order; see ``ModelDescription``."""
    n_trees = sum(operator.trees.ensemble.n_trees for operator in operators)
    if len(operators) == 1 and adds_up_exactly(operators[0].trees.ensemble, is_double=operators[0].answers_in_double):
        return 0.0
    return n_trees * 2.0 ** (-52 if all(operator.answers_in_double for operator in operators) else -23)


def _scoring(graph: GraphProto, operators: Sequence[_ReadOperator], outputs: Outputs) -> Scoring | None:
    if len(operators) != 1:
        return None
    (operator,) = operators
    return scoring_of(graph, operator.node, operator.trees, _sums_of(operator), outputs)


def _tail(model: ModelProto, operators: Sequence[_ReadOperator], names: Sequence[str]) -> ScoreTail | None:
    """Return what makes predictions of the sums of the only operator, where they follow from these alone."""
    if len(operators) != 1 or not adds_alone(operators[0].node, operators[0].trees, _sums_of(operators[0])):
        return None
    return score_tail(model, operators[0].node.output[0], _sums_of(operators[0]), names)


def _sums_of(operator: _ReadOperator) -> Sums:
    """Return the precision in which an operator adds."""
    in_double: Sums = "double" if operator.answers_in_double else "double_rounded"
    return in_double if operator.is_double else "single"


def _score_kind(graph: GraphProto, operators: Sequence[_ReadOperator], outputs: Outputs) -> ScoreKind:
    """Return the kind of scores: sums of trees that can leave 0 to 1 are not taken for probabilities."""
    last = first_that_computes(outputs.score, makers_of(graph))
    operator = next((operator for operator in operators if operator.node is last), None)
    if outputs.score_kind != "probability" or operator is None or are_shares(operator.node, operator.trees):
        return outputs.score_kind
    return "raw"


def _check_outputs(operators: Sequence[_ReadOperator], outputs: Outputs, limits: ModelLimits) -> None:
    n_values = [operator.trees.ensemble.leaf_values.shape for operator in operators]
    check_size("trees", sum(operator.trees.ensemble.n_trees for operator in operators), limits.max_trees)
    check_size("leaf values", sum(n for n, _ in n_values) * max(width for _, width in n_values), limits.max_leaf_values)
    if outputs.task == "regression" and max(width for _, width in n_values) > 1:
        detail = "The model predicts several values at once; register one model for each."
        raise ModelRefused("model_unsupported_input", detail)


def _parts(operators: Sequence[_ReadOperator], column_map: ColumnMap) -> list[TreesOfTensor]:
    """Return trees by tensor: neighbouring operators that read the same one are put together."""
    groups: list[list[_ReadOperator]] = []
    for operator in operators:
        last = groups[-1][-1] if groups else None
        if last and (last.tensor, last.is_double) == (operator.tensor, operator.is_double):
            groups[-1].append(operator)
        else:
            groups.append([operator])
    return [
        TreesOfTensor(
            tensor=group[0].tensor,
            ensemble=join_ensembles([operator.trees.ensemble for operator in group]),
            is_double=group[0].is_double,
            is_integer=column_map.tensors[group[0].tensor].element == "integer",
        )
        for group in groups
    ]


def _join(
    parts: Sequence[TreesOfTensor], front: _Front
) -> tuple[TreeEnsemble, tuple[ModelColumn, ...], tuple[TreeTensor, ...]]:
    """Return all trees in one ensemble whose columns are those of all distinct tensors, one after the other."""
    single = {spec.name for spec in front.inputs if spec.type != "double"}
    tensors: list[TreeTensor] = []
    columns: list[ModelColumn] = []
    first: dict[str, int] = {}
    shifted = []
    for part in parts:
        if part.tensor not in first:
            first[part.tensor] = len(columns)
            tensors.append(TreeTensor(part.tensor, len(columns), not part.is_integer and part.tensor not in single))
            columns += front.column_map.columns_of(part.tensor, part.ensemble)
        is_branch = part.ensemble.operator != Operator.LEAF
        shifted.append(replace(part.ensemble, column=part.ensemble.column + is_branch * np.int32(first[part.tensor])))
    return join_ensembles(shifted), tuple(columns), tuple(tensors)
