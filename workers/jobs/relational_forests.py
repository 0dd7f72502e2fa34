"""Make a relational forest: learn first-order trees, and publish them as a feature set, a model and a dataset."""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from explanations.feature_sets import described_by_name, listed_set
from schemas.feature_sets import MAX_FEATURES
from schemas.identifiers import content_identifier
from schemas.models import ModelMetadata
from schemas.relational_features import RelationalFeature
from schemas.relational_forests import (
    ForestEvaluation,
    ForestScores,
    RelationalForestRequest,
    RelationalForestResult,
    RelationalTree,
    SkippedQuery,
    TableLanguage,
)
from storage.array_files import write_arrays
from storage.artefacts import NewArtefact
from storage.errors import StorageError
from storage.models import NewModel
from storage.object_store import ObjectStore
from storage.publications import Publication
from tree_explainers.compute.progress import ReportProgress, part_of
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.derivation import derive_model
from tree_explainers.onnx_models.description import DeclaredModel, ModelLimits
from tree_explainers.onnx_models.forest_writing import write_forest_onnx
from tree_explainers.onnx_models.plausible_trial import DerivedModel
from tree_explainers.prediction_scores import balanced_share, r2_of
from tree_explainers.relational.forests import (
    ForestSettings,
    ForestVotes,
    RelationalForest,
    grow_forest,
    labelled_examples,
)
from tree_explainers.relational.language import Language
from tree_explainers.relational.language import TableLanguage as OfTable
from tree_explainers.relational.query_trie import FeatureColumn
from tree_explainers.relational.tables import RelationalRows
from tree_explainers.relational.tilde_trees import TildeSettings
from tree_explainers.rows import Rows

from ..runtime.context import JobContext, Produced
from .cautions import forest_warnings
from .feature_columns import WrittenDataset, evaluate_table, write_dataset
from .relational_inputs import RelationalInput, load_relational_rows

# Shares of the job's progress, which goes from 0 to 1 and never back.
_READING = (0.0, 0.1)
_GROWING = (0.1, 0.8)
_EVALUATING = (0.8, 0.9)
_VOTING = (0.9, 0.95)
_PUBLISHING = 0.95  # to the end: a moment

_BLOCK_ROWS = 65_536
_MOST_SKIPPED = 100
_LONGEST_NAME = 255


def make_relational_forest(context: JobContext) -> Produced:
    """Make the artefact that a ``RelationalForestRequest`` describes, and publish what it consists of."""
    request = RelationalForestRequest(**context.request)
    read = load_relational_rows(context, request.relational_dataset, part_of(context.report, *_READING))
    if request.task == "regression":  # the values alone are learned from, even where there are few different ones
        read = replace(read, rows=replace(read.rows, labels=None, classes=()))
    forest = grow_forest(read.rows, settings_of(request), part_of(context.report, *_GROWING))
    _refuse_without_tests(forest)
    described = described_by_name(forest.features, read.rows.schema)
    table = evaluate_table(forest.features, described, read, part_of(context.report, *_EVALUATING))
    name = f"{request.method} on {read.view.name or read.view.id}"
    model = _model(forest, described, read, name)
    votes = _votes(forest, model.derived, table.columns, part_of(context.report, *_VOTING))
    context.report(_PUBLISHING, "publishing")
    feature_set, features = listed_set(request.relational_dataset, described)
    dataset = write_dataset(table, feature_set.id, f"features of {name}", context.workspace / "dataset.parquet")
    evaluation = _evaluation(forest, votes, read.rows)
    content = _content(forest, feature_set, model, dataset, evaluation, read)
    publish = partial(_publish, feature_set, features, model, dataset)
    return Produced(content.model_dump_json().encode(), publish=publish)


def settings_of(request: RelationalForestRequest) -> ForestSettings:
    """Return how a forest is grown, from the request."""
    language = request.language
    tree = TildeSettings(
        criterion=request.criterion,
        min_samples_leaf=request.min_samples_leaf,
        max_depth=request.max_depth,
        pruning=request.pruning,
        aggregates=request.aggregates,
        test_share=request.test_share,
        language=Language(
            max_variables=language.max_variables,
            through_examples=language.through_examples,
            tables={table: _table_language(of_table) for table, of_table in language.tables.items()},
            relationships=None if language.relationships is None else tuple(language.relationships),
        ),
    )
    return ForestSettings(request.method, request.n_trees, request.seed, tree)


def _table_language(of_table: TableLanguage) -> OfTable:
    columns, aggregates = of_table.columns, of_table.aggregates
    return OfTable(
        columns=None if columns is None else tuple(columns),
        bare=of_table.bare,
        aggregates=None if aggregates is None else tuple(aggregates),
    )


def _refuse_without_tests(forest: RelationalForest) -> None:
    if not forest.features:
        detail = (
            "no test separates the targets: each tree is a single leaf; allow more tables, columns or aggregates, a "
            "smaller min_samples_leaf, or take pruning=none"
        )
        raise MethodNotApplicable(detail)
    if len(forest.features) > MAX_FEATURES:
        detail = (
            f"the trees ask {len(forest.features):,} different queries; a feature set has at most {MAX_FEATURES:,}: "
            "request fewer trees, a larger min_samples_leaf, or a max_depth"
        )
        raise StorageError("result_too_large", detail)


