"""Artefacts: how everything that a job makes is requested, listed, read and deleted, whatever its noun.

Each noun checks its requests in a file of its own, which then calls ``request_artefact``.
"""

from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import orjson
import structlog
from pydantic import ValidationError
from sqlalchemy import Connection

from explanations.result_words import ResultWords, without_values_of
from observability.logs import current_request_id
from schemas.artefacts import ArtefactView
from schemas.contract import Contract, Page
from schemas.dictionaries import DictionaryUsed
from schemas.identifiers import content_identifier
from schemas.models import Model
from schemas.noun import Noun
from schemas.problems import problem_for
from schemas.relational_datasets import RelationalDataset
from storage.artefacts import Artefact, NewArtefact
from storage.datasets import StoredDataset
from storage.errors import StorageError
from storage.feature_matching import match_features
from storage.job_counts import count_queued, is_short
from storage.jobs import Origin

from ..app_context import AppContext
from ..callers import CURRENT_KEY
from ..settings import ServiceSettings
from .deletion import delete_with_objects
from .job_estimates import JobEstimate, estimate_job, refuse_beyond, sizes_of
from .relational_estimates import estimate_relational_job
from .run_on import RunsOn, resolve_run_on

_LOG = structlog.get_logger(__name__)
View = TypeVar("View", bound=ArtefactView)
_LARGE_DATASET_ROWS = 100_000
_BLOCK_BYTES = 256 << 10
_COMPUTED = frozenset({"json", "sql", "python"})
"""Forms of exports that compute with all features, hidden ones among them."""


class Inputs(Protocol):
    """Inputs of an artefact: none of them can be deleted before the artefact."""

    @property
    def columns(self) -> dict[str, str]:
        """Their ids, by the column of the artefact that refers to them."""

    @property
    def n_rows(self) -> int:
        """Number of rows to work on."""

    def estimate(self, kind: str, request: Mapping[str, Any], *, on_cluster: bool = False) -> JobEstimate:
        """Return what a job of this kind would need for a request whose defaults are spelled out."""


@dataclass(frozen=True, slots=True)
class MadeFrom:
    """A model and rows."""

    model: Model
    dataset: StoredDataset
    evaluation_dataset: StoredDataset | None = None
    generator_dataset: StoredDataset | None = None  # whose rows are pseudo rows
    n_prototypes: int = 0  # of an explainer
    other_model: Model | None = None  # that it is compared with

    @property
    def columns(self) -> dict[str, str]:
        """Ids of what there is, by column."""
        others = {"evaluation_dataset": self.evaluation_dataset, "generator_dataset": self.generator_dataset}
        ids = {column: dataset.view.id for column, dataset in others.items() if dataset is not None}
        if self.other_model is not None:
            ids["other_model"] = self.other_model.id
        return {"model": self.model.id, "dataset": self.dataset.view.id, **ids}

    @property
    def n_rows(self) -> int:
        """Number of rows to work on."""
        return self.dataset.view.n_rows

    def estimate(self, kind: str, request: Mapping[str, Any], *, on_cluster: bool = False) -> JobEstimate:
        """Return what a job would need; on a cluster, what its own process would."""
        others = (self.evaluation_dataset, self.generator_dataset)
        n_other_rows = [other.view.n_rows for other in others if other is not None]
        larger = max(self.model, self.other_model or self.model, key=lambda model: model.n_nodes)
        sizes = sizes_of(larger, self.dataset.view, n_other_rows, self.n_prototypes)
        return estimate_job(kind, sizes.on_cluster() if on_cluster else sizes, request)


