"""What trees and rules that imitate a model are made from: its answers for made-up rows, and the words of columns.

The model's session answers in this process, or the workers of a cluster do.
"""

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import TYPE_CHECKING, Literal

from explanations.feature_phrases import implications_of, phrases_of
from explanations.feature_sets import open_feature_set
from storage.artefacts import ArtefactStore
from storage.datasets import StoredDataset
from storage.feature_matching import match_features
from storage.relational_datasets import RelationalDatasetStore
from tree_explainers.approximation_trees.oracle import Answering, DecidedAnswers, SessionOracle
from tree_explainers.column_words import Phrases
from tree_explainers.compute.threads import in_order
from tree_explainers.errors import MethodNotApplicable
from tree_explainers.onnx_models.description import ModelDescription
from tree_explainers.onnx_models.session import Predictions
from tree_explainers.questions.implications import Implications
from tree_explainers.questions.statements import statements_of
from tree_explainers.rows import Rows

from ..cluster.identity import identity
from ..runtime.context import JobContext
from .cluster_inputs import ModelSource, check_node, open_on_node
from .inputs import OpenModel, source_of

if TYPE_CHECKING:
    from ..cluster.connection import Cluster

_MOST_AT_ONCE = 64  # blocks of rows that are under way: each waits in a thread of its own


class ClusterAnswers:
    """A model that the workers of a cluster run: each block of rows is a partition of its own.

    Several threads may ask at once, and as many blocks are answered at once.
    """

    def __init__(self, cluster: "Cluster", source: ModelSource, description: ModelDescription) -> None:
        self.cluster, self._source, self._description = cluster, source, description
        self.n_at_once = min(_MOST_AT_ONCE, 2 * cluster.n_threads)

    @property
    def description(self) -> ModelDescription:
        """What is known of the model."""
        return self._description

    def predict(self, rows: Rows) -> Predictions:
        """Return scores and labels of rows, as the model's session returns them."""
        (answer,) = self.cluster.spread([(rows,)]).map(predict_rows, self._source, dict(identity()))
        return answer


def predict_rows(rows: Rows, source: ModelSource, expected: Mapping[str, str]) -> Predictions:
    """Return scores and labels of rows, on a worker."""
    check_node(expected)
    return open_on_node(source)[0].predict(rows)


def cluster_answers(context: JobContext, model: OpenModel) -> ClusterAnswers | None:
    """Return the cluster's answers for a model; ``None`` where a job has no cluster: then its session answers."""
    if context.cluster is None:
        return None
    return ClusterAnswers(context.cluster, source_of(context, model), model.description)


def oracle_of(answers: Answering) -> SessionOracle:
    """Return the oracle: the session of this process, or the cluster's workers."""
    return SessionOracle(answers, _n_at_once(answers))


def predict_each(answers: Answering, blocks: Iterator[Rows]) -> Iterator[tuple[Rows, Predictions]]:
    """Yield each block and its predictions, in their order; blocks are drawn by the calling thread, in turn."""
    with closing(in_order(answers.predict, blocks, _n_at_once(answers))) as predicted:
        yield from predicted


def _n_at_once(answers: Answering) -> int | None:
    answering = answers.answering if isinstance(answers, DecidedAnswers) else answers
    return answering.n_at_once if isinstance(answering, ClusterAnswers) else None


# Words of columns that are more than names and numbers, and what follows among them.


def dataset_phrases(context: JobContext, model: OpenModel, stored: StoredDataset) -> Phrases:
    """Return the words of a dataset's columns, by the model's names of its features."""
    view, features = stored.view, None
    if view.feature_set is not None:
        stores = ArtefactStore(context.database), RelationalDatasetStore(context.database)
        features = open_feature_set(*stores, context.objects, view.feature_set)
    columns = {column.name: column for column in view.columns}
    described = [columns[name] for name in match_features(model.view, view)]
    return phrases_of(model.description.feature_names, described, features, model.description.precision)


def known_implications(model: OpenModel, phrases: Phrases) -> Implications:
    """Return what follows among a model's tests; nothing is known where they are not of raw columns."""
    try:
        return implications_of(phrases, statements_of(model.ensemble, model.description))
    except MethodNotApplicable:
        return Implications()


def feature_type(name: str, phrases: Phrases, *, is_number: bool) -> Literal["number", "category", "boolean"]:
    """Return the type of a feature that conditions refer to, which the model takes as a number or not."""
    if not is_number:
        return "category"
    return "boolean" if name in phrases and phrases[name].is_boolean else "number"
