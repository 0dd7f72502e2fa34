"""One tree of a model, node by node, in raw names and units where they are known."""

import numpy as np

from schemas.models import ModelColumn, Tree, TreeNode
from storage.array_files import read_arrays
from storage.errors import NotFound
from tree_explainers.ensemble import Operator, TreeEnsemble

from ..parts import Parts

_SIGNS = {
    Operator.LEQ: "<=",
    Operator.LT: "<",
    Operator.GTE: ">=",
    Operator.GT: ">",
    Operator.EQ: "==",
    Operator.NEQ: "!=",
    Operator.MEMBER: "in",
}
_MIRRORED = {"<=": ">=", "<": ">", ">=": "<=", ">": "<"}


def get_tree(parts: Parts, model_id: str, tree: int) -> Tree:
    """Return tree number ``tree``, from 0; raise ``NotFound`` where the model has none."""
    model = parts.models.get(model_id)
    if not 0 <= tree < model.view.n_trees:
        noun = f"tree of model {model_id!r}, which has trees 0 to {model.view.n_trees - 1},"
        raise NotFound(noun, str(tree))
    ensemble = TreeEnsemble.from_arrays(read_arrays(parts.objects.get(model.ensemble)))
    start, stop = int(ensemble.offsets[tree]), int(ensemble.offsets[tree + 1])
    columns = model.view.column_map
    return Tree(model=model_id, tree=tree, nodes=[_node(ensemble, columns, start, node) for node in range(start, stop)])


def _node(ensemble: TreeEnsemble, columns: list[ModelColumn], start: int, node: int) -> TreeNode:
    if ensemble.operator[node] == Operator.LEAF:
        return _leaf(ensemble, start, node)
    column = columns[ensemble.column[node]]
    sign, value = _test(column, _SIGNS[Operator(ensemble.operator[node])], float(ensemble.threshold[node]))
    return TreeNode(
        id=node - start,
        feature=column.name,
        operator=sign,
        value=value,
        or_missing=bool(ensemble.missing_left[node]),
        transformed=column.transformed,
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


def _test(column: ModelColumn, sign: str, threshold: float) -> tuple[str, float | str | None]:
    """Return sign and value in raw terms where the column is a number in its raw unit or a linear function of it."""
    if column.kind == "indicator" and sign in {"<=", "<"} and 0 <= threshold < 1:
        return "is not", column.category
    if column.kind != "affine":
        return sign, threshold
    return (_MIRRORED.get(sign, sign) if column.scale < 0 else sign), (threshold - column.offset) / column.scale
