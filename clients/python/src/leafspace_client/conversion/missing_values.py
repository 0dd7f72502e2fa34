"""Missing values: texts that are missing reach imputers, and numbers that are missing go where the trees send them."""

from collections.abc import Iterator
from typing import Any

from sklearn.impute import SimpleImputer


def read_missing_texts(estimator: Any) -> None:  # noqa: ANN401  # an estimator
    """Change imputers of texts in place: a tensor of texts has no not-a-number, there missing is an empty text."""
    for step in _steps(estimator):
        if isinstance(step, SimpleImputer) and step.statistics_.dtype.kind in "OUS":
            if not isinstance(step.missing_values, str):
                step.missing_values = ""
            step.statistics_ = step.statistics_.astype(object)


def route_missing_numbers(model: Any, final: Any) -> None:  # noqa: ANN401  # a ModelProto, an estimator
    """Write into the graph, in place, to which side trees send missing numbers; skl2onnx leaves that out."""
    trees = list(_trees(final))
    if not any(tree.missing_go_to_left.any() for tree in trees):
        return
    routes = iter(trees)
    for node in model.graph.node:
        attributes = {attribute.name: attribute for attribute in node.attribute}
        if "nodes_missing_value_tracks_true" not in attributes:
            continue
        n_trees = len(set(attributes["nodes_treeids"].ints))
        sides = [int(side) for _ in range(n_trees) for side in next(routes).missing_go_to_left]
        attributes["nodes_missing_value_tracks_true"].ints[:] = sides


def _trees(final: Any) -> Iterator[Any]:  # noqa: ANN401  # an estimator, its trees
    if hasattr(final, "tree_"):
        yield final.tree_
        return
    members = getattr(final, "estimators_", [])
    for member in members.ravel() if hasattr(members, "ravel") else members:
        yield from _trees(member)


def _steps(estimator: Any) -> Iterator[Any]:  # noqa: ANN401  # an estimator, its steps
    if hasattr(estimator, "steps"):
        for _name, step in estimator.steps:
            yield from _steps(step)
    elif hasattr(estimator, "transformers_"):
        for _name, transformer, _columns in estimator.transformers_:
            yield from _steps(transformer)
    else:
        yield estimator
