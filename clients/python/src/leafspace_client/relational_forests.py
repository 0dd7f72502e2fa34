"""Relational forests: first-order trees over several tables, published as a feature set, a model and a dataset."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from .artefacts import (
    TABLE_MEDIA_TYPES,
    ArtefactView,
    AwaitableArtefact,
    BlockingArtefact,
    Content,
    TableForm,
    content,
    download,
)
from .calls import Program, awaitable, blocking, create, transport_of
from .contract.relational_forests import (
    create_relational_forest,
    delete_relational_forest,
    get_relational_forest,
    get_relational_forest_content,
    list_relational_forests,
)
from .feature_sets import AsyncFeatureSet, FeatureSet
from .nouns import AsyncDeletable, Collection, Identified, Noun, Settings, SyncDeletable, id_of, unless_none
from .relational_texts import describe_forest
from .types import (
    Criterion,
    ForestEvaluation,
    ForestWarning,
    QueryLanguage,
    RelationalForestMethod,
    RelationalForestPruning,
    RelationalForestRequest,
    RelationalForestResult,
    RelationalTree,
    SkippedQuery,
    Task,
)
from .types import RelationalForest as Details

RELATIONAL_FORESTS: Noun[Details] = Noun(get_relational_forest, list_relational_forests, delete_relational_forest)
Method = RelationalForestMethod
Kept = TypeVar("Kept")


class RelationalForestView(ArtefactView[Details]):
    """A relational forest as it was when it was last fetched; ``details`` has all fields that the service sends.

    Its ``model`` and ``dataset`` are ordinary ones, which every method takes, and explanations of the model take the
    rows of several tables. As text it is its size and how well it predicts.
    """

    noun = RELATIONAL_FORESTS
    contents = Content(get_relational_forest_content, TABLE_MEDIA_TYPES)

    @property
    def model(self) -> str:
        """Id of the model: the forest over the columns of its feature set."""
        model: str = self._part("model")
        return model

    @property
    def dataset(self) -> str:
        """Id of the dataset: the features of all examples, labelled or not."""
        dataset: str = self._part("dataset")
        return dataset

    @property
    def evaluation(self) -> ForestEvaluation:
        """How well the forest predicts, and how large it is."""
        evaluation: ForestEvaluation = self._part("evaluation")
        return evaluation

    @property
    def trees(self) -> list[RelationalTree]:
        """The sizes of the trees, in their order."""
        trees: list[RelationalTree] = self._part("trees")
        return trees

    @property
    def skipped(self) -> list[SkippedQuery]:
        """Queries that were not evaluated, and why."""
        skipped: list[SkippedQuery] = self._part("skipped")
        return skipped

    @property
    def ids_left_out(self) -> list[str]:
        """The columns, each as ``table.column``, that no tree tests because they hold ids."""
        return list(self._part("ids_left_out"))

    @property
    def warnings(self) -> list[ForestWarning]:
        """Reasons not to trust the forest: it learned examples by heart."""
        warnings: list[ForestWarning] = self._part("warnings")
        return warnings

    def __str__(self) -> str:
        if not self._has_result():
            return repr(self)
        found: RelationalForestResult = self.result
        return describe_forest(found)


def _content(self: RelationalForestView, form: TableForm = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    return (yield from content(self, form))


def _download(self: RelationalForestView, path: str | Path, form: TableForm = "json") -> Program[Path]:
    """Write the whole result to a file, CSV and Parquet with a row for each tree, and return its path.

    Raises
    ------
    CannotWrite
        If the file cannot be written there.
    """
    return (yield from download(self, path, form))


def _create(  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    relational_dataset: Identified,
    *,
    method: Method = "forf",
    n_trees: int = 33,
    test_share: float = 0.25,
    criterion: Criterion = "gain",
    min_samples_leaf: int = 2,
    max_depth: int | None = None,
    pruning: RelationalForestPruning | None = None,
    aggregates: bool | None = None,
    language: Mapping[str, Any] | None = None,
    ignore_unjoined: bool = False,
    seed: int = 0,
    task: Task | None = None,
    settings: Settings | None = None,
) -> Program[Kept]:
    """Request trees that are learned from several tables; call ``wait()`` on what is returned.

    The same request again is free: it gives the forest that is made, or being made.

    Parameters
    ----------
    method
        ``forf`` tries a random share of the tests at each node (Van Assche, Vens, Blockeel & Džeroski); ``bagging``
        grows trees on bootstrap samples, which try all tests; ``tilde`` grows one tree (Blockeel & De Raedt).
    n_trees
        1 to 1,000; ``tilde`` makes one.
    test_share
        Probability that ``forf`` tries a test at a node, above 0 and at most 1.
    criterion
        Score of a test: ``gain`` of information, or its ratio to the entropy of the two shares.
    min_samples_leaf
        Examples in each leaf, at least.
    max_depth
        Maximum number of tests on a path, 1 to 64; default: 64.
    pruning
        ``c45``, the default: by C4.5's estimate of errors; ``none``: not at all.
    aggregates
        Whether aggregates of rows, such as counts and means, are tested; default: yes.
    language
        Which queries the tests may be, where not all: ``{"max_variables": 2, "tables": {"account": {"columns":
        ["kind"]}}}`` tests no other column of accounts; ``"relationships"`` lists those that are followed.
    ignore_unjoined
        Whether tables that no relationship leads to from the examples are ignored, instead of refused.
    seed
        Makes bootstrap samples and the choice of tests repeatable.
    task
        ``classification`` or ``regression`` of a numeric target; default: ``regression`` where the target holds more
        than 1,000 different numbers.
    """
    request = RelationalForestRequest(
        relational_dataset=id_of(relational_dataset),
        method=method,
        n_trees=n_trees,
        test_share=test_share,
        criterion=criterion,
        min_samples_leaf=min_samples_leaf,
        max_depth=max_depth,
        pruning=unless_none(pruning),
        aggregates=unless_none(aggregates),
        language=QueryLanguage.from_dict(dict(language or {})),
        ignore_unjoined=ignore_unjoined,
        seed=seed,
        task=unless_none(task),
        settings=unless_none(settings),
    )
    return self._wrapped((yield from create(create_relational_forest(body=request))))


class RelationalForest(RelationalForestView, BlockingArtefact):
    """A relational forest, for the blocking client."""

    content = blocking(_content)
    download = blocking(_download)

    @property
    def feature_set(self) -> FeatureSet:
        """The feature set: all tests of the trees, in order of first use."""
        return FeatureSet(transport_of(self), None, self._part("feature_set"))


class AsyncRelationalForest(RelationalForestView, AwaitableArtefact):
    """A relational forest, for the async client."""

    content = awaitable(_content)
    download = awaitable(_download)

    @property
    def feature_set(self) -> AsyncFeatureSet:
        """The feature set: all tests of the trees, in order of first use."""
        return AsyncFeatureSet(transport_of(self), None, self._part("feature_set"))


class RelationalForests(SyncDeletable[Details, RelationalForest, RelationalForest]):
    """All relational forests, newest first."""

    noun = RELATIONAL_FORESTS
    view = RelationalForest
    create = blocking(_create)


class AsyncRelationalForests(AsyncDeletable[Details, AsyncRelationalForest, AsyncRelationalForest]):
    """All relational forests, newest first."""

    noun = RELATIONAL_FORESTS
    view = AsyncRelationalForest
    create = awaitable(_create)
