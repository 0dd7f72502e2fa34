"""Nouns: everything that the API keeps or computes, declared once each. Start here to add a kind of artefact.

The declarations are data. Derived from them are: prefixes of ids (``identifiers``), scopes of routes and routers
(``service``), functions of jobs (``workers/job_kinds.py``), what protects an artefact from deletion (``storage``), the
tags of the contract, and every test "for every noun". A piece that is missing stops the import with a sentence that
names it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from .api_keys import ApiKey, ApiKeyRequest, Scope
from .approximation_trees import ApproximationTree, ApproximationTreeRequest, ApproximationTreeResult
from .contract import Contract
from .datasets import Dataset, DatasetMetadata, DatasetRow, DatasetSummary
from .explainer_names import ExplainerName, ExplainerNameChange, ExplainerNameRequest
from .explainers import Explainer, ExplainerRequest, ExplainerSummary
from .explanation_sets import ExplanationSet, ExplanationSetRequest, ExplanationSetResult
from .explanations import Explanation
from .feature_sets import FeatureSet, FeatureSetRequest, FeatureSetResult
from .jobs import Job
from .label_audits import AuditedRow, LabelAudit, LabelAuditRequest, LabelAuditResult
from .label_decisions import DecidedRow, LabelDecision
from .maps import Map, MapRequest, MapResult, MapRow
from .models import Model, ModelMetadata, ModelSummary
from .prototype_sets import PrototypeSet, PrototypeSetRequest, PrototypeSetResult, RepresentedRow
from .proximities import NeighborsOfRow, Proximities, ProximitiesRequest, ProximitiesResult
from .relational_datasets import RelationalDataset, RelationalDatasetMetadata, RelationalDatasetSummary
from .relational_forests import RelationalForest, RelationalForestRequest, RelationalForestResult
from .reports import Report, ReportRequest, ReportResult
from .rule_sets import RuleSet, RuleSetRequest, RuleSetResult
from .stored_explanations import StoredExplanation, StoredExplanationSummary

Method = Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
Making = Literal["at_once", "by_job", "either"]
View = TypeVar("View", bound=Contract)
JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
NDJSON, JSONL, ZSTD = "application/x-ndjson", "application/jsonl", "application/zstd"
HTML = "text/html"
_READ_AND_WRITE: Mapping[Method, Scope] = {
    "GET": "read",
    "POST": "write",
    "PUT": "write",
    "PATCH": "write",
    "DELETE": "write",
}
_READ_AND_DEPLOY: Mapping[Method, Scope] = {**dict.fromkeys(_READ_AND_WRITE, "deploy"), "GET": "read"}
_READ_AND_REVIEW: Mapping[Method, Scope] = {**dict.fromkeys(_READ_AND_WRITE, "review"), "GET": "read"}
_AUDIT: Mapping[Method, Scope] = dict.fromkeys(_READ_AND_WRITE, "audit")
_ADMIN: Mapping[Method, Scope] = dict.fromkeys(_READ_AND_WRITE, "admin")
_TABLE = (JSON, CSV, PARQUET)
TIME_FILTERS = ("created_from", "created_before")


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """Something that can be downloaded of a noun, at a path of its own below the thing's id."""

    name: str  # the last part of the path
    media_types: tuple[str, ...]
    row: Any = None  # a kind of message, or a union of some: JSON is one page of these; without it, the whole result


