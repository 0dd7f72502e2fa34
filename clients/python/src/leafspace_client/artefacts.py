"""Artefacts: what can be done with everything that a job makes: wait, refresh, cancel, fetch the whole result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

from .calls import Call, Connected, Program, awaitable, blocking, call_of, fetch_all
from .errors import Conflict, JobFailed
from .jobs import cancel as cancel_job
from .jobs import check_success, wait_for_job
from .nouns import View, load, refresh
from .operations import Request
from .records import Records
from .showing import show_view
from .types import Problem
from .written_paths import written_path

if TYPE_CHECKING:
    from .pictures import Json

Details = TypeVar("Details")
ViewT = TypeVar("ViewT", bound="ArtefactView[Any]")
TableForm = Literal["json", "csv", "parquet"]
TableFile = Literal["csv", "parquet"]
TABLE_MEDIA_TYPES = {"json": "application/json", "csv": "text/csv", "parquet": "application/vnd.apache.parquet"}


@dataclass(frozen=True, slots=True)
class Content:
    """How the whole result is fetched."""

    operation: Callable[..., Request[Any]]
    media_types: Mapping[str, str]  # by the name of the form, such as "parquet"


class ArtefactView(View[Details]):
    """Something that a job makes, as it was when it was last fetched; ``details`` has all fields of the service."""

    contents: ClassVar[Content]

    @property
    def status(self) -> str:
        """``pending``, ``ready``, ``failed`` or ``cancelled``; new ones may come."""
        details: Any = self.details  # of any noun
        return str(details.status)

    @property
    def job(self) -> str | None:
        """Id of the job that makes it."""
        details: Any = self.details
        job: str | None = details.job
        return job

    @property
    def result(self) -> Any:  # of each noun its own
        """All that the job found; the result of what ``list()`` yields or a pickle holds is fetched now."""
        if self._has_result():
            return self._loaded_result
        if self._details is None or self.status == "ready":
            raise self._not_loaded()
        detail = f"{self.id} is {self.status} and has no result yet; call wait() first"
        raise Conflict("artefact_not_ready", detail)

    def _drawn_document(self) -> "tuple[Json, Json | None]":
        assert self.result is not None  # which fetches it, or says what to wait for
        return super()._drawn_document()

    def _part(self, field: str) -> Any:  # of each field its own
        """Return a part of the result; lists print in few lines."""
        value = getattr(self.result, field)
        return Records(value) if isinstance(value, list) else value

    @property
    def _loaded_result(self) -> Any:  # of each noun its own
        """The result as far as it is here, without fetching it."""
        is_ready = self._details is not None and self.status == "ready"
        return (getattr(self._details, "result", None) or None) if is_ready else None

    def _has_result(self) -> bool:
        """Whether the result is here; it is fetched now if it is missing, where that takes no ``await``."""
        may_be_ready = self._details is None or self.status == "ready"
        is_missing = may_be_ready and self._loaded_result is None
        if is_missing and not self._is_whole and self._transport.is_blocking:
            self._load_now()
        return self._loaded_result is not None


def wait(self: ViewT, *, progress: bool | None = None, timeout: float | None = None) -> Program[ViewT]:
    """Wait until it is ready and return it.

    Raises
    ------
    JobFailed, JobCancelled
        With the code and the detail of the job's problem.
    JobNotFinished
        If ``timeout`` is over; the job goes on.
    """
    yield from _load_details(self)
    if self._loaded_result is not None:
        return self
    if self.status != "ready" and self.job is not None:
        job = yield from wait_for_job(self.job, progress=progress, timeout_seconds=timeout)
        check_success(job)
    yield from refresh(self)
    if self.status != "ready":
        problem = self.details.problem
        detail = problem.detail if isinstance(problem, Problem) else f"{self.id} is {self.status}"
        raise JobFailed(problem.code if isinstance(problem, Problem) else "job_failed", detail)
    return self


def cancel(self: ViewT) -> Program[ViewT]:
    """Cancel the job that makes it; cancelling it again is no error."""
    yield from _load_details(self)
    if self.job is not None:
        yield from cancel_job(self, self.job)
    return (yield from refresh(self))


def content(self: ArtefactView[Any], form: str) -> Program[bytes]:
    """Return the whole result, as the bytes of a file of this form."""
    response = yield _content_call(self, form)
    body: bytes = response.content
    return body


def download(self: ArtefactView[Any], path: str | Path, form: str) -> Program[Path]:
    """Write the whole result to a file of this form, block by block, and return its path."""
    target = written_path(path, form)
    yield replace(_content_call(self, form), into=target)
    return target


def every_item(self: ArtefactView[Any]) -> Program[list[Any]]:
    """Return what all pages of the content hold."""
    return (yield from fetch_all(lambda size, cursor: self.contents.operation(self.id, limit=size, cursor=cursor)))


class BlockingArtefact(Connected):
    """What the blocking client can do with everything that a job makes."""

    refresh = blocking(refresh)
    load = blocking(load)
    wait = blocking(wait)
    cancel = blocking(cancel)
    show = blocking(show_view)


class AwaitableArtefact(Connected):
    """What the async client can do with everything that a job makes."""

    refresh = awaitable(refresh)
    load = awaitable(load)
    wait = awaitable(wait)
    cancel = awaitable(cancel)
    show = awaitable(show_view)


def _load_details(self: ArtefactView[Any]) -> Program[None]:
    """Fetch it, if nothing but its id is here."""
    if self._details is None:
        yield from refresh(self)


def _content_call(self: ArtefactView[Any], form: str) -> Call:
    call = call_of(self.contents.operation(self.id))
    return replace(call, headers={**call.headers, "Accept": self.contents.media_types[form]})
