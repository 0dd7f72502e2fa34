"""Reports: what is known of a model, in one file that can be filed, and verified years later."""

from typing import Annotated, Literal, get_args

from pydantic import Field
from pydantic.json_schema import SkipJsonSchema

from .artefacts import REQUEST, RESULT, ArtefactView
from .contract import OBJECT, Contract, Day, Identifier, Lines, Many, Name, absent
from .models import Instance
from .noun import HTML, Noun, Product
from .paper_settings import MethodRequest

NO_EVALUATION = "none"
"""In place of the id of an evaluation: a report without one, though there may be one on held-out rows."""

MAX_ROWS = 20
MAX_INSTANCES_BYTES = 64 << 10
"""Of the values of rows that are sent along, as JSON by feature: they are kept with the request."""
MAX_REPORT_BYTES = 5_000_000
_SHA256 = "SHA-256 of"
Note = Annotated[Lines, Field(max_length=4000)]
Verdict = Annotated[Lines, Field(min_length=1, max_length=1000)]
ModelPart = Literal["model", "evaluation", "prototypes", "rules", "tree"]
"""A part about the model as a whole, which a report on single rows may leave out."""
PartName = Literal[
    "request",
    "summary",
    "model",
    "evaluation",
    "prototypes",
    "map",
    "rules",
    "tree",
    "rows",
    "audit",
    "compared",
    "comparison",
    "drift",
    "methods",
    "limits",
    "manifest",
]


class FrozenDecisions(Contract):
    """Decisions on a label audit, as they were at a moment; later ones change nothing in the report."""

    n_entries: int = Field(ge=0, description="Number of the audit's entries until that moment, the oldest ones.")
    sha256: str = Field(description=f"{_SHA256} what these entries leave in force.")


class ReportRequest(MethodRequest):
    """What a report is about."""

    title: Name = Field(description="Title of the report.")
    author: Name | None = Field(
        default=None,
        description="Who answers for the report; null: the name of the key that requests it, which is then filled in, "
        "where keys are required.",
    )
    date: Day | None = Field(
        default=None, description="Day of the report; null: the day of the request in UTC, which is then filled in."
    )
    verdict: Verdict | None = Field(
        default=None,
        description="What the author concludes, such as `approved for one year`, at most 1,000 characters; null: the "
        "report states that none is given.",
    )
    explainer: Identifier = Field(description="Id of the explainer whose model, prototypes, rules and tree are shown.")
    rule_set: Identifier | None = Field(
        default=None, description="Id of a rule set of the same model; null: the explainer's, if it has one."
    )
    approximation_tree: Identifier | None = Field(
        default=None, description="Id of an approximation tree of the same model; null: the explainer's, if it has one."
    )
    map: Identifier | None = Field(
        default=None, description="Id of a map of the same model, whose preview is shown; null: none."
    )
    label_audit: Identifier | None = Field(
        default=None, description="Id of a label audit of the same model, shown with its decisions; null: none."
    )
    decisions: FrozenDecisions | None = Field(
        default=None, description="Decisions on the label audit; null: those in force now, which are then filled in."
    )
    rows: Many[Identifier] = Field(
        default=[],
        max_length=MAX_ROWS,
        description="Ids of rows of the reference dataset, or of `rows_dataset`, that are explained, each once: at "
        f"most {MAX_ROWS} with those of `instances`.",
    )
    rows_dataset: Identifier | SkipJsonSchema[None] = absent(
        "Id of the dataset that `rows` are of, which has the model's features; absent: the reference dataset."
    )
    instances: Annotated[Many[Instance], Field(max_length=MAX_ROWS)] | SkipJsonSchema[None] = absent(
        f"Rows that are in no dataset and are explained, too, at most {MAX_ROWS} with `rows`: values by feature, or in "
        "the order of the features. The report says that they came by their values. They are kept with the request, "
        f"as values by feature, which have at most {MAX_INSTANCES_BYTES:,} bytes as JSON; answers leave out those of "
        "features that the dictionary hides. Absent: none."
    )
    instance_ids: Annotated[Many[Name], Field(max_length=MAX_ROWS)] | SkipJsonSchema[None] = absent(
        "What the rows of `instances` are called, in their order, each otherwise; absent: `1`, `2` and so on."
    )
    parts: Annotated[list[ModelPart], Field(max_length=len(get_args(ModelPart)))] | SkipJsonSchema[None] = absent(
        "Which parts about the model as a whole are shown, of `model`, `evaluation`, `prototypes`, `rules` and `tree`; "
        "those that there are not are left out, and those that are named by fields of their own are shown in any case. "
        "Absent: all of them. A report on single rows may have none (`[]`): its summary then begins with the rows."
    )
    compare_with: Identifier | None = Field(
        default=None,
        description="Id of an explainer of another model, such as the version before, that is compared on the same "
        "reference rows; null: none.",
    )
    newer_dataset: Identifier | None = Field(
        default=None,
        description="Id of a dataset of newer rows: how many of them are far from every prototype, beside the "
        "reference rows; null: none.",
    )
    comparison: Identifier | SkipJsonSchema[None] = absent(
        "Id of a comparison of the same model with another one, in either order, or of two datasets by it, which is "
        "shown; absent: none."
    )
    evaluation: Identifier | SkipJsonSchema[None] = absent(
        "Id of an evaluation of the same model, which is shown, and by which the summary says how well the model "
        "predicts; absent: the newest one on rows that are declared as held out, if there is one; `none`: none."
    )
    note: Note | None = Field(default=None, description="Text of the author, at most 4,000 characters; null: none.")


