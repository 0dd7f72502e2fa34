"""Label audits: rows whose label the rows like them contradict."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .artefacts import (
    REQUEST,
    RESULT,
    ArtefactView,
    LeafRowsOrAuto,
    NeighborCount,
    ReferenceDataset,
    RequestedKind,
    RequestedModel,
    RunOn,
    TreesUsed,
    UsedKind,
    UsedLeafRows,
)
from .cautions import CAUTIONS, Caution
from .contract import OBJECT, ClassesOfModel, Contract, RowId, RowIndex, RowsOfDataset, TreesOfModel, absent
from .decisions import OUTCOME_TEXTS, OutcomeText
from .label_decisions import DecidedRow, LabelDecision
from .noun import HTML, JSON, TABLE, Noun, Product
from .paper_settings import MethodRequest
from .scopes import READ_AND_REVIEW

N_ROWS_SHOWN = 100
N_NEIGHBORS_SHOWN = 10
AuditMethod = Literal["all_rows", "neighbors"]
DEFAULT_NEIGHBORS = 50
MOST_ROWS_OF_NEIGHBORS = 50_000
"""Rows up to which ``auto`` finds the nearest of each: seconds grow with their square."""

_METHOD = (
    "Who votes on a row's label. `all_rows`: all other rows, each with the weight of its proximity to the row. "
    "`neighbors`: its `n_neighbors` nearest rows, each with one vote, as in the paper."
)


class LabelAuditRequest(MethodRequest):
    """Which dataset's labels (its target) to audit, and with which model."""

    of_papers: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "": {"method": "neighbors", "n_neighbors": 10, "use_scores": False, "min_leaf_rows": 1}
    }

    model: RequestedModel
    dataset: ReferenceDataset
    method: Literal["auto", AuditMethod] = Field(
        default="auto",
        description=f"{_METHOD} `auto`: which of both finds more wrong labels. All rows vote by the leaves of a "
        f"forest; by those of boosting, and by coarser ones than a forest's own, the {DEFAULT_NEIGHBORS} nearest do, "
        f"up to {MOST_ROWS_OF_NEIGHBORS:,} rows. The result says which did.",
    )
    use_scores: bool | None = Field(
        default=None,
        description="Whether rows are ranked by the share of the votes for their label times the probability that the "
        "model gives it, and not by the share alone. Null: wherever the model's scores are probabilities. The paper "
        "uses none.",
    )
    proximity_kind: RequestedKind = "auto"
    n_neighbors: NeighborCount | None = Field(
        default=None,
        description="Number of nearest rows that vote with the method `neighbors`, less than the number of rows of the "
        f"dataset: {DEFAULT_NEIGHBORS} by default, or all others where they are fewer; 10 in the paper. Null with the "
        "other methods.",
    )
    min_leaf_rows: LeafRowsOrAuto = Field(
        default="auto",
        description="Fewest reference rows of a leaf, 1 or more: a tree is cut back where a split leaves fewer on "
        "either side, and rows are compared by the coarser leaves. 1: the trees' own leaves, as in the paper. `auto`: "
        "the smallest of 1, 2, 3, 5, 10, 20, 30, 50, … at which at most a tenth of the rows share leaves with rows "
        "of their own label only, for which an audit has nothing to report; see `leaf_steps` in the result.",
    )
    seed: int = Field(
        default=0,
        strict=True,
        ge=0,
        le=2**32 - 1,
        description="Seed of the trees that estimate how many labels are wrong, and of a sample of rows for them.",
    )
    run_on: RunOn = "auto"


class AuditedRow(Contract):
    """How a row's label compares with those of the rows that vote on it."""

    rank: int = Field(description="1-based rank; the first row is the most suspect.")
    row: RowIndex
    row_id: RowId
    label: str = Field(description="Label of the row in the dataset's target.")
    agreement: float | None = Field(
        description="Share of the votes that are for the row's label, 0 to 1: of the proximities to all other rows, or "
        "of the nearest rows; null if no other row shares a leaf with it."
    )
    score: float | None = Field(
        default=None,
        description="Probability that the model gives the row's label, 0 to 1; null where scores were not used.",
    )
    support: float | None = Field(
        default=None,
        description="What rows are ranked by, lowest first, 0 to 1: `agreement` times `score`, or `agreement` where "
        "scores were not used (ties: the lower agreement, then more votes or more proximity to disagreeing neighbours, "
        "then the lower row); null if no other row shares a leaf with it, which ranks last.",
    )
    n_neighbors: int | None = Field(
        description="Number of nearest rows that share a leaf with it; null where all rows vote."
    )
    disagreeing_proximity: float = Field(
        description="Sum of the proximities to the rows with another label that vote on it."
    )
    suggested_label: str | None = Field(
        description="Label with the largest sum of proximities among the rows that vote (ties: the earlier class), "
        "where their mean over the rows of that label is larger than that of the row's own, too, and the row ranks no "
        "later than the estimated number of wrong labels (`estimated_wrong`); otherwise null."
    )
    predicted_label: str = Field(description="Label that the model predicts for the row.")
    wrong_probability: float | None = Field(
        default=None,
        description="Estimated probability that the row's label is wrong, 0 to 1. It falls from rank to rank, and adds "
        "up to the estimated number of wrong labels before rounding; null without an estimate.",
    )


