"""One noun of the API: what its name, its requests, its products and its scopes are.

Each noun is declared in the module of its messages, ``schemas/<noun>.py``; ``nouns.py`` collects them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from .contract import Contract
from .scopes import READ_AND_WRITE, Method, Scope

Making = Literal["at_once", "by_job", "either"]
View = TypeVar("View", bound=Contract)
JSON, CSV, PARQUET = "application/json", "text/csv", "application/vnd.apache.parquet"
NDJSON, JSONL, ZSTD = "application/x-ndjson", "application/jsonl", "application/zstd"
HTML = "text/html"
TABLE = (JSON, CSV, PARQUET)
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
    position: int  # in the contract, which lists nouns of low numbers first
    description: str  # of its tag in the contract
    view: type[View]  # one thing, as it is answered
    summary: type[Contract]  # one thing in a list
    id_prefix: str = ""  # empty where nothing is kept, or callers name what is
    named_by_callers: bool = False  # each is known by a name that callers choose, and has no id
    making: Making | None = None  # ``None``: it comes with another noun, as a job does, or callers PUT it
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
    column_fields: tuple[str, ...] = ()  # of the request: lists of columns of `dataset`, shown without hidden ones
    mutable: tuple[str, ...] = ()  # fields that PATCH may change
    changing: tuple[str, ...] = ()  # paths below an id, and parameters, whose answers change though it does not
    listed_by: tuple[str, ...] = ()  # more fields that its list can be filtered by; see ``filters``
    listed_by_time: bool = False  # its list can be filtered by when things were made, too
    scopes: Mapping[Method, Scope] = field(default_factory=lambda: READ_AND_WRITE)
    scopes_below: Mapping[str, Mapping[Method, Scope]] = field(default_factory=dict)  # of paths below an id: others
    actions: Mapping[str, Scope] = field(default_factory=dict)  # POST to these paths below an id

    def __post_init__(self) -> None:
        if self.is_made_by_job and (self.request is None or self.result is None):
            detail = f"{self.name} are made by jobs: declare their request and their result in schemas/{self.name}.py"
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
    def is_stored(self) -> bool:
        """Whether things of this noun can be listed and read again."""
        return bool(self.id_prefix) or self.named_by_callers

    @property
    def key(self) -> str:
        """The field by which one thing is known."""
        return "id" if not self.named_by_callers else "name"

    @property
    def is_made_by_job(self) -> bool:
        """Whether a job can make it."""
        return self.making in {"by_job", "either"}

    @property
    def filters(self) -> tuple[str, ...]:
        """What its list can be filtered by: what it is made from, its status, its name, ``listed_by``, and times."""
        shown = [field for field in ("status", "name") if field in self.summary.model_fields and field != self.key]
        times = TIME_FILTERS if self.listed_by_time else ()
        return (*self.made_from, *shown, *self.listed_by, *times) if self.is_stored else ()

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