@dataclass(frozen=True, slots=True, kw_only=True)
class Noun(Generic[View]):
    """One noun of the API.

    Raises
    ------
    LookupError
        If the declaration contradicts itself.
    """

    name: str  # plural: in tables, modules, kinds of jobs and the SDK
    singular: str  # ``object`` of its messages; with ``_id``, its parameter in paths
    description: str  # of its tag in the contract
    view: type[View]  # one thing, as it is answered
    summary: type[Contract]  # one thing in a list
    id_prefix: str = ""  # empty where nothing is kept, or callers name what is
    named_by_callers: bool = False  # each is known by a name that callers choose, and has no id
    made: Making | None = None  # ``None``: it comes with another noun, as a job does, or callers PUT it
    made_from: Mapping[str, str] = field(default_factory=dict)  # fields of the request and the nouns that they name
    request: type[Contract] | None = None
    result: type[Contract] | None = None  # what a job finds
    has_jobs: bool = False  # jobs make it from other things, too, at the request of another noun
    revision: int = 1  # raise it when a published method's results change: ids of artefacts change with it
    arrays: tuple[str, ...] = ()  # kept for those that build on it
    files: tuple[str, ...] = ()  # kept beside the result
    products: tuple[Product, ...] = ()
    # Models that are oracles only have no leaves. What is made from models needs leaves unless declared otherwise:
    made_without_leaves: Mapping[str, tuple[str, ...]] | None = None  # if these fields have one of these values each
    read_without_leaves: tuple[str, ...] = ()  # of models: paths below an id that all of them serve
    mutable: tuple[str, ...] = ()  # fields that PATCH may change
    changing: tuple[str, ...] = ()  # paths below an id, and parameters, whose answers change though it does not
    listed_by: tuple[str, ...] = ()  # more fields that its list can be filtered by; see ``filters``
    listed_by_time: bool = False  # its list can be filtered by when things were made, too
    scopes: Mapping[Method, Scope] = field(default_factory=lambda: _READ_AND_WRITE)
    scopes_below: Mapping[str, Mapping[Method, Scope]] = field(default_factory=dict)  # of paths below an id: others
    actions: Mapping[str, Scope] = field(default_factory=dict)  # POST to these paths below an id

    def __post_init__(self) -> None:
        if self.is_made_by_job and (self.request is None or self.result is None):
            detail = f"{self.name} are made by jobs: declare their request and their result in schemas/nouns.py"
            raise LookupError(detail)
        if unknown := set(self.made_from) - set(self.request.model_fields if self.request else ()):
            detail = f"{self.name} are made from {min(unknown)!r}, which their request does not have"
            raise LookupError(detail)
        if unknown := set(self.made_without_leaves or ()) - set(self.request.model_fields if self.request else ()):
            detail = f"{self.name} are made without leaves by {min(unknown)!r}, which their request does not have"
            raise LookupError(detail)
        if unknown := set(self.mutable) - set(self.view.model_fields):
            detail = f"{self.name} have no field {min(unknown)!r} to change"
            raise LookupError(detail)
        if unknown := set(self.listed_by) - set(self.summary.model_fields):
            detail = f"{self.name} have no field {min(unknown)!r} to be listed by"
            raise LookupError(detail)

    @property
    def path(self) -> str:
        """Path of the collection."""
        return f"/v1/{self.name.replace('_', '-')}"

    @property
    def item_path(self) -> str:
        """Path of one thing, with the parameter in braces."""
        return f"{self.path}/{{{self.id_name}}}"

    @property
    def id_name(self) -> str:
        """Name of the parameter of paths that is an id, or a name in its place."""
        return f"{self.singular}_id" if not self.named_by_callers else "name"

    @property
    def words(self) -> str:
        """The plural in prose."""
        return self.name.replace("_", " ")

    @property
    def is_kept(self) -> bool:
        """Whether things of this noun can be listed and read again."""
        return bool(self.id_prefix) or self.named_by_callers

    @property
    def key(self) -> str:
        """The field by which one thing is known."""
        return "id" if not self.named_by_callers else "name"

    @property
    def is_made_by_job(self) -> bool:
        """Whether a job can make it."""
        return self.made in {"by_job", "either"}

    @property
    def filters(self) -> tuple[str, ...]:
        """What its list can be filtered by: what it is made from, its status, its name, ``listed_by``, and times."""
        shown = [field for field in ("status", "name") if field in self.summary.model_fields and field != self.key]
        times = TIME_FILTERS if self.listed_by_time else ()
        return (*self.made_from, *shown, *self.listed_by, *times) if self.is_kept else ()

    def needs_leaves(self, request: Contract) -> bool:
        """Return whether what is requested is made from a model's leaves, so that no oracle will do."""
        if "models" not in self.made_from.values():
            return False
        if self.made_without_leaves is None:
            return True
        return any(getattr(request, name) not in values for name, values in self.made_without_leaves.items())

    def scope_of(self, method: str, below_item: str = "") -> Scope | None:
        """Return the scope that a request needs: ``below_item`` is the path below an id; ``None`` if undeclared."""
        if method == "POST" and below_item:
            return self.actions.get(below_item)
        scopes = self.scopes_below.get(below_item.partition("/")[0], self.scopes)
        return next((scope for name, scope in scopes.items() if name == method), None)


