"""Artefacts: what everything that a job makes can do: wait, look again, cancel, fetch what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, Generic, TypeVar

from ._generated.models import Problem
from .calls import Call, Connected, Program
from .endpoints import ask, call_of
from .errors import Conflict, JobFailed
from .jobs import cancel as cancel_job
from .nouns import Noun
from .waiting import check_success, wait_for_job

Details = TypeVar("Details")
ViewT = TypeVar("ViewT", bound="ArtefactView[Any]")
_ROWS_A_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Content:
    """How the whole of what was found is fetched."""

    endpoint: ModuleType
    media_types: Mapping[str, str]  # by the name of the form, such as "parquet"


class ArtefactView(Connected, Generic[Details]):
    """Something made by a job, as it was when last looked at; ``details`` has all that the service says of it."""

    noun: ClassVar[Noun[Any]]
    contents: ClassVar[Content]

    def __init__(self, transport: Any, details: Details) -> None:  # noqa: ANN401  # either transport
        self._transport = transport
        self.details = details

    @property
    def id(self) -> str:
        """What the service knows it by."""
        return str(self._standing.id)

    @property
    def status(self) -> str:
        """``pending``, ``ready``, ``failed`` or ``cancelled``; new ones may come."""
        return str(self._standing.status)

    @property
    def job(self) -> str | None:
        """Id of the job that makes it."""
        job: str | None = self._standing.job
        return job

    @property
    def _standing(self) -> Any:  # noqa: ANN401  # the details of any noun
        return self.details

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.status}>"

    @property
    def result(self) -> Any:  # noqa: ANN401  # of each noun its own
        """All that was found; refused before it is ready, and for what lists yield."""
        if not self._has_result:
            detail = f"{self.id} is {self.status} and has no result here; call wait() or refresh() first"
            raise Conflict("artefact_not_ready", detail)
        return self._standing.result

    @property
    def _has_result(self) -> bool:
        return self.status == "ready" and bool(self._standing.result)


def refresh(self: ViewT) -> Program[ViewT]:
    """Look again."""
    self.details = yield from ask(self.noun.get, self.noun.answer, **{self.noun.id_name: self.id})
    return self


def wait(self: ViewT, *, progress: bool = False, timeout: float | None = None) -> Program[ViewT]:
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
    yield from refresh(self)
    if self.status != "ready":
        problem = self.details.problem
        detail = problem.detail if isinstance(problem, Problem) else f"{self.id} is {self.status}"
        raise JobFailed(problem.code if isinstance(problem, Problem) else "job_failed", detail)
    return self


def cancel(self: ViewT) -> Program[ViewT]:
    """Cancel the job that makes it; cancelling it again is no error."""
    if self.job is not None:
        yield from cancel_job(self, self.job)
    return (yield from refresh(self))


def content(self: ArtefactView[Any], form: str) -> Program[bytes]:
    """Return the whole of what was found, as the bytes of a file of this form."""
    response = yield _content_call(self, form)
    body: bytes = response.content
    return body


def download(self: ArtefactView[Any], path: str | Path, form: str) -> Program[Path]:
    """Write the whole of what was found to a file of this form, block by block, and return its path."""
    target = Path(path)
    yield replace(_content_call(self, form), into=target)
    return target


def every_item(self: ArtefactView[Any], page_type: type[Any]) -> Program[list[Any]]:
    """Return what all pages of the content hold."""
    items: list[Any] = []
    cursor: str | None = None
    while True:
        arguments = {self.noun.id_name: self.id, "limit": _ROWS_A_PAGE, "cursor": cursor}
        page = yield from ask(self.contents.endpoint, page_type, **arguments)
        items += page.data
        cursor = page.next_cursor or None
        if cursor is None:
            return items


def _content_call(self: ArtefactView[Any], form: str) -> Call:
    call = call_of(self.contents.endpoint, **{self.noun.id_name: self.id})
    return replace(call, headers={**call.headers, "Accept": self.contents.media_types[form]})