@dataclass(frozen=True, slots=True)
class MadeFromTables:
    """A relational dataset."""

    relational_dataset: RelationalDataset
    n_features: int = 0  # of a feature set; 0 where they are found by the job

    @property
    def columns(self) -> dict[str, str]:
        """Its id, by column."""
        return {"relational_dataset": self.relational_dataset.id}

    @property
    def n_rows(self) -> int:
        """Number of rows of all tables."""
        return self.relational_dataset.n_rows

    def estimate(self, kind: str, request: Mapping[str, Any], *, on_cluster: bool = False) -> JobEstimate:
        """Return what a job would need; it never runs on a cluster."""
        return estimate_relational_job(kind, self.relational_dataset, self.n_features, request)


def matching_evaluation(context: AppContext, model: Model, dataset_id: str | None) -> StoredDataset | None:
    """Return the dataset to evaluate on, which has the model's features; ``None`` if none is named."""
    if dataset_id is None:
        return None
    dataset = context.datasets.get(dataset_id)
    match_features(model, dataset.view)
    return dataset


def request_artefact(
    context: AppContext,
    noun: Noun[View],
    request: Contract,
    made_from: Inputs,
    refusal: StorageError | None = None,
    words: Sequence[DictionaryUsed] = (),
) -> View:
    """Return the artefact if it is made or being made; otherwise begin to make it.

    Parameters
    ----------
    context
        What operations use in this process.
    noun
        The kind of artefact.
    request
        Checked and spelled out: requests that have the same answer are equal here, so that they share an id.
    made_from
        The inputs that the request names.
    refusal
        Why no job may be added for this request, if so; an artefact that exists already is answered all the same.
    words
        The dictionaries whose words the result keeps, so that other words make another artefact.

    Raises
    ------
    StorageError
        ``refusal``; ``resource_estimate_exceeds_limit`` where a job would need more memory than it may use,
        ``rate_limited`` where too many jobs wait already.
    """
    document = request.model_dump(mode="json")
    run_on = document.pop("run_on", "local")  # it changes nothing about the answer
    spoken = [used.model_dump() for used in words if used.revision]
    identifier = content_identifier(noun.name, noun.revision, document, *([spoken] if spoken else []))
    new = NewArtefact(identifier, noun.name, document, **made_from.columns)
    job = NewJob.of(context, noun.name, identifier, document, made_from, run_on)
    with context.artefacts.requested(new) as requested:
        if requested.needs_job:
            if refusal is not None:
                raise refusal
            requested.job = job.add(context, requested.connection)
    if requested.is_new_job:
        job.notify(context, requested.job)
    return view_of(context, noun, requested.artefact, reused=not requested.is_new_job)


@dataclass(frozen=True, slots=True)
class NewJob:
    """A job that is to be added, with what it would need."""

    kind: str
    artefact: str  # id of what it makes
    request: dict[str, Any]
    deadline_seconds: float
    estimate: JobEstimate

    @classmethod
    def of(  # what is made of what, and where
        cls,
        context: AppContext,
        kind: str,
        artefact: str,
        request: dict[str, Any],
        made_from: Inputs,
        run_on: RunsOn = "local",
    ) -> "NewJob":
        """Return the job for a request whose defaults are spelled out."""
        large = made_from.n_rows > _LARGE_DATASET_ROWS
        settings = context.settings
        deadline = settings.large_job_deadline_seconds if large else settings.job_deadline_seconds
        estimate = made_from.estimate(kind, request)
        resolved = resolve_run_on(settings, estimate, run_on)
        if resolved == "cluster":
            estimate = made_from.estimate(kind, request, on_cluster=True)
            request = {**request, "run_on": resolved}  # a job without this field runs locally
        return cls(kind, artefact, request, deadline, estimate)

    def add(self, context: AppContext, connection: Connection) -> str:
        """Write its row in the caller's transaction; return its id.

        Raises
        ------
        StorageError
            ``resource_estimate_exceeds_limit`` or ``rate_limited``.
        """
        refuse_beyond(context.settings.job_memory_bytes, self.estimate)
        origin = Origin(current_request_id(), CURRENT_KEY.get(), self.estimate.seconds)
        _refuse_if_queue_is_full(context.settings, connection, origin.caller)
        return context.jobs.add(connection, self.kind, self.artefact, self.request, self.deadline_seconds, origin)

    def notify(self, context: AppContext, job: str) -> None:
        """Notify workers of it, once its row is committed."""
        _LOG.info("job_accepted", job=job, kind=self.kind, artefact=self.artefact)
        context.notifier.notify(job, self.deadline_seconds, is_short=is_short(self.estimate.seconds))


