"""The files that a prototype set keeps: the rows of each prototype, the classifier, and values next to cuts."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice

import numpy as np
import orjson
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from schemas.prototype_classifiers import ClassifierPrototype
from schemas.rule_sets import RuleFeature
from storage.dataset_files import DatasetFile
from storage.dataset_rows import open_rows
from storage.object_store import ObjectStore, PreparedFile
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.prototype_graph import prototype_graph
from tree_explainers.prototype_sets.classifier_trees import ClassifierTrees, RawTest, classifier_trees
from tree_explainers.prototype_sets.prototype_votes import Classes, nearest_of_own_class
from tree_explainers.questions.cut_neighbours import cut_neighbours
from tree_explainers.questions.statements import statements_of

from ..runtime.context import JobContext
from .inputs import OpenModel, ScoredDataset
from .prototype_set_evaluation import ChosenPrototypes

_BLOCK_ROWS = 65_536
_REPRESENTED_FILE = "rows"
_TRUTH = (b"false", b"true")
_GROUP_ROWS = 16_384  # what a reader of one page has to decode
_REPRESENTED_SCHEMA = pa.schema([("row", pa.int64()), ("proximity", pa.float64())])


def write_represented(context: JobContext, chosen: ChosenPrototypes) -> dict[str, PreparedFile]:
    """Write which rows each prototype represents, the nearest first (ties: the lower row), prototype by prototype.

    These are the rows for which it is the nearest prototype of their class, or of all with ``k_medoids``; rows that
    share no leaf with any such prototype are in no prototype's list. The file's metadata says where each list begins.
    """
    selection, space = chosen.selection, chosen.space
    is_of_any_class = selection.method == "k_medoids"
    of_rows, of_prototypes = chosen.classes, selection.classes
    if is_of_any_class:
        of_rows, of_prototypes = np.zeros_like(of_rows), np.zeros_like(of_prototypes)
    classes = Classes(max(1, len(space.model.view.classes)), of_rows, of_prototypes)
    owner, proximity = nearest_of_own_class(space.dataset.table, space.weights, chosen.leaves, classes)
    order = np.lexsort((np.arange(len(owner)), -proximity, owner))
    order = order[np.searchsorted(owner[order], 0) :]  # without the rows of none, whose owner is -1
    starts = np.searchsorted(owner[order], np.arange(len(selection.rows) + 1))
    described = _REPRESENTED_SCHEMA.with_metadata({"starts": ",".join(map(str, starts.tolist()))})
    table = pa.table([order, proximity[order] / space.total_weight], schema=described)
    path = context.workspace / "represented.parquet"
    pq.write_table(table, path, compression="zstd", row_group_size=_GROUP_ROWS)
    return {_REPRESENTED_FILE: context.objects.prepare(path)}


def write_classifier(
    context: JobContext, chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]
) -> dict[str, PreparedFile]:
    """Write the classifier as the document ``classifier`` and as ``onnx``; return the files by name."""
    document, graph = context.workspace / "classifier.json", context.workspace / "classifier.onnx"
    document.write_bytes(_document(chosen, prototypes))
    graph.write_bytes(_graph(chosen, prototypes))
    return {"classifier": context.objects.prepare(document), "onnx": context.objects.prepare(graph)}


def _graph(chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]) -> bytes:
    space = chosen.leaf_space
    labels = [each.label for each in prototypes if each.label is not None]
    values = np.array([each.value for each in prototypes if each.value is not None])
    coarser = None if space.leaves.min_leaf_rows == 1 else (space.leaves.codes, space.leaves.offsets)
    return prototype_graph(space.model.read_graph(), chosen.leaves, space.weights, labels or values, coarser)


def _document(chosen: ChosenPrototypes, prototypes: list[ClassifierPrototype]) -> bytes:
    space = chosen.leaf_space
    model, dataset = space.model, space.dataset
    description = replace(model.description, task=model.view.task, classes=tuple(model.view.classes))
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
    index_of = {feature: index for index, feature in enumerate(used)}
    names, tokens = description.feature_names, description.missing_tokens
    features = [_feature(names[index], tokens[index], is_boolean=names[index] in booleans) for index in used]
    document = {
        "task": description.task,
        "classes": description.classes,
        "features": [feature.model_dump() for feature in features],
        "prototypes": [prototype.model_dump() for prototype in prototypes],
        "total_weight": trees.total_weight,
        "tests": orjson.Fragment(_tests(trees.tests, index_of)),
        "trees": [
            {"weight": tree.weight, "root": tree.root, "nodes": tree.nodes, "leaves": tree.leaves}
            for tree in trees.trees
        ],
        "refusal": refusal,
    }
    return orjson.dumps(document, option=orjson.OPT_SERIALIZE_NUMPY)


def _feature(name: str, token: str | None, *, is_boolean: bool) -> RuleFeature:
    if token is not None:
        return RuleFeature(name=name, type="category", missing_text=token)
    return RuleFeature(name=name, type="boolean" if is_boolean else "number", missing_text=None)


def _tests(tests: Sequence[RawTest], index_of: Mapping[int, int]) -> bytes:
    """Return tests as the document has them; ``index_of`` is the place of each feature.

    Nearly all have one range and no texts: their ends are printed at once, and no object is made of each.
    """
    ends = [end for test in tests for one in test.ranges for end in one]
    printed = iter(orjson.dumps(ends)[1:-1].split(b","))  # infinite ones as null
    ranges = map(b'{"above":%b,"up_to":%b}'.__mod__, zip(printed, printed, strict=True) if ends else ())
    heads = {feature: b'{"feature":%d,"ranges":[' % index for feature, index in index_of.items()}
    parts = [
        heads[feature]
        + (next(ranges) if len(of_test) == 1 else b",".join(islice(ranges, len(of_test))))
        + _end_of_test(texts, is_among, or_missing)
        for feature, of_test, texts, is_among, or_missing in tests
    ]
    return b"[%b]" % b",".join(parts)


@lru_cache  # nearly all end alike
def _end_of_test(texts: tuple[str, ...], is_among: bool, or_missing: bool) -> bytes:
    printed = orjson.dumps(texts) if texts else b"[]"
    return b'],"texts":%b,"is_among":%b,"or_missing":%b}' % (printed, _TRUTH[is_among], _TRUTH[or_missing])


def measured_values(objects: ObjectStore, model: OpenModel, dataset: ScoredDataset) -> dict[str, NDArray[np.float64]]:
    """Return, for each feature that is a measured number, the values next to its cuts, ascending.

    Nothing is known where a tree tests what cannot be mapped back to a raw feature.
    """
    columns = dict(zip(model.description.feature_names, dataset.columns, strict=True))
    measured = {each.name for each in dataset.stored.view.columns if each.type == "number" and each.decimals is None}
    if measured.isdisjoint(dataset.columns):
        return {}
    try:
        statements = statements_of(model.ensemble, model.description)
    except MethodNotApplicable:
        return {}
    cuts = {each.name: each.cuts for each in statements.features if each.is_number and columns[each.name] in measured}
    with open_rows(objects, dataset.stored.content) as file:
        return {
            name: cut_neighbours(feature_cuts, _blocks(file, columns[name]), model.description.precision)
            for name, feature_cuts in cuts.items()
        }


def _blocks(file: DatasetFile, column: str) -> Iterator[NDArray[np.float64]]:
    return (values.astype(np.float64) for (values,) in file.iter_blocks([column], _BLOCK_ROWS))