MODELS = Noun(
    name="models",
    singular="model",
    id_prefix="mdl_",
    description="Tree ensembles, registered as ONNX: their predictions, their trees, and proximities of rows sent "
    "along. Other classifiers and regressors, registered as oracles: their predictions alone.",
    made="at_once",
    request=ModelMetadata,
    summary=ModelSummary,
    view=Model,
    mutable=("name",),
    actions={"predictions": "explain", "proximities": "explain"},
    read_without_leaves=("predictions",),
)
DATASETS = Noun(
    name="datasets",
    singular="dataset",
    id_prefix="ds_",
    description="Tables of reference rows.",
    made="at_once",
    request=DatasetMetadata,
    summary=DatasetSummary,
    view=Dataset,
    has_jobs=True,
    mutable=("name",),
    products=(Product(name="rows", media_types=(JSON, PARQUET), row=DatasetRow),),
)
RELATIONAL_DATASETS = Noun(
    name="relational_datasets",
    singular="relational_dataset",
    id_prefix="rds_",
    description="Several tables with keys, whose rows of one are the examples.",
    made="at_once",
    request=RelationalDatasetMetadata,
    summary=RelationalDatasetSummary,
    view=RelationalDataset,
    mutable=("name",),
)
FEATURE_SETS = Noun(
    name="feature_sets",
    singular="feature_set",
    id_prefix="fts_",
    description="Queries about the examples of a relational dataset, each of which is a column of ordinary datasets.",
    made="either",
    made_from={"relational_dataset": "relational_datasets"},
    request=FeatureSetRequest,
    summary=FeatureSet,
    view=FeatureSet,
    result=FeatureSetResult,
    products=(
        Product(name="content", media_types=_TABLE),
        Product(name="export", media_types=(JSON, "application/sql", HTML)),
    ),
    actions={"rows": "explain", "datasets": "write"},
)
RELATIONAL_FORESTS = Noun(
    name="relational_forests",
    singular="relational_forest",
    id_prefix="rlf_",
    description="Trees learned from several tables, published as a feature set, a model and a dataset.",
    made="by_job",
    made_from={"relational_dataset": "relational_datasets"},
    request=RelationalForestRequest,
    summary=RelationalForest,
    view=RelationalForest,
    result=RelationalForestResult,
    products=(Product(name="content", media_types=_TABLE),),
)
PROXIMITIES = Noun(
    name="proximities",
    singular="proximities",
    id_prefix="prx_",
    description="For every row of a dataset, the rows that the model sees as most alike.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=ProximitiesRequest,
    summary=Proximities,
    view=Proximities,
    result=ProximitiesResult,
    arrays=("weights",),
    files=("table",),
    products=(Product(name="content", media_types=_TABLE, row=NeighborsOfRow),),
)
PROTOTYPE_SETS = Noun(
    name="prototype_sets",
    singular="prototype_set",
    id_prefix="prs_",
    description="Rows of a dataset that represent each class, and how well they do so.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    request=PrototypeSetRequest,
    summary=PrototypeSet,
    view=PrototypeSet,
    result=PrototypeSetResult,
    arrays=("weights", "leaves", "classes", "boxes"),
    files=("reference_rows", "classifier", "onnx", "rows"),
    products=(
        Product(name="content", media_types=_TABLE),
        Product(
            name="export", media_types=(JSON, "application/sql", "text/x-python", "application/octet-stream", HTML)
        ),
        Product(name="rows", media_types=(JSON,), row=RepresentedRow),
    ),
)
LABEL_AUDITS = Noun(
    name="label_audits",
    singular="label_audit",
    id_prefix="lba_",
    description="Rows of a dataset whose label the rows like them contradict, the most suspect first.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets"},
    request=LabelAuditRequest,
    summary=LabelAudit,
    view=LabelAudit,
    result=LabelAuditResult,
    arrays=("weights",),
    files=("table",),
    products=(
        Product(name="content", media_types=_TABLE, row=AuditedRow),
        Product(name="decisions", media_types=(JSON,), row=LabelDecision),
        Product(name="decisions/export", media_types=(*_TABLE, HTML), row=DecidedRow),
    ),
    changing=("rows", "decisions", "decided"),
    scopes_below={"decisions": _READ_AND_REVIEW},
)
MAPS = Noun(
    name="maps",
    singular="map",
    id_prefix="map_",
    description="Rows of a dataset in two dimensions, where those that the model sees as alike lie side by side.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets", "prototype_set": "prototype_sets"},
    request=MapRequest,
    summary=Map,
    view=Map,
    result=MapResult,
    arrays=("weights", "leaves", "places"),
    files=("table",),
    products=(Product(name="content", media_types=_TABLE, row=MapRow),),
    actions={"places": "explain"},
)
RULE_SETS = Noun(
    name="rule_sets",
    singular="rule_set",
    id_prefix="rls_",
    description="A model in a few rules about raw features.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    request=RuleSetRequest,
    summary=RuleSet,
    view=RuleSet,
    result=RuleSetResult,
    files=("parameters", "rows"),
    products=(
        Product(name="content", media_types=_TABLE),
        Product(name="parameters", media_types=(CSV, PARQUET)),
        Product(name="rows", media_types=(CSV, PARQUET)),
        Product(name="export", media_types=(JSON, "text/markdown", "application/sql", "text/x-python", HTML)),
    ),
)
APPROXIMATION_TREES = Noun(
    name="approximation_trees",
    singular="approximation_tree",
    id_prefix="apt_",
    description="A model as one small tree, which can also be used as a questionnaire.",
    made="by_job",
    made_from={"model": "models", "dataset": "datasets", "evaluation_dataset": "datasets"},
    made_without_leaves={"method": ("auto", "sta", "born_again", "cart")},
    request=ApproximationTreeRequest,
    summary=ApproximationTree,
    view=ApproximationTree,
    result=ApproximationTreeResult,
    files=("onnx",),
    products=(
        Product(name="content", media_types=_TABLE),
        Product(
            name="export",
            media_types=(
                JSON,
                "text/plain",
                "text/vnd.graphviz",
                "image/svg+xml",
                "application/sql",
                "text/x-python",
                "application/octet-stream",
                HTML,
            ),
        ),
    ),
    actions={"next-question": "explain"},
)
EXPLAINERS = Noun(
    name="explainers",
    singular="explainer",
    id_prefix="xpl_",
    description="A model with the prototypes, rules and tree that explain its predictions; explanations of rows.",
    made="at_once",
    made_from={
        "model": "models",
        "prototype_set": "prototype_sets",
        "rule_set": "rule_sets",
        "approximation_tree": "approximation_trees",
    },
    request=ExplainerRequest,
    summary=ExplainerSummary,
    view=Explainer,
    mutable=("name",),
    actions={"explanations": "explain"},
)
EXPLAINER_NAMES = Noun(
    name="explainer_names",
    singular="explainer_name",
    named_by_callers=True,
    description="Names that applications call, each for the explainer that it means at the moment.",
    made_from={"explainer": "explainers"},
    request=ExplainerNameRequest,
    summary=ExplainerName,
    view=ExplainerName,
    products=(Product(name="history", media_types=(JSON,), row=ExplainerNameChange),),
    scopes=_READ_AND_DEPLOY,
)
EXPLANATIONS = Noun(
    name="explanations",
    singular="stored_explanation",
    id_prefix="xpn_",
    description="What explainers that store their explanations have answered, to be read, verified and deleted.",
    summary=StoredExplanationSummary,
    view=StoredExplanation,
    listed_by=("explainer", "row_id"),
    listed_by_time=True,
    scopes=_AUDIT,
    actions={"verify": "audit"},
)
EXPLANATION_SETS = Noun(
    name="explanation_sets",
    singular="explanation_set",
    id_prefix="exs_",
    description="Explanations of every row of a dataset.",
    made="by_job",
    made_from={"explainer": "explainers", "dataset": "datasets"},
    request=ExplanationSetRequest,
    summary=ExplanationSet,
    view=ExplanationSet,
    result=ExplanationSetResult,
    arrays=("rows", "bytes"),
    files=("lines", "table"),
    products=(Product(name="content", media_types=(NDJSON, JSONL, ZSTD, JSON, PARQUET), row=Explanation),),
)
REPORTS = Noun(
    name="reports",
    singular="report",
    id_prefix="rpt_",
    description="What is known of a model in one HTML file without script, which can be filed and verified later.",
    made="by_job",
    made_from={
        "explainer": "explainers",
        "rule_set": "rule_sets",
        "approximation_tree": "approximation_trees",
        "map": "maps",
        "label_audit": "label_audits",
        "compare_with": "explainers",
        "newer_dataset": "datasets",
    },
    request=ReportRequest,
    summary=Report,
    view=Report,
    result=ReportResult,
    files=("document",),
    products=(Product(name="content", media_types=(HTML,)),),
    actions={"verify": "explain"},
)
JOBS = Noun(
    name="jobs",
    singular="job",
    id_prefix="job_",
    description="Work that takes time: its progress, its end, and how to cancel it.",
    summary=Job,
    view=Job,
    listed_by=("kind", "artefact"),
    products=(Product(name="events", media_types=("text/event-stream",)),),
    actions={"cancel": "write"},
)
API_KEYS = Noun(
    name="api_keys",
    singular="api_key",
    id_prefix="key_",
    description="Who may call this service, and what for.",
    made="at_once",
    request=ApiKeyRequest,
    summary=ApiKey,
    view=ApiKey,
    scopes=_ADMIN,
)