# The model: the forest over the features' columns, derived as if it had been uploaded.


@dataclass(frozen=True, slots=True)
class PublishedModel:
    """A model that was derived, ready to be kept."""

    id: str
    onnx: bytes
    derived: DerivedModel
    metadata: ModelMetadata

    def keep(self, objects: ObjectStore) -> NewModel:
        """Keep its file, and what was derived of it; return its row."""
        return NewModel(
            id=self.id,
            name=self.metadata.name,
            sha256=objects.put(self.onnx),
            size_bytes=len(self.onnx),
            leaf_graph=objects.put(self.derived.read.leaf_graph),
            ensemble=objects.put(write_arrays(self.derived.read.arrays())),
            description=self.derived.read.description.to_json(),
            metadata=self.metadata.model_dump(mode="json"),
            parity=None,
        )


def _model(
    forest: RelationalForest, described: Sequence[RelationalFeature], read: RelationalInput, name: str
) -> PublishedModel:
    names, classes = [each.name for each in described], read.rows.classes
    onnx = write_forest_onnx(forest.ensemble, len(names), classes)
    declared = DeclaredModel(tuple(names), None, "random_forest", finite_only=True)
    derived = derive_model(onnx, declared, ModelLimits())
    metadata = ModelMetadata(name=name[:_LONGEST_NAME], feature_names=names, ensemble="random_forest")
    identified = metadata.model_dump(mode="json", exclude={"name"})  # a name may be changed
    identifier = content_identifier("models", hashlib.sha256(onnx).hexdigest(), identified)
    return PublishedModel(identifier, onnx, derived, metadata)


# How well it predicts: by the graph that is published, and its leaves.


def _votes(
    forest: RelationalForest, model: DerivedModel, columns: Sequence[FeatureColumn], report: ReportProgress
) -> ForestVotes:
    votes, n_rows = ForestVotes.of(forest), forest.in_bag.shape[1]
    for start in range(0, n_rows, _BLOCK_ROWS):
        report(start / n_rows, "counting votes")
        block = tuple(column[start : start + _BLOCK_ROWS].astype(np.float64) for column in columns)
        outcome = model.session.run(model.session.encode(Rows(model.read.description.feature_names, block)))
        votes.add(forest, outcome.leaves, start)
    return votes


def _evaluation(forest: RelationalForest, votes: ForestVotes, rows: RelationalRows) -> ForestEvaluation:
    labelled = labelled_examples(rows)
    out_of_bag = labelled[votes.n_out_of_bag[labelled] > 0]
    n_leaves = len(forest.ensemble.leaf_nodes)
    return ForestEvaluation(
        out_of_bag=_scores(votes.out_of_bag, votes.n_out_of_bag, rows, out_of_bag) if len(out_of_bag) else None,
        training=_scores(votes.sums, np.full(rows.n_examples, len(forest.trees)), rows, labelled),
        n_nodes=forest.ensemble.n_nodes - n_leaves,
        n_leaves=n_leaves,
    )


def _scores(
    sums: NDArray[np.float64], n_trees: NDArray[np.int64], rows: RelationalRows, examples: NDArray[np.int64]
) -> ForestScores:
    """Return how well sums over trees predict; of regression, they are divided by the trees' numbers."""
    if rows.labels is None:
        assert rows.values is not None  # refused otherwise
        means, values = (sums[examples, 0] / n_trees[examples]), rows.values[examples]
        error = float(np.mean((means - values) ** 2))
        return ForestScores(
            n_examples=len(examples),
            accuracy=None,
            balanced_accuracy=None,
            mean_squared_error=error,
            r2=r2_of(means, values),
        )
    truth = rows.labels[examples]
    right = sums[examples].argmax(axis=1) == truth
    balanced_accuracy = balanced_share(right, truth)
    return ForestScores(n_examples=len(examples), accuracy=right.mean(), balanced_accuracy=balanced_accuracy)


# The result, and what is published with it.


def _content(
    forest: RelationalForest,
    feature_set: NewArtefact,
    model: PublishedModel,
    dataset: WrittenDataset,
    evaluation: ForestEvaluation,
    read: RelationalInput,
) -> RelationalForestResult:
    return RelationalForestResult(
        feature_set=feature_set.id,
        model=model.id,
        dataset=dataset.id,
        task=model.derived.read.description.task,
        n_features=len(forest.features),
        evaluation=evaluation,
        trees=[
            RelationalTree(n_nodes=tree.n_tests, n_leaves=len(tree.nodes) - tree.n_tests, depth=tree.depth)
            for tree in forest.trees
        ],
        skipped=[SkippedQuery(**asdict(each)) for each in forest.skipped[:_MOST_SKIPPED]],
        warnings=list(forest_warnings(evaluation, read)),
        ids_left_out=[
            f"{table.name}.{column.name}"
            for table in read.view.tables
            for column in table.columns
            if column.role == "id" and table.name not in read.view.unused
        ],
    )


def _publish(
    feature_set: NewArtefact, features: bytes, model: PublishedModel, dataset: WrittenDataset, objects: ObjectStore
) -> Publication:
    return Publication(feature_set, objects.put(features), model.keep(objects), dataset.keep(objects))