def list_all(context: AppContext, noun: Noun[View], limit: int, cursor: str | None, **filters: str) -> Page[View]:
    """Return one page of artefacts, newest first, without their results.

    One that is kept in a form that this version does not read is shown as failed, with the reason.
    """
    page = context.artefacts.list(noun.name, limit, cursor, **filters)
    views = [_listed(context, noun, artefact) for artefact in page.data]
    return Page[View](data=views, next_cursor=page.next_cursor)


def get_one(context: AppContext, noun: Noun[View], artefact_id: str) -> View:
    """Return an artefact, with its result if it is ready."""
    return view_of(context, noun, context.artefacts.get(noun.name, artefact_id))


def write_one(context: AppContext, noun: Noun[View], artefact_id: str) -> Generator[bytes]:
    """Return the same as JSON in blocks: the result is passed on as its job wrote it, however large it is."""
    artefact = context.artefacts.get(noun.name, artefact_id)
    view = _readable(context, noun, artefact)
    if artefact.result is None:
        return iter_once(view.model_dump_json().encode())
    head = view.model_dump_json(exclude={"result"}).encode()
    return _joined(head, shown_blocks(context, noun, artefact_id))


def words_of(context: AppContext, noun: Noun[Any], artefact: Artefact) -> ResultWords | None:
    """Return the words in which an artefact's result is read; none where it is read as its job wrote it."""
    return ResultWords.read(context.database, context.objects, noun.name, artefact.request)


def shown_result(context: AppContext, noun: Noun[Any], artefact: Artefact) -> Any:  # JSON
    """Return the result of an artefact that is ready, as people read it."""
    result = orjson.loads(context.objects.get(artefact.ready_result()))
    words = words_of(context, noun, artefact)
    return result if words is None else words.shown(noun.name, result)


def exported_result(context: AppContext, noun: Noun[Any], artefact: Artefact, form: str) -> Any:  # JSON
    """Return rules or a tree for an export: as people read it, or as code computes it, with its texts in words."""
    result = orjson.loads(context.objects.get(artefact.ready_result()))
    words = words_of(context, noun, artefact)
    if words is None:
        return result
    return words.computed(noun.name, result) if form in _COMPUTED else words.printed(noun.name, result)


def shown_blocks(context: AppContext, noun: Noun[Any], artefact_id: str) -> Generator[bytes]:
    """Return the whole result as JSON in blocks, as people read it."""
    artefact = context.artefacts.get(noun.name, artefact_id)
    path = context.objects.path_of_pages(artefact.ready_result())
    words = words_of(context, noun, artefact)
    if words is None:
        return file_blocks(path)
    return iter_once(orjson.dumps(words.shown(noun.name, orjson.loads(path.read_bytes()))))


def worded_bytes(context: AppContext, noun: Noun[Any], artefact_id: str) -> int:
    """Return the size of a result that is put into words when it is read; 0 where it is passed on as it is kept."""
    artefact = context.artefacts.get(noun.name, artefact_id)
    if artefact.result is None or words_of(context, noun, artefact) is None:
        return 0
    return context.objects.path_of_pages(artefact.result).stat().st_size


def result_path(context: AppContext, noun: Noun[View], artefact_id: str) -> Path:
    """Return the file that holds the whole result as JSON."""
    return context.objects.path_of_pages(context.artefacts.get(noun.name, artefact_id).ready_result())


def file_blocks(path: Path) -> Generator[bytes]:
    """Yield a file's bytes."""
    with path.open("rb") as file:
        while block := file.read(_BLOCK_BYTES):
            yield block


