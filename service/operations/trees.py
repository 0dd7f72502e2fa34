"""One tree of a model, node by node, in raw names and units where they are known."""

from collections.abc import Generator, Iterator
from itertools import islice

import numpy as np

from schemas.models import Tree, TreeNode
from storage.array_files import read_arrays
from storage.errors import NotFound
from tree_explainers.ensemble import Operator, TreeEnsemble
from tree_explainers.onnx_models.description import InputType, ModelColumn, ModelDescription
from tree_explainers.questions.splits import raw_split, raw_types, split_of

from ..app_context import AppContext

_NODE_BYTES, _VALUE_BYTES = 120, 16  # as stored and as arrays
_NODES_TOGETHER = 256


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
    return _written(head, nodes)


def tree_bytes(context: AppContext, model_id: str) -> int:
    """Return about how much memory a model's trees take while one is read."""
    model = context.models.summary(model_id)
    return model.n_nodes * _NODE_BYTES + model.n_leaves * max(1, model.n_classes) * _VALUE_BYTES


def _written(head: bytes, nodes: Iterator[TreeNode]) -> Generator[bytes]:
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
    place = int(np.searchsorted(ensemble.leaf_nodes, node))
    tree = int(np.searchsorted(ensemble.offsets, start))
    return TreeNode(
        id=node - start,
        feature=None,
        operator=None,
        value=None,
        or_missing=None,
        left=None,
        right=None,
        leaf=place - int(ensemble.leaf_offsets[tree]),
        values=ensemble.leaf_values[place].tolist(),
    )
