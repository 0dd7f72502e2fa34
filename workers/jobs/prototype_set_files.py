"""The files that a prototype set keeps: the rows of each prototype, the classifier, and values next to cuts."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

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
from tree_explainers.prototype_sets.classifier_trees import ClassifierTrees, classifier_trees
from tree_explainers.prototype_sets.prototype_votes import Classes, nearest_of_own_class
from tree_explainers.prototype_sets.raw_tests import RawTests
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
        nothing = ClassifierTrees(RawTests.none(), (), int(space.weights.sum()))
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
    used = np.unique(trees.tests.features).tolist()
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


def _tests(tests: RawTests, index_of: Mapping[int, int]) -> bytes:
    """Return tests as the document has them; ``index_of`` is the place of each feature.

    Nearly all are about the numbers up to a cut: cuts are printed at once, and no object is made of each.
    """
    features, n_tests = tests.features.tolist(), len(tests.features)
    cuts = orjson.dumps(tests.cuts, option=orjson.OPT_SERIALIZE_NUMPY)[1:-1].split(b",")  # infinite ones as null
    heads = {feature: b'{"feature":%d,"ranges":[' % index for feature, index in index_of.items()}
    starts = {feature: head + b'{"above":null,"up_to":' for feature, head in heads.items()}
    pieces = [b""] * (3 * n_tests)
    pieces[::3] = map(starts.__getitem__, features)
    pieces[1::3] = cuts[:n_tests]
    pieces[2::3] = map(_UP_TO_A_CUT.__getitem__, (tests.are_among + 2 * tests.or_missing).tolist())
    for test, values in tests.values.items():
        ranges = orjson.dumps([{"above": low, "up_to": high} for low, high in values.ranges])[1:-1]
        end = _end_of_test(orjson.dumps(values.texts), tests.are_among[test], tests.or_missing[test])
        pieces[3 * test : 3 * test + 3] = heads[features[test]], ranges, end
    return b"[%b]" % b"".join(pieces)[:-1]


def _end_of_test(texts: bytes, is_among: bool, or_missing: bool) -> bytes:
    return b'],"texts":%b,"is_among":%b,"or_missing":%b},' % (texts, _TRUTH[int(is_among)], _TRUTH[int(or_missing)])


_UP_TO_A_CUT = [b"}" + _end_of_test(b"[]", among, missing) for missing in (False, True) for among in (False, True)]


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