class Nouns(Mapping[str, Noun[Any]]):
    """Nouns by name, in the order of the contract; each name and each prefix belongs to one."""

    def __init__(self, *nouns: Noun[Any]) -> None:
        self._by_name = {noun.name: noun for noun in nouns}
        prefixes = [noun.id_prefix for noun in nouns if noun.id_prefix]
        if len(self._by_name) < len(nouns) or len(set(prefixes)) < len(prefixes):
            detail = "two nouns in schemas/nouns.py have the same name or the same prefix of ids"
            raise LookupError(detail)
        for noun in nouns:
            if unknown := set(noun.made_from.values()) - set(self._by_name):
                detail = f"{noun.name} refer to {min(unknown)!r}, which schemas/nouns.py does not declare"
                raise LookupError(detail)

    def __getitem__(self, name: str) -> Noun[Any]:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    @property
    def made_by_jobs(self) -> tuple[Noun[Any], ...]:
        """Nouns that jobs make: artefacts."""
        return tuple(noun for noun in self.values() if noun.is_made_by_job)

    @property
    def kinds_of_jobs(self) -> tuple[Noun[Any], ...]:
        """Nouns that jobs make, artefacts or not."""
        return tuple(noun for noun in self.values() if noun.is_made_by_job or noun.has_jobs)

    @property
    def kept(self) -> tuple[Noun[Any], ...]:
        """Nouns whose things can be listed and read again."""
        return tuple(noun for noun in self.values() if noun.is_kept)


NOUNS = Nouns(
    MODELS,
    DATASETS,
    RELATIONAL_DATASETS,
    FEATURE_SETS,
    RELATIONAL_FORESTS,
    PROXIMITIES,
    PROTOTYPE_SETS,
    LABEL_AUDITS,
    MAPS,
    RULE_SETS,
    APPROXIMATION_TREES,
    EXPLAINERS,
    EXPLAINER_NAMES,
    EXPLANATIONS,
    EXPLANATION_SETS,
    REPORTS,
    JOBS,
    API_KEYS,
)