def iter_once(body: bytes) -> Generator[bytes]:
    """Yield a body that is whole already."""
    yield body


def _joined(head: bytes, result: Generator[bytes]) -> Generator[bytes]:
    """Yield the artefact as one JSON object with its result."""
    with closing(result):
        yield head[:-1] + b',"result":'
        yield from result
    yield b"}"


def get_result(context: AppContext, noun: Noun[View], artefact_id: str) -> bytes:
    """Return the whole result as JSON."""
    return context.objects.get(context.artefacts.get(noun.name, artefact_id).ready_result())


def delete_one(context: AppContext, noun: Noun[View], artefact_id: str) -> None:
    """Delete an artefact that nothing depends on."""
    delete_with_objects(context, lambda: context.artefacts.delete(noun.name, artefact_id))


def _refuse_if_queue_is_full(settings: ServiceSettings, connection: Connection, caller: str | None) -> None:
    """Refuse a job where too many wait already; requests at the same moment may all be accepted."""
    if caller is not None and count_queued(connection, caller) >= (n_own := settings.max_queued_jobs_of_caller):
        detail = (
            f"{n_own} jobs of yours wait for a worker already, the limit of one caller; try again when some are done"
        )
        raise StorageError("rate_limited", detail)
    if count_queued(connection) >= (n_all := settings.max_queued_jobs):
        raise StorageError("rate_limited", f"{n_all} jobs wait for a worker already; try again when some are done")


def view_of(context: AppContext, noun: Noun[View], artefact: Artefact, *, reused: bool = False) -> View:
    """Return an artefact as readers get it, with its result if it is ready."""
    result = None if artefact.result is None else shown_result(context, noun, artefact)
    return _readable(context, noun, artefact, reused=reused, result=result)


def _readable(
    context: AppContext, noun: Noun[View], artefact: Artefact, **more: Any
) -> View:  # other fields of the view
    """Return the view; refuse an artefact that is kept in a form that this version does not read."""
    try:
        return noun.view.model_validate({**_state_of(context, noun, artefact), "reused": False, **more})
    except ValidationError as error:
        raise StorageError("object_damaged", _unreadable(noun, artefact)) from error


def _listed(context: AppContext, noun: Noun[View], artefact: Artefact) -> View:
    state = _state_of(context, noun, artefact)
    try:
        return noun.view.model_validate(state)
    except ValidationError:
        problem = problem_for("object_damaged", _unreadable(noun, artefact))
        request = (noun.request or Contract).model_construct(**state["request"])
        shown: View = noun.view.model_construct(**{**state, "request": request, "status": "failed", "problem": problem})  # type: ignore[assignment]  # of the noun's own class
        return shown


def _unreadable(noun: Noun[View], artefact: Artefact) -> str:
    return (
        f"{noun.singular.replace('_', ' ')} {artefact.id!r} is kept in a form that this version does not read: delete "
        "it and request it again"
    )


def _state_of(context: AppContext, noun: Noun[Any], artefact: Artefact) -> dict[str, Any]:
    return {
        "id": artefact.id,
        "status": artefact.status,
        "job": artefact.job or None,
        "created_at": artefact.created_at,
        "request": _shown_request(context, noun, artefact),
        "problem": artefact.problem,
    }


def _shown_request(context: AppContext, noun: Noun[Any], artefact: Artefact) -> dict[str, Any]:
    """Return a request as readers get it: a column that was hidden since is not named, nor has a row a value of it."""
    request = artefact.request
    named = {field: request[field] for field in noun.column_fields if request.get(field)}
    sent = request.get("instances")
    if not named and not sent:
        return request
    hidden = context.dictionaries.get(artefact.dataset or "").hidden
    shown: dict[str, Any] = {field: [name for name in names if name not in hidden] for field, names in named.items()}
    rows = [without_values_of(hidden, each) for each in sent or ()]
    return {**request, **shown, **({"instances": rows} if rows else {})}
