"""Relational forests: first-order trees over several tables, published as a feature set, a model and a dataset."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .artefacts import REQUEST, RESULT, ArtefactView
from .contract import OBJECT, Contract, Name, TaskOfModel, absent
from .feature_sets import IGNORE_UNJOINED, RelationalDatasetId
from .noun import TABLE, Noun, Product
from .paper_settings import MethodRequest
from .relational_features import AggregateFunction

RelationalMethod = Literal["forf", "bagging", "tilde"]
SplitCriterion = Literal["gain", "gain_ratio"]
TreePruning = Literal["c45", "none"]
MAX_TREES, MAX_TREE_DEPTH, MAX_SAMPLES_LEAF = 1_000, 64, 1_000_000_000


class TableLanguage(Contract):
    """Which queries trees may use about one table's rows."""

    columns: list[Name] | None = Field(
        default=None, description="Names of the columns that are tested; null: all; `[]`: none."
    )
    bare: bool = Field(
        default=True,
        strict=True,
        description="Whether trees may test if there is a row at all, without a condition on one of its columns.",
    )
    aggregates: list[AggregateFunction] | None = Field(
        default=None, description="Aggregates of the table's rows that are tested; null: all; `[]`: none."
    )


class QueryLanguage(Contract):
    """Which queries a forest's trees may use; everything that the schema allows by default.

    Columns of parents count as a row's own, up to three relationships away.
    """

    max_variables: int = Field(
        default=3, strict=True, ge=1, le=4, description="Maximum number of rows of other tables in one query."
    )
    through_examples: bool = Field(
        default=False,
        strict=True,
        description="Whether relationships may be followed to the examples' table again; refused where examples have a "
        "cutoff and their table no `time`, as the columns of other examples may hold what became known later.",
    )
    tables: dict[str, TableLanguage] = Field(
        default={}, description="Narrower languages by table; other tables have the whole one."
    )
    relationships: list[Name] | None = Field(
        default=None, description="Names of the relationships that are followed; null: all."
    )