class LabelChange(Contract):
    """Rows for which two models predict different labels."""

    label: str = Field(description="Label that the model predicts.")
    other_label: str = Field(description="Label that the other model predicts.")
    n_rows: int = Field(description="Number of such rows.")


class ReportComparison(Contract):
    """Two models on the same rows."""

    other_model: str = Field(description="Id of the other model.")
    compared: Literal["outcome", "label", "value"] = Field(
        description="What is compared: the decided `outcome`, where both models decide between the same outcomes; "
        "otherwise the predicted `label`, or the predicted `value` of regressions."
    )
    n_rows: int = Field(description="Number of rows that both models accept.")
    n_refused: int = Field(description="Number of rows that one of them does not accept.")
    n_changed: int | None = Field(
        description="Number of rows whose outcome or predicted label differs; null for regression."
    )
    changes: list[LabelChange] = Field(
        description="Changes of the label by number of rows, the most frequent first, at most 20; empty for regression."
    )
    mean_difference: float | None = Field(
        description="Mean absolute difference of the predicted values; null for classification."
    )
    prototypes_agreement: float | None = Field(
        description="Share of the rows whose nearest prototypes have the same label, or none, 0 to 1; null for "
        "regression, and where those of one model are of outcomes."
    )
    rules_agreement: float | None = Field(
        description="Share of the rows for which both rule sets predict the same label, 0 to 1; null for regression, "
        "and without two rule sets in which the first rule that holds decides."
    )
    trees_agreement: float | None = Field(
        description="Share of the rows for which both approximation trees predict the same label, 0 to 1; null for "
        "regression, and without two trees."
    )
    prototypes_in_both: list[str] = Field(
        description="Ids of rows that are prototypes of both; empty where they are of different datasets."
    )
    rules_in_both: list[str] = Field(description="Texts of rules that both rule sets have.")
    tree_features_in_both: list[str] = Field(description="Features that both approximation trees split on.")


class ShareInterval(Contract):
    """What chance leaves open about a share, or about the difference of two."""

    low: float = Field(description="Lower end.")
    high: float = Field(description="Upper end.")


class ShareComparison(Contract):
    """A share of the newer rows beside the same share of the reference rows, as if both were drawn independently."""

    share: float | None = Field(description="Share of the newer rows, 0 to 1; null where there are none.")
    interval: ShareInterval | None = Field(description="Its 95 % interval (Wilson, 1927); null likewise.")
    reference_share: float | None = Field(description="Share of the reference rows, 0 to 1; null where there are none.")
    reference_interval: ShareInterval | None = Field(description="Its 95 % interval; null likewise.")
    difference_interval: ShareInterval | None = Field(
        description="Interval of `share` less `reference_share` (Newcombe, 1998, method 10), so wide that all such "
        "intervals of the result hold together with 95 %: each has 1 - 0.05 / `n_comparisons`. Null where either "
        "share is."
    )
    differs: bool = Field(
        description="Whether `difference_interval` leaves 0 out: the shares differ by more than chance would explain."
    )


class DriftShare(Contract):
    """A group of rows: how many there are, and how many of them are far, beside the reference rows of the group."""

    name: str = Field(description="Outcome or label that the model predicts, or id of the nearest prototype's row.")
    n_rows: int = Field(description="Number of newer rows in the group.")
    n_far: int = Field(description="Number of these that are `far` by typicality, or share no leaf with a prototype.")
    n_reference_rows: int = Field(description="Number of reference rows in the group.")
    n_reference_far: int = Field(description="Number of these that are far.")
    far: ShareComparison = Field(description="Share of the group's rows that are far.")
    group: ShareComparison | None = Field(description="Share of all rows that are in the group; null of all rows.")


