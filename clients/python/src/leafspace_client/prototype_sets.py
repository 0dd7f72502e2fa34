"""Prototype sets: a handful of real rows that stand for each class."""

from typing import Any, Literal, TypeVar

from ._generated.api.prototype_sets import (
    create_prototype_set,
    delete_prototype_set,
    get_content,
    get_prototype_set,
    list_prototype_sets,
)
from ._generated.models import Evaluation, PagePrototypeSet, Problem, Prototype, PrototypeSetRequest
from ._generated.models import PrototypeSet as Details
from ._generated.types import UNSET
from .calls import Connected, Program, awaitable, blocking
from .endpoints import ask, call_of, create
from .errors import Conflict, JobFailed
from .frames import prototypes_frame
from .jobs import cancel as cancel_job
from .nouns import AsyncDeletable, Collection, Identified, Noun, SyncDeletable, id_of
from .waiting import check_success, wait_for_job

PROTOTYPE_SETS: Noun[Details] = Noun(
    Details, PagePrototypeSet, "prototype_set_id", get_prototype_set, list_prototype_sets, delete_prototype_set
)
Method = Literal["sm_u", "sm_a", "sm_wa", "sg", "a_pete"]
ProximityKind = Literal["auto", "random_forest", "boosting"]
ContentFormat = Literal["json", "csv", "parquet"]
_MEDIA_TYPES = {"json": "application/json", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}
Kept = TypeVar("Kept")
ViewT = TypeVar("ViewT", bound="PrototypeSetView")


class PrototypeSetView(Connected):
    """A prototype set as it was when last looked at; ``details`` has all that the service says of it."""

    def __init__(self, transport: Any, details: Details) -> None:  # noqa: ANN401  # either transport
        self._transport = transport
        self.details = details

    @property
    def id(self) -> str:
        """What the service knows it by."""
        return self.details.id

    @property
    def status(self) -> str:
        """``pending``, ``ready``, ``failed`` or ``cancelled``; new ones may come."""
        return self.details.status

    @property
    def job(self) -> str | None:
        """Id of the job that makes it."""
        return self.details.job

    @property
    def prototypes(self) -> list[Prototype]:
        """The prototypes in the order in which they were chosen."""
        found = self.details.prototypes
        return found if isinstance(found, list) else self._lacking("prototypes")

    @property
    def evaluation(self) -> list[Evaluation]:
        """How well the nearest of the first prototypes predicts."""
        found = self.details.evaluation
        return found if isinstance(found, list) else self._lacking("evaluation")

    def to_frame(self) -> Any:  # noqa: ANN401  # a DataFrame
        """Return the prototypes as a DataFrame, one row each; needs pandas."""
        return prototypes_frame(self.prototypes)

    def __repr__(self) -> str:
        found = self.details.prototypes
        n_prototypes = f", {len(found)} prototypes" if isinstance(found, list) else ""
        return f"<PrototypeSet {self.id} {self.status}{n_prototypes}>"

    def _lacking(self, what: str) -> list[Any]:
        detail = f"{self.id} is {self.status} and has no {what} here; call wait() or refresh() first"
        raise Conflict("artefact_not_ready", detail)


def _refresh(self: ViewT) -> Program[ViewT]:
    """Look again."""
    self.details = yield from ask(get_prototype_set, Details, prototype_set_id=self.id)
    return self


def _wait(self: ViewT, *, progress: bool = False, timeout: float | None = None) -> Program[ViewT]:
    """Wait until it is ready and return it.

    Parameters
    ----------
    progress
        Show a progress bar.
    timeout
        Seconds to wait; default: as long as it takes.

    Raises
    ------
    JobFailed, JobCancelled
        With what the job says of it.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    if self.status != "ready" and self.job is not None:
        job = yield from wait_for_job(self.job, progress=progress, timeout_seconds=timeout)
        check_success(job)
    yield from _refresh(self)
    if self.status != "ready":
        problem = self.details.problem
        detail = problem.detail if isinstance(problem, Problem) else f"prototype set {self.id} is {self.status}"
        raise JobFailed(problem.code if isinstance(problem, Problem) else "job_failed", detail)
    return self


def _cancel(self: ViewT) -> Program[ViewT]:
    """Cancel the job that makes it; cancelling it again is no error."""
    if self.job is not None:
        yield from cancel_job(self, self.job)
    return (yield from _refresh(self))


def _content(self: PrototypeSetView, form: ContentFormat = "json") -> Program[bytes]:
    """Return the whole result as the bytes of a JSON, CSV or Parquet file."""
    call = call_of(get_content, prototype_set_id=self.id)
    call.headers["Accept"] = _MEDIA_TYPES[form]
    response = yield call
    content: bytes = response.content
    return content


def _create(  # noqa: PLR0913  # the parameters of the method, all with defaults
    self: Collection[Details, Kept],
    model: Identified,
    dataset: Identified,
    *,
    method: Method = "sm_a",
    n_prototypes: int | None = None,
    alpha: float | None = None,
    labels: Literal["predicted", "target"] = "predicted",
    kind: ProximityKind = "auto",
    evaluation_dataset: Identified | None = None,
    seed: int = 0,
) -> Program[Kept]:
    """Ask for a prototype set; call ``wait()`` on what is returned.

    The same question again is free: it gives the set that is made, or being made.

    Parameters
    ----------
    model, dataset
        What to select for and from: what registering returned, or ids.
    method
        ``sm_u``, ``sm_a``, ``sm_wa`` or ``sg`` (Tan et al.), or ``a_pete`` (Karolczak & Stefanowski).
    n_prototypes
        How many; default 10. Not with ``a_pete``, which finds the number itself.
    alpha
        ``a_pete`` stops when gains change by no more than this share; default 0.05.
    labels
        Classes as the model predicts them, or as the dataset's target has them.
    kind
        Which proximity; ``auto`` follows the model's kind of ensemble.
    evaluation_dataset
        Other rows to evaluate on; default: the dataset itself.
    seed
        Makes random choices repeatable.
    """
    request = PrototypeSetRequest(
        model=id_of(model),
        dataset=id_of(dataset),
        method=method,
        n_prototypes=n_prototypes,
        alpha=UNSET if alpha is None else alpha,
        labels=labels,
        kind=kind,
        evaluation_dataset=None if evaluation_dataset is None else id_of(evaluation_dataset),
        seed=seed,
    )
    return self._wrapped((yield from create(create_prototype_set, Details, body=request)))


class PrototypeSet(PrototypeSetView):
    """A prototype set, for the blocking client."""

    refresh = blocking(_refresh)
    wait = blocking(_wait)
    cancel = blocking(_cancel)
    content = blocking(_content)


class AsyncPrototypeSet(PrototypeSetView):
    """A prototype set, for the async client."""

    refresh = awaitable(_refresh)
    wait = awaitable(_wait)
    cancel = awaitable(_cancel)
    content = awaitable(_content)


class PrototypeSets(SyncDeletable[Details, PrototypeSet]):
    """All prototype sets, newest first."""

    create = blocking(_create)


class AsyncPrototypeSets(AsyncDeletable[Details, AsyncPrototypeSet]):
    """All prototype sets, newest first."""

    create = awaitable(_create)
