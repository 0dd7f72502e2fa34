"""Feature sets: queries about the examples of a relational dataset, each of which is a column of ordinary datasets."""

from typing import Annotated, Any, Literal

from pydantic import Field

from .artefacts import REQUEST, RESULT, ArtefactView
from .contract import OBJECT, Contract, Identifier, Many
from .noun import HTML, JSON, TABLE, Noun, Product
from .paper_settings import MethodRequest
from .problems import Problem
from .relational_features import RelationalFeature, RequestedFeature

FeatureExportFormat = Literal["json", "sql", "html"]
MAX_FEATURES, MAX_GENERATED_FEATURES = 10_000, 2_000
MAX_NESTED_INSTANCES, MAX_NESTED_ROWS = 100, 100_000
RelationalDatasetId = Annotated[Identifier, Field(description="Id of the relational dataset.")]
NestedInstance = Annotated[
    dict[str, list[dict[str, Any]]],
    Field(
        description="The rows of one example by table: exactly one row of the examples' table, and the rows of other "
        "tables that its relationships lead to, each with its values by column; null is a missing value."
    ),
]


IGNORE_UNJOINED = (
    "Whether tables that no relationship leads to from the examples (`unused` of the relational dataset) are ignored. "
    "By default they are refused: where a key was not declared, what they say would be left out without a word."
)


class GeneratedFeatures(Contract):
    """Which features are generated."""

    depth: Literal[1, 2] = Field(
        default=1, description="Largest number of relationships between the example and the rows that are aggregated."
    )
    ignore_unjoined: bool = Field(default=False, strict=True, description=IGNORE_UNJOINED)


class FeatureSetRequest(MethodRequest):
    """The features of a set: a list of them, or how they are generated."""

    relational_dataset: RelationalDatasetId
    features: Many[RequestedFeature] | None = Field(
        default=None,
        min_length=1,
        max_length=MAX_FEATURES,
        description="The features; one that means the same as an earlier one is refused. Null where they are generated "
        "and in answers: the result has them.",
    )
    generate: GeneratedFeatures | None = Field(
        default=None,
        description="Each column of the example, and every aggregate along one or two relationships, with and without "
        f"one selection, at most {MAX_GENERATED_FEATURES:,}, the shortest first; null where `features` are listed.",
    )


class FeatureSetResult(Contract):
    """The features of a set."""

    n_features: int = Field(description="Number of features.")
    n_left_out: int = Field(
        default=0, description="Number of features that were generated beyond the limit, and are not in the set."
    )
    features: list[RelationalFeature] = Field(description="The features in the order of their columns.")


class FeatureSet(ArtefactView):
    """A feature set, its status and, once it is ready, its result. A listed set is ready at once, without a job."""

    object: Annotated[Literal["feature_set"], OBJECT] = "feature_set"
    request: Annotated[FeatureSetRequest, REQUEST]
    result: FeatureSetResult | None = Field(default=None, description=RESULT)


class FeatureRowsRequest(Contract):
    """Examples to evaluate the features of."""

    # More than the limit is a problem of its own (413), not an invalid field.
    instances: Many[NestedInstance] = Field(
        min_length=1,
        description=f"Examples, at most {MAX_NESTED_INSTANCES}, with at most {MAX_NESTED_ROWS:,} rows in all.",
        json_schema_extra={"maxItems": MAX_NESTED_INSTANCES},
    )


class FeatureRow(Contract):
    """The values of one example's features, or why there are none."""

    object: Annotated[Literal["feature_row"], OBJECT] = "feature_row"
    row_id: str = Field(
        description="Primary key of the example as text, its columns parted by commas; its 0-based index without one."
    )
    status: Literal["ok", "error"] = Field(description="`error` if the example could not be read; see `problem`.")
    values: list[bool | float | str | None] | None = Field(
        default=None, description="Values of the features in their order, null where missing; null with an error."
    )
    problem: Problem | None = Field(default=None, description="Why the example could not be read; null without error.")


class FeatureRowList(Contract):
    """The values of the features of several examples."""

    object: Annotated[Literal["list"], OBJECT] = "list"
    feature_set: str = Field(description="Id of the feature set.")
    features: list[str] = Field(description="Names of the features, in the order of `values`.")
    data: list[FeatureRow] = Field(description="One entry for each instance, in their order.")


class FeatureDatasetRequest(MethodRequest):
    """The rows of which a feature set makes a dataset."""

    relational_dataset: Identifier | None = Field(
        default=None,
        description="Id of a relational dataset that has the tables and columns of the feature set's own; null: its "
        "own.",
    )


class FeatureDataset(Contract):
    """The dataset that a feature set makes of a relational dataset, and the job that makes it."""

    object: Annotated[Literal["feature_dataset"], OBJECT] = "feature_dataset"
    dataset: str = Field(description="Id of the dataset, which exists once the status is `ready`.")
    status: Literal["pending", "ready"] = Field(description="`pending` while its job is queued or running.")
    job: str | None = Field(description="Id of the job that makes it; null once it is ready.")


FEATURE_SETS = Noun(
    name="feature_sets",
    singular="feature_set",
    position=40,
    id_prefix="fts_",
    description="Queries about the examples of a relational dataset, each of which is a column of ordinary datasets.",
    making="either",
    made_from={"relational_dataset": "relational_datasets"},
    request=FeatureSetRequest,
    summary=FeatureSet,
    view=FeatureSet,
    result=FeatureSetResult,
    products=(
        Product(name="content", media_types=TABLE),
        Product(name="export", media_types=(JSON, "application/sql", HTML)),
    ),
    actions={"rows": "explain", "datasets": "write"},
)