class AuditNeighbor(Contract):
    """One of the rows nearest to an audited row."""

    row: RowIndex
    row_id: RowId
    label: str = Field(description="Label of the row in the dataset's target.")
    predicted_label: str = Field(description="Label that the model predicts for the row.")
    proximity: float = Field(
        description="Share of the trees, by weight, in which both rows reach the same leaf: above 0, at most 1."
    )


class ReviewedRow(AuditedRow):
    """An audited row with the rows nearest to it, for a decision about its label."""

    object: Annotated[Literal["audited_row"], OBJECT] = "audited_row"
    neighbors: list[AuditNeighbor] = Field(
        description=f"The {N_NEIGHBORS_SHOWN} nearest of the other audited rows, nearest first (ties: the lower row); "
        "fewer where fewer share a leaf with it. They do not depend on the `method`."
    )
    decision: LabelDecision | None = Field(description="The decision in force; null without one.")
    latest_entry: str | None = Field(
        description="Id of the row's newest entry, perhaps a withdrawal, for `If-Match`; null: it has none yet."
    )


class AuditLeafStep(Contract):
    """A `min_leaf_rows` that `auto` tried."""

    min_leaf_rows: int = Field(description="Fewest reference rows of a leaf.")
    n_trees_used: int = Field(description="Number of trees that are left with more than one leaf and count.")
    unopposed: float = Field(
        description="Share of rows that share leaves only with rows of their own label, or with none, 0 to 1."
    )


class EstimatedWrong(Contract):
    """How many of the audited labels are wrong, as far as rows can say.

    Overlapping classes contradict labels as mistakes do. What is counted are labels that are contradicted where the
    votes of trees that did not learn from the row are surest, less what overlap usually leaves there.
    """

    number: int = Field(ge=0, description="Estimated number of wrong labels: the median of what is possible.")
    low: int = Field(ge=0, description="Lower end of the interval; 0: there may be none.")
    high: int = Field(ge=0, description="Upper end of the interval.")
    level: float = Field(gt=0, lt=1, description="Probability with which the interval should hold the number.")
    n_rows: int = Field(description="Number of rows that it was made from: all that have a label, or a sample.")
    n_trees: int = Field(description="Number of trees that were grown on these rows for the estimate.")


class AuditedClass(Contract):
    """The rows of one label."""

    label: str = Field(description="The label.")
    n_rows: int = Field(description="Number of audited rows that have it.")
    n_suggested: int = Field(description="Number of these for which another label is suggested.")


class LabelAuditResult(Contract):
    """Statistics of the audit and its first rows; all rows are in `/content`."""

    method: AuditMethod = Field(default="neighbors", description=_METHOD)
    use_scores: bool = Field(
        default=False, description="Whether the model's probability of a row's label counts towards its rank."
    )
    proximity_kind: UsedKind
    classes: ClassesOfModel
    outcome_texts: list[OutcomeText] | SkipJsonSchema[None] = absent(OUTCOME_TEXTS)
    n_rows: RowsOfDataset
    n_trees: TreesOfModel
    min_leaf_rows: UsedLeafRows = 1
    n_trees_used: TreesUsed
    leaf_steps: list[AuditLeafStep] = Field(
        default=[],
        description="What `auto` tried, in this order; empty where `min_leaf_rows` was given as a number.",
    )
    n_neighbors: int | None = Field(
        description="Number of nearest rows that voted on each row at most; null where all rows did."
    )
    mean_agreement: float | None = Field(
        description="Mean agreement of the rows that share a leaf with others, 0 to 1; null if none does."
    )
    n_suggested: int = Field(
        description="Number of rows for which another label is suggested: at most the estimated number of wrong "
        "labels. Without an estimate, all rows that are more like rows of another label, which are more than are wrong."
    )
    estimated_wrong: EstimatedWrong | None = Field(
        default=None,
        description="How many labels are wrong, with an interval; null where fewer than 50 rows have a label, all have "
        "the same one, or there are thousands of labels.",
    )
    by_class: list[AuditedClass] = Field(description="The same by the rows' own labels, in the order of `classes`.")
    n_without_neighbors: int = Field(description="Number of rows that share no leaf with any other; they rank last.")
    model_agreement: float = Field(ge=0, le=1, description="Share of rows whose label the model predicts.")
    cautions: list[Caution] = Field(description=CAUTIONS)
    rows: list[AuditedRow] = Field(description=f"The first {N_ROWS_SHOWN} rows, lowest support first.")


class LabelAudit(ArtefactView):
    """A label audit, its status and, once it is ready, its result."""

    object: Annotated[Literal["label_audit"], OBJECT] = "label_audit"
    request: Annotated[LabelAuditRequest, REQUEST]
    result: LabelAuditResult | None = Field(default=None, description=RESULT)


LABEL_AUDITS = Noun(
    name="label_audits",
    singular="label_audit",
    position=80,
    id_prefix="lba_",
    description="Rows of a dataset whose label the rows like them contradict, the most suspect first.",
    making="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=LabelAuditRequest,
    summary=LabelAudit,
    view=LabelAudit,
    result=LabelAuditResult,
    arrays=("weights",),
    files=("table",),
    products=(
        Product(name="content", media_types=TABLE, row=AuditedRow),
        Product(name="decisions", media_types=(JSON,), row=LabelDecision),
        Product(name="decisions/export", media_types=(*TABLE, HTML), row=DecidedRow),
    ),
    changing=("rows", "decisions", "decided"),
    scopes_below={"decisions": READ_AND_REVIEW},
)
