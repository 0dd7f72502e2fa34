"""The nearest-prototype classifier of a prototype set, in the forms that exports are written from."""

from collections.abc import Collection
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from schemas.prototype_classifiers import ClassifierPrototype
from schemas.rule_sets import RuleFeature
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.prototype_graph import prototype_graph
from tree_explainers.prototype_sets.classifier_trees import ClassifierTrees, RawTest, classifier_trees

from ..runtime.context import JobContext
from .prototype_set_evaluation import ChosenPrototypes


def write_classifier(
    context: JobContext, chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]
) -> dict[str, Path]:
    """Write the classifier as the document ``classifier`` and as ``onnx``; return the files by name."""
    document, graph = context.workspace / "classifier.json", context.workspace / "classifier.onnx"
    document.write_bytes(_document(chosen, prototypes))
    graph.write_bytes(_graph(chosen, prototypes))
    return {"classifier": document, "onnx": graph}


def _graph(chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]) -> bytes:
    space = chosen.leaf_space
    labels = [each.label for each in prototypes if each.label is not None]
    values = np.array([each.value for each in prototypes if each.value is not None])
    coarser = None if space.leaves.min_leaf_rows == 1 else (space.leaves.codes, space.leaves.offsets)
    return prototype_graph(space.model.read_graph(), chosen.leaves, space.weights, labels or values, coarser)


def _document(chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]) -> bytes:
    space = chosen.leaf_space
    description, dataset = space.model.description, space.dataset
    types = {column.name: column.type for column in dataset.stored.view.columns}
    named = zip(description.feature_names, dataset.columns, strict=True)
    booleans = {feature for feature, column in named if types[column] == "boolean"}
    try:
        trees = classifier_trees(space.leaves.cut(space.model.ensemble), chosen.leaves, space.weights, description)
    except MethodNotApplicable as refused:
        nothing = ClassifierTrees((), (), int(space.weights.sum()))
        return describe_classifier(nothing, description, booleans, prototypes, refused.detail)
    return describe_classifier(trees, description, booleans, prototypes)


def describe_classifier(
    trees: ClassifierTrees,
    description: ModelDescription,
    booleans: Collection[str],
    prototypes: list[ClassifierPrototype],
    refusal: str | None = None,
) -> bytes:
    """Return the document that other programs apply, a ``PrototypeClassifier`` as JSON.

    It may have a hundred thousand tests, so it is written without making a message of each. ``booleans`` are the
    features that are true or false.
    """
    used = sorted({test.feature for test in trees.tests})
    place = {feature: index for index, feature in enumerate(used)}
    names, tokens = description.feature_names, description.missing_tokens
    features = [_feature(names[index], tokens[index], is_boolean=names[index] in booleans) for index in used]
    document = {
        "task": description.task,
        "classes": description.classes,
        "features": [feature.model_dump() for feature in features],
        "prototypes": [prototype.model_dump() for prototype in prototypes],
        "total_weight": trees.total_weight,
        "tests": [_test(test, place[test.feature]) for test in trees.tests],
        "trees": [
            {"weight": tree.weight, "root": tree.root, "nodes": tree.nodes, "leaves": tree.leaves}
            for tree in trees.trees
        ],
        "refusal": refusal,
    }
    return orjson.dumps(document)


def _feature(name: str, token: str | None, *, is_boolean: bool) -> RuleFeature:
    if token is not None:
        return RuleFeature(name=name, type="category", missing_text=token)
    return RuleFeature(name=name, type="boolean" if is_boolean else "number", missing_text=None)


def _test(test: RawTest, feature: int) -> dict[str, Any]:
    ranges = [
        {"above": None if low == -inf else low, "up_to": None if high == inf else high} for low, high in test.ranges
    ]
    return {
        "feature": feature,
        "ranges": ranges,
        "texts": test.texts,
        "is_among": test.is_among,
        "or_missing": test.or_missing,
    }