class RelationalForestRequest(MethodRequest):
    """Which relational dataset to learn trees from, and how."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {"aggregates": False, "pruning": "none"},
        "tilde": {"pruning": "c45"},
    }

    relational_dataset: RelationalDatasetId
    method: RelationalMethod = Field(
        default="forf",
        description="`forf`: first-order random forest, in which each node tries a random share of the tests (Van "
        "Assche, Vens, Blockeel & Džeroski); `bagging`: trees on bootstrap samples, which try all tests; `tilde`: one "
        "tree on all labelled examples (Blockeel & De Raedt).",
    )
    task: TaskOfModel | SkipJsonSchema[None] = absent(
        "What the trees predict: `classification`, the target's labels; `regression`, the numbers of a numeric target, "
        "where tests reduce the variance, leaves hold means, and trees are not pruned. Absent: `regression` where the "
        "target holds more than 1,000 different numbers, else `classification`."
    )
    n_trees: int = Field(default=33, strict=True, ge=1, le=MAX_TREES, description="Number of trees; `tilde` makes one.")
    test_share: float = Field(
        default=0.25,
        strict=True,
        gt=0,
        le=1,
        description="Probability that a test, constants included, is tried at a node of `forf`; others try all.",
    )
    criterion: SplitCriterion = Field(
        default="gain",
        description="Score of a test: information gain, or gain divided by the entropy of the shares of its two sides; "
        "ignored in regression, where it is the reduction of variance.",
    )
    min_samples_leaf: int = Field(
        default=2,
        strict=True,
        ge=1,
        le=MAX_SAMPLES_LEAF,
        description="Minimum number of examples in a leaf; of a bootstrap sample, each as often as it was drawn.",
    )
    max_depth: int | None = Field(
        default=None,
        strict=True,
        ge=1,
        le=MAX_TREE_DEPTH,
        description=f"Maximum number of tests on a path from the root to a leaf; null: {MAX_TREE_DEPTH}.",
    )
    pruning: TreePruning = Field(
        default="c45",
        description="How trees are pruned: `c45`, by C4.5's estimate of errors; `none`: not at all, as always in "
        "regression.",
    )
    aggregates: bool = Field(
        default=True, strict=True, description="Whether aggregates of rows (such as counts and means) are tested."
    )
    ignore_unjoined: bool = Field(default=False, strict=True, description=IGNORE_UNJOINED)
    language: QueryLanguage = Field(default=QueryLanguage(), description="Which queries trees may use.")
    seed: int = Field(
        default=0, strict=True, ge=0, le=2**32 - 1, description="Seed of bootstrap samples and of the tests to try."
    )


class ForestScores(Contract):
    """How well predictions match the targets."""

    n_examples: int = Field(description="Number of labelled examples that were predicted.")
    accuracy: float | None = Field(description="Share of them with the right label, 0 to 1; null for regression.")
    balanced_accuracy: float | None = Field(
        description="Mean over the classes that have examples of their share of right labels, 0 to 1; null for "
        "regression."
    )
    mean_squared_error: float | None = Field(
        default=None, description="Mean squared error in squared units of the target; null for classification."
    )
    r2: float | None = Field(
        default=None,
        description="Coefficient of determination, at most 1; null for classification and where all values are alike.",
    )


class ForestEvaluation(Contract):
    """How well a forest predicts, and how large it is."""

    out_of_bag: ForestScores | None = Field(
        description="Scores where each example is predicted by the trees whose bootstrap samples lack it, among the "
        "examples that some sample lacks; null for `tilde` and where there are none."
    )
    training: ForestScores = Field(description="Scores on the examples from which the trees were learned.")
    n_nodes: int = Field(description="Number of tests of all trees.")
    n_leaves: int = Field(description="Number of leaves of all trees.")


class RelationalTree(Contract):
    """The size of one tree."""

    n_nodes: int = Field(description="Number of tests.")
    n_leaves: int = Field(description="Number of leaves.")
    depth: int = Field(description="Number of tests on the longest path.")


class SkippedQuery(Contract):
    """A query that was not tested, and why."""

    query: str = Field(description="The query in English.")
    reason: str = Field(description="Why it was not tested.")


class ForestWarning(Contract):
    """A reason not to trust a forest."""

    code: Literal["no_better_than_constant"] = Field(
        description="Stable, machine-readable name. `no_better_than_constant`: out of bag it predicts no better than "
        "one answer for all examples would, though it predicts those that it was learned from far better."
    )
    detail: str = Field(description="What is wrong, and what to do.")


class RelationalForestResult(Contract):
    """The result of a relational forest's job: what it published, and how well it predicts."""

    feature_set: str = Field(description="Id of the feature set: all tests of the trees, in order of first use.")
    model: str = Field(description="Id of the model, whose features are those of the feature set.")
    dataset: str = Field(description="Id of the dataset with the features of all examples, labelled or not.")
    task: TaskOfModel
    n_features: int = Field(description="Number of features.")
    evaluation: ForestEvaluation = Field(description="How well the forest predicts, and how large it is.")
    trees: list[RelationalTree] = Field(description="The trees in their order.")
    skipped: list[SkippedQuery] = Field(description="Queries that would have had too many bindings, at most 100.")
    warnings: list[ForestWarning] = Field(
        default=[], description="Reasons not to trust the forest; empty: there are none."
    )
    ids_left_out: list[str] = Field(
        default=[],
        description="Columns, each as `<table>.<column>`, that no tree may test because nearly each row has another "
        "value there, as ids have; those that are named in `features` of the relational dataset's tables are tested.",
    )


class RelationalForest(ArtefactView):
    """A relational forest, its status and, once it is ready, its result."""

    object: Annotated[Literal["relational_forest"], OBJECT] = "relational_forest"
    request: Annotated[RelationalForestRequest, REQUEST]
    result: RelationalForestResult | None = Field(default=None, description=RESULT)


RELATIONAL_FORESTS = Noun(
    name="relational_forests",
    singular="relational_forest",
    position=50,
    id_prefix="rlf_",
    description="Trees learned from several tables, published as a feature set, a model and a dataset.",
    making="by_job",
    made_from={"relational_dataset": "relational_datasets"},
    request=RelationalForestRequest,
    summary=RelationalForest,
    view=RelationalForest,
    result=RelationalForestResult,
    products=(Product(name="content", media_types=TABLE),),
)