class Drift(Contract):
    """Newer rows beside the reference rows: predicted labels, and proximity to the nearest prototype."""

    n_refused: int = Field(description="Number of newer rows that the model does not accept.")
    total: DriftShare = Field(description="All rows; its name is `all rows`.")
    by_label: list[DriftShare] = Field(
        description="By outcome, in the order of the bands, or else by predicted label, in the order of the classes."
    )
    by_prototype: list[DriftShare] = Field(
        description="By nearest prototype, in the order of their ranks; rows that share no leaf with any are in none."
    )
    n_comparisons: int = Field(
        description="Number of shares that are compared: those of both sides that have rows. By this number, chance "
        "alone has as many occasions to make some differ."
    )
    summary: str = Field(description="What these comparisons support, and what they do not see, in words.")


class ReportPart(Contract):
    """A part of the file."""

    name: PartName = Field(description="The part.")
    sha256: str = Field(description=f"{_SHA256} its HTML.")


class ReportInput(Contract):
    """Something that the report shows."""

    noun: str = Field(description="What it is, such as `prototype_sets`; `instances`: a row that was sent along.")
    id: str = Field(description="Its id; of a dictionary that of its dataset, of a row that was sent along its name.")
    sha256: str | None = Field(
        description=f"{_SHA256} its content: a model's or dataset's file, an artefact's result, a dictionary's words "
        "or the values of a row that was sent along as JSON with sorted names; null of an explainer, which is what it "
        "is made of."
    )


class ReportResult(Contract):
    """The file's digest and what it was drawn from; the file is in `/content`."""

    sha256: str = Field(description=f"{_SHA256} the file.")
    n_bytes: int = Field(description="Size of the file in bytes.")
    service: str = Field(description="Version of the service that drew it.")
    summary: list[str] = Field(
        description="What the model decides, how well and on which rows, what the report compares, and the main "
        "cautions: a few sentences, with which it begins."
    )
    parts: list[ReportPart] = Field(description="Its parts in their order.")
    inputs: list[ReportInput] = Field(description="What it shows, with digests.")
    comparison: ReportComparison | None = Field(description="The other model beside this one; null: none was named.")
    drift: Drift | None = Field(description="The newer rows beside the reference rows; null: none were named.")


class Report(ArtefactView):
    """A report, its status and, once it is ready, its result."""

    object: Annotated[Literal["report"], OBJECT] = "report"
    request: Annotated[ReportRequest, REQUEST]
    result: ReportResult | None = Field(default=None, description=RESULT)


class ReportVerification(Contract):
    """A report compared with the same one, drawn again from what it shows."""

    object: Annotated[Literal["report_verification"], OBJECT] = "report_verification"
    report: str = Field(description="Id of the report.")
    status: Literal["same", "different", "other_revision"] = Field(
        description="`same`: the file is, byte for byte, what is drawn today; `different`: it is not, in the parts "
        "that `different_parts` names; `other_revision`: it is not, but another release of the service drew it."
    )
    digest_matches: bool = Field(description="Whether `sha256` is that of the file that is kept.")
    different_parts: list[PartName] = Field(description="Parts that differ, in their order; empty if none does.")
    sha256: str = Field(description=f"{_SHA256} the file, as it was recorded when it was made.")
    drawn_sha256: str = Field(description=f"{_SHA256} what is drawn today.")
    service: str = Field(description="Version of the service that drew the file.")
    present_service: str = Field(description="Version of the service that verified it.")


REPORTS = Noun(
    name="reports",
    singular="report",
    position=160,
    id_prefix="rpt_",
    description="What is known of a model in one HTML file without script, which can be filed and verified later.",
    making="by_job",
    made_from={
        "explainer": "explainers",
        "rule_set": "rule_sets",
        "approximation_tree": "approximation_trees",
        "map": "maps",
        "label_audit": "label_audits",
        "comparison": "comparisons",
        "evaluation": "evaluations",
        "compare_with": "explainers",
        "newer_dataset": "datasets",
        "rows_dataset": "datasets",
    },
    request=ReportRequest,
    summary=Report,
    view=Report,
    result=ReportResult,
    files=("document",),
    products=(Product(name="content", media_types=(HTML,)),),
    actions={"verify": "explain"},
)
