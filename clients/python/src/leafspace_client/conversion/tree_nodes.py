"""Tree nodes as skl2onnx writes them, mended on their way into the graph.

skl2onnx leaves out to which side trees send missing numbers, and hands numpy's numbers to ONNX, which refuses them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
from skl2onnx.common._registration import get_converter
from sklearn.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

TREE_MODELS: tuple[type, ...] = (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreeClassifier,
    ExtraTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
_ROUTES = "nodes_missing_value_tracks_true"


class _MendingContainer:
    """What skl2onnx adds nodes to, for one model."""

    def __init__(self, container: Any, model: Any) -> None:  # noqa: ANN401  # skl2onnx's container, an estimator
        self._container = container
        self._routes = [int(side) for each in _trees(model) for side in each.missing_go_to_left]

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401  # whatever the container has
        return getattr(self._container, name)

    def add_node(self, *arguments: Any, **attributes: Any) -> Any:  # noqa: ANN401  # passed on
        """Add a node, its attributes as Python's own values."""
        plain = {name: _plain(value) for name, value in attributes.items()}
        if self._routes and _ROUTES in plain:
            plain[_ROUTES] = self._routes
        return self._container.add_node(*arguments, **plain)


def convert_trees(scope: Any, operator: Any, container: Any) -> None:  # noqa: ANN401  # skl2onnx's own
    """Convert a model of trees by skl2onnx's own converter for it."""
    model = operator.raw_operator
    convert = get_converter(f"Sklearn{type(model).__name__}")
    convert(scope, operator, _MendingContainer(container, model))


def _trees(model: Any) -> Iterator[Any]:  # noqa: ANN401  # an estimator, its trees
    if hasattr(model, "tree_"):
        yield model.tree_
    for member in getattr(model, "estimators_", []):
        yield member.tree_


def _plain(value: Any) -> Any:  # noqa: ANN401  # any attribute
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return int(value) if isinstance(value, bool) else value
